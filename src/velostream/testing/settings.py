"""Settings of the sources and sinks that a test puts in place of an application's own."""

from __future__ import annotations

from collections.abc import Mapping

from velostream.catalog.properties import sink_keys, source_keys, table_keys
from velostream.config.origin import command
from velostream.config.owner import Owner
from velostream.config.property import Scope
from velostream.config.resolve import Surroundings, resolve
from velostream.config.settings import Settings
from velostream.diagnostics import Findings
from velostream.errors import InvalidProperty


def source_settings(name: str, values: Mapping[str, str]) -> Settings:
    """Settings of a source; what it does not know is an error."""
    return _settled(Owner(name, Scope.SOURCE, source_keys), values)


def table_settings(name: str, values: Mapping[str, str]) -> Settings:
    """Settings of a table that is loaded."""
    return _settled(Owner(name, Scope.TABLE, table_keys), values)


def sink_settings(name: str, values: Mapping[str, str]) -> Settings:
    """Settings of a sink."""
    return _settled(Owner(name, Scope.SINK, sink_keys), values)


def _settled(owner: Owner, values: Mapping[str, str]) -> Settings:
    findings = Findings()
    entries = [command(f"{owner.name}.{key}", value) for key, value in values.items()]
    settled = resolve(entries, [owner], Surroundings.of(variables={}), findings)
    for error in findings.errors:
        raise InvalidProperty(error.message, hint=error.hint)
    return settled[owner.name]
