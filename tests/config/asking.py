"""A small world to resolve settings in: sources `trades` and `quotes`, a sink `out`, a table `limits`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from velostream.catalog.properties import declared_keys, sink_keys, source_keys, stream_keys, table_keys
from velostream.config.origin import Entry, written
from velostream.config.owner import Owner
from velostream.config.property import Scope
from velostream.config.resolve import Resolved, Surroundings, resolve
from velostream.diagnostics import Findings
from velostream.positions import Text

KEYS = {
    Scope.SOURCE: source_keys,
    Scope.SINK: sink_keys,
    Scope.TABLE: table_keys,
    Scope.STREAM: stream_keys,
}

TRADES = {"trades.type": "kafka_source", "trades.topic": "t", "trades.bootstrap.servers": "h:9092"}
QUOTES = {"quotes.type": "kafka_source", "quotes.topic": "q", "quotes.bootstrap.servers": "h:9092"}
OUT = {"out.type": "file_sink", "out.path": "o"}


def source(name: str = "trades") -> Owner:
    return Owner(name, Scope.SOURCE, source_keys)


def sink(name: str = "out") -> Owner:
    return Owner(name, Scope.SINK, sink_keys)


def owner(name: str, scope: Scope) -> Owner:
    return Owner(name, scope, KEYS[scope])


def declared(name: str) -> Owner:
    return Owner(name, Scope.SOURCE, declared_keys)


class Asked:
    """What `resolve` answers, and what it found."""

    def __init__(
        self,
        with_: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        *owners: Owner,
        more: Iterable[Entry] = (),
        variables: Mapping[str, str] | None = None,
        folder: Path = Path(),
        names: tuple[str, ...] = (),
    ) -> None:
        pairs = list(with_.items()) if isinstance(with_, Mapping) else list(with_)
        content = "WITH (" + ", ".join(f"'{key}' = '{value}'" for key, value in pairs) + ")"
        text, position, entries = Text(content), 6, []
        for key, value in pairs:
            length = len(f"'{key}' = '{value}'")
            entries.append(written(key, value, text.span(position, position + length)))
            position += length + 2
        self.content = content
        self.findings = Findings()
        self.around = Surroundings.of(folder, variables or {}, names)
        self.resolved: Resolved = resolve([*entries, *more], owners, self.around, self.findings)

    @property
    def problems(self) -> list[tuple[str, str]]:
        return [(finding.code, finding.message) for finding in self.findings.ordered()]

    @property
    def codes(self) -> list[str]:
        return [code for code, _ in self.problems]

    @property
    def hint(self) -> str:
        (only,) = self.findings.found
        return only.hint

    @property
    def marked(self) -> str:
        (only,) = self.findings.found
        assert only.span is not None
        return self.content[only.span.start : only.span.end]
