"""Which rows are the expected ones: in order, or as a set where each row serves one expectation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from velostream.testing.values import same

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Mismatch:
    """What did not fit: pairs that differ, expected rows that nobody is, rows that nobody expects."""

    different: tuple[tuple[Row, Row], ...] = ()
    missing: tuple[Row, ...] = ()
    unexpected: tuple[Row, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.different or self.missing or self.unexpected)


def fits(expected: Row, actual: Row, day: str, *, exact: bool = False) -> bool:
    """True where every expected column is there with its value; with `exact` there are no other columns."""
    if exact and set(expected) != set(actual):
        return False
    return all(column in actual and same(value, actual[column], day) for column, value in expected.items())


def match_ordered(expected: Sequence[Row], actual: Sequence[Row], day: str, *, exact: bool) -> Mismatch:
    """Row by row."""
    pairs = zip(expected, actual, strict=False)
    return Mismatch(
        tuple((want, got) for want, got in pairs if not fits(want, got, day, exact=exact)),
        tuple(expected[len(actual) :]),
        tuple(actual[len(expected) :]),
    )


def match_any_order(expected: Sequence[Row], actual: Sequence[Row], day: str, *, exact: bool) -> Mismatch:
    """As a set: as many expectations as can be are given a row of their own, the rest is set beside its nearest."""
    choices = [[index for index, got in enumerate(actual) if fits(want, got, day, exact=exact)] for want in expected]
    taken: dict[int, int] = {}
    for number in range(len(expected)):
        _assign(number, choices, taken, set())
    missing = [want for number, want in enumerate(expected) if number not in taken.values()]
    unexpected = [got for index, got in enumerate(actual) if index not in taken]
    different: list[tuple[Row, Row]] = []
    for want in list(missing):
        nearest = max(unexpected, key=lambda got: _likeness(want, got, day), default=None)
        if nearest is not None and 2 * _likeness(want, nearest, day) >= len(want):
            different.append((want, nearest))
            missing.remove(want)
            unexpected.remove(nearest)
    return Mismatch(tuple(different), tuple(missing), tuple(unexpected))


def _assign(number: int, choices: list[list[int]], taken: dict[int, int], tried: set[int]) -> bool:
    """Gives an expectation a row, moving others to another row of theirs where that is needed."""
    for index in choices[number]:
        if index not in tried and index not in taken:
            taken[index] = number
            return True
    for index in choices[number]:
        if index not in tried:
            tried.add(index)
            if _assign(taken[index], choices, taken, tried):
                taken[index] = number
                return True
    return False


def _likeness(expected: Row, actual: Row, day: str) -> int:
    """How many of the expected columns have their value."""
    return sum(column in actual and same(value, actual[column], day) for column, value in expected.items())


def newest(rows: Sequence[Row], key: Sequence[str]) -> list[Row]:
    """The newest revision of every key, without those that were withdrawn, in order of their first appearance."""
    kept: dict[str, Row] = {}
    for row in rows:
        name = repr([row.get(column) for column in key])
        before = kept.get(name)
        if before is None or (row.get("_revision") or 0) >= (before.get("_revision") or 0):
            kept[name] = row
    return [row for row in kept.values() if row.get("_emission") != "retract"]
