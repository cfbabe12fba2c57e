"""All properties there are: which keys a source, sink, table or stream may have, and all of them in groups for help.

`source_keys`, `sink_keys`, … are what `Owner.choose` wants (velostream.config.resolve): given a way to look at what the
owner is given, they answer with the keys it may have. An owner whose type is missing or wrong may have the keys of
every connector, so that one mistake is one finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import TypeVar

from velostream.config.connections.address import format_of
from velostream.config.job import GROUPS, SOURCE_RULES, Group, scoped
from velostream.config.keys import fold, squeeze
from velostream.config.kinds import Choice
from velostream.config.owner import Look
from velostream.config.property import Known, Property, Scope
from velostream.config.tables import MISSING_DATA
from velostream.formats import FORMATS, Format
from velostream.formats.schema_options import KEY_SCHEMA, SCHEMA
from velostream.sinks import SINKS, Sink
from velostream.sources import SOURCES, Source
from velostream.sources.kafka import AUTO_OFFSET_RESET

Connector = Source | Sink
C = TypeVar("C", bound=Connector)


def connectors_of(type_text: str) -> tuple[Source | None, Sink | None]:
    """What a `type` means: `kafka_source` the source, `kafka_sink` the sink, `kafka` both, an unknown word neither."""
    return _called(type_text, SOURCES.values()), _called(type_text, SINKS.values())


def source_keys(look: Look) -> Known:
    """What may be set for a source."""
    source, _ = connectors_of(look("type", "connector"))
    return _source_known(source, look) if source else _any(SOURCES.values(), Scope.SOURCE)


def sink_keys(look: Look) -> Known:
    """What may be set for a sink."""
    _, sink = connectors_of(look("type", "connector"))
    return _sink_known(sink, look) if sink else _any(SINKS.values(), Scope.SINK)


def declared_keys(look: Look) -> Known:
    """What may be set for what `CREATE STREAM x (…) WITH (…)` declares: a source, a sink, or what serves as both."""
    source, sink = connectors_of(look("type", "connector"))
    if source and sink:
        both = _source_known(source, look).union(_sink_known(sink, look))
        return replace(both, properties=(_type_property((source, sink)), *both.properties[1:]))
    if source:
        return _source_known(source, look)
    return _sink_known(sink, look) if sink else _any((*SOURCES.values(), *SINKS.values()), Scope.SOURCE)


def table_keys(look: Look) -> Known:
    """What may be set for a table: one that a query makes, or with a `type` one that is declared over a source."""
    own = Known((*scoped(Scope.TABLE), AUTO_OFFSET_RESET))
    return source_keys(look).union(own) if look("type", "connector") else own


def join_keys(look: Look) -> Known:
    """What may be set for one join, by the alias of what it looks up."""
    return Known((MISSING_DATA,))


def stream_keys(look: Look) -> Known:
    """What may be set for a stream that another statement makes."""
    return Known(scoped(Scope.STREAM))


def read_back_keys(look: Look) -> Known:
    """What may be set for a stream that is read back from its sink: what the source may have that reads it."""
    return source_keys(look).union(Known(scoped(Scope.STREAM)))


def groups(prefix: str = "") -> tuple[Group, ...]:
    """All properties in groups: those of jobs, of each source, each sink, each format.

    With a prefix, those whose name or alias begins with it, and whole groups that are called so (`kafka_source`).
    """
    found = []
    for group in _all_groups():
        if fold(prefix) in ("", fold(group.title)):
            found.append(group)
            continue
        properties = tuple(one for one in group.properties if _begins(one.spellings, prefix))
        families = tuple(one for one in group.families if _begins((one.prefix,), prefix))
        if properties or families:
            found.append(replace(group, properties=properties, families=families))
    return tuple(found)


def _all_groups() -> tuple[Group, ...]:
    connectors: tuple[Connector, ...] = (*SOURCES.values(), *SINKS.values())
    formats = [one for one in FORMATS.values() if one.options]
    return (
        *GROUPS,
        *(Group(one.name, one.options, one.families, one.doc) for one in connectors),
        Group("Schemas", (*SCHEMA, *KEY_SCHEMA), doc="where the columns of a source are known from"),
        *(Group(f"format {one.name}", one.options, doc=one.doc) for one in formats),
    )


def _begins(spellings: Iterable[str], prefix: str) -> bool:
    return any(fold(spelling).startswith(fold(prefix)) for spelling in spellings)


def _called(word: str, connectors: Iterable[C]) -> C | None:
    folded = squeeze(word.strip())
    for connector in connectors:
        if folded in map(squeeze, (connector.name, *connector.aliases)):
            return connector
    return None


def _type_property(connectors: Iterable[Connector]) -> Property:
    """`type`: one of these connectors, also by what it is called elsewhere; of a source and a sink, the source."""
    members = tuple(connectors)
    also = {alias: member.name for member in reversed(members) for alias in member.aliases}
    kind = Choice(tuple(member.name for member in members), tuple(also.items()))
    doc = "what it reads from or writes to"
    return Property("type", kind, doc, members[0].name, aliases=("connector",), required=True)


def _source_known(source: Source, look: Look) -> Known:
    formats = _formats(source, look)
    schemas = (*SCHEMA, *KEY_SCHEMA) if source.keyed else SCHEMA
    options = [one for chosen in formats for one in chosen.options]
    everything = (_type_property(SOURCES.values()), *source.options, *schemas, *options, *scoped(Scope.SOURCE))
    return Known(_once(everything), source.families, source.one_of, (*SOURCE_RULES, *source.rules))


def _sink_known(sink: Sink, look: Look) -> Known:
    formats = _formats(sink, look)
    schemas = (*SCHEMA[1:], *KEY_SCHEMA) if any(chosen.needs_schema for chosen in formats) else ()
    options = [one for chosen in formats for one in chosen.options]
    everything = (_type_property(SINKS.values()), *sink.options, *schemas, *options, *scoped(Scope.SINK))
    return Known(_once(everything), sink.families, sink.one_of, sink.rules)


def _formats(connector: Connector, look: Look) -> list[Format]:
    """The formats of values and keys that are chosen; all that are possible where a choice is wrong."""
    wanted = [look("format", "value.format"), look("key.format") if connector.keyed else ""]
    if not wanted[0]:
        default = next((one.default for one in connector.options if one.name == "format"), None)
        wanted[0] = default or format_of(look("path")) or ""
    found: list[Format] = []
    for word in filter(None, wanted):
        named = [one for one in connector.formats if squeeze(word) in map(squeeze, (one.name, *one.aliases))]
        found += named or connector.formats
    return found if wanted[0] else list(connector.formats)


@cache
def _any_known(connectors: tuple[Connector, ...], scope: Scope) -> Known:
    options = [one for connector in connectors for one in connector.options]
    options += [one for connector in connectors for chosen in connector.formats for one in chosen.options]
    everything = (*options, *SCHEMA, *KEY_SCHEMA, *scoped(scope))
    relaxed = tuple(replace(one, required=False) for one in _once(everything))
    families = {family.prefix: family for connector in connectors for family in connector.families}
    return Known((_type_property(connectors), *relaxed), tuple(families.values()))


def _any(connectors: Iterable[Connector], scope: Scope) -> Known:
    return _any_known(tuple(connectors), scope)


def _once(properties: Iterable[Property]) -> tuple[Property, ...]:
    """The properties, of each name the first."""
    return tuple({one.name: one for one in reversed(list(properties))}.values())[::-1]
