"""What reads what: an order in which everything comes after what it reads, and the circles that forbid one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Order:
    """Names in an order that works, and each circle as the names along it, the first one again at its end."""

    names: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]


def order(reads: Mapping[str, Sequence[str]]) -> Order:
    """Each name after those it reads, otherwise in the order given. Reads of names that are not keys do not count."""
    done: dict[str, None] = {}
    cycles: list[tuple[str, ...]] = []
    for start in reads:
        path: list[str] = []
        pending: list[tuple[str, bool]] = [(start, False)]
        while pending:
            name, finished = pending.pop()
            if finished:
                path.pop()
                done[name] = None
            elif name in path:
                cycles.append((*path[path.index(name) :], name))
            elif name not in done:
                path.append(name)
                pending.append((name, True))
                pending += [(other, False) for other in reversed(reads[name]) if other in reads]
    return Order(tuple(done), tuple(_distinct(cycles)))


def _distinct(cycles: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Each circle once, whichever name it was entered by."""
    seen: dict[frozenset[str], tuple[str, ...]] = {}
    for cycle in cycles:
        seen.setdefault(frozenset(cycle), cycle)
    return list(seen.values())
