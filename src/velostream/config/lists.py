"""Lists in flat keys: `key[0]`, `key[1]` are one entry with two items."""

from __future__ import annotations

import re
from collections.abc import Iterable

from velostream.config.origin import Entry, Layer
from velostream.diagnostics import Findings

_MEMBER = re.compile(r"(.+)\[([0-9]+)\]")


def join_lists(entries: Iterable[Entry], findings: Findings, lost: set[str]) -> list[Entry]:
    """The entries, members of a list put together; a list with gaps (it is `lost`) or a member twice is refused."""
    joined: list[Entry] = []
    members: dict[tuple[str, Layer], dict[int, Entry]] = {}
    for entry in entries:
        member = _MEMBER.fullmatch(entry.key.strip())
        if member is None:
            joined.append(entry)
            continue
        items = members.setdefault((member[1], entry.origin.layer), {})
        if int(member[2]) in items:
            findings.error(
                "conflicting-properties", f"'{entry.key}' is given twice", entry.origin.span, hint="keep one"
            )
        items.setdefault(int(member[2]), entry)
    for (key, _), items in members.items():
        first = items[min(items)]
        if sorted(items) != list(range(len(items))):
            gap = next(index for index in range(len(items)) if index not in items)
            message = f"list '{key}' has no '{key}[{gap}]'"
            findings.error(
                "invalid-property", message, first.origin.span, hint="number the members from 0 without gaps"
            )
            lost.add(key)
            continue
        texts = tuple(items[index].text for index in range(len(items)))
        joined.append(Entry(key, ",".join(texts), first.origin, texts))
    return joined
