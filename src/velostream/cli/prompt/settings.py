"""Properties at the cursor: the keys that an owner or the job may have, and the values that a key takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from velostream.catalog.properties import declared_keys, sink_keys, source_keys, table_keys
from velostream.catalog.relation import Relation
from velostream.config.job import JOB
from velostream.config.owner import Look
from velostream.config.property import Boolean, Known, Property

_SETTING = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'")
_DECLARES = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(STREAM|TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?`?(\w+)", re.I)
_OWNERS = re.compile(r"\b(FROM|JOIN|INTO)\s+`?(\w+)", re.I)


def keys(typed: str, statement: str, relations: Mapping[str, Relation]) -> Iterator[tuple[str, str]]:
    """Keys with what they are: of the owner whose name and dot are typed, else of the job, and the names of owners."""
    owners = _owners(statement, relations)
    owner = next((name for name in owners if typed.casefold().startswith(f"{name.casefold()}.")), "")
    if owner:
        for declared in owners[owner].properties:
            yield f"{owner}.{declared.name}", _about(declared)
        return
    declares = _DECLARES.match(statement)
    for name in owners:
        yield f"{name}.", f"what is set for {name}"
    if declares and not re.search(r"\bSELECT\b", statement, re.I):
        for declared in owners[declares[2]].properties:
            yield declared.name, _about(declared)
    for declared in JOB.properties:
        yield declared.name, _about(declared)


def values(key: str, statement: str, relations: Mapping[str, Relation]) -> Iterator[tuple[str, str]]:
    """What a key takes: its words, yes and no, or an example."""
    for declared in _meant(key, _owners(statement, relations)):
        words = getattr(declared.kind, "words", ())
        if isinstance(declared.kind, Boolean):
            words = ("true", "false")
        for word in words or (declared.default or declared.example,):
            yield word, declared.doc
        return


def _meant(key: str, owners: Mapping[str, Known]) -> Iterator[Property]:
    head, _, rest = key.partition(".")
    owner = next((name for name in owners if name.casefold() == head.casefold()), "")
    places = [(owners[owner], rest)] if owner else []
    places += [(JOB, key), *((known, key) for known in owners.values())]
    for known, name in places:
        found = known.find(name)
        if found is not None:
            yield found[0]


def _owners(statement: str, relations: Mapping[str, Relation]) -> dict[str, Known]:
    """The sources, sinks and tables that a statement names, each with the keys it may have."""
    given = {key.casefold(): value for key, value in _SETTING.findall(statement)}

    def look_at(owner: str, *, own: bool) -> Look:
        def look(*names: str) -> str:
            spellings = [f"{owner}.{each}".casefold() for each in names] + [each for each in names if own]
            return next((given[each] for each in spellings if each in given), "")

        return look

    found: dict[str, Known] = {}
    declares = _DECLARES.match(statement)
    if declares:
        choose = table_keys if declares[1].upper() == "TABLE" else declared_keys
        found[declares[2]] = choose(look_at(declares[2], own=True))
    for word, name in _OWNERS.findall(statement):
        relation = relations.get(name.casefold())
        choose = sink_keys if word.upper() == "INTO" else source_keys
        if relation is not None and relation.settings is not None:
            found.setdefault(name, relation.settings.known)
        elif relation is None:
            found.setdefault(name, choose(look_at(name, own=False)))
    return found


def _about(declared: Property) -> str:
    words = getattr(declared.kind, "words", ())
    takes = " | ".join(words) if words else declared.kind.name
    default = f", default {declared.default}" if declared.default is not None else ""
    return f"{takes}{default}: {declared.doc}"
