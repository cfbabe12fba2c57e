"""What did not come out as expected, as lines that people read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from velostream.testing.matching import Mismatch
from velostream.testing.values import same, show

MOST = 20
"""How many rows of a kind are shown."""


def difference(what: str, expected: int, actual: int, mismatch: Mismatch, day: str) -> str:
    """A block of lines: what differs with both sides, what is missing, what nobody expects."""
    lines = [f"{what} are not as expected: {expected} expected, {actual} found"]
    for want, got in mismatch.different[:MOST]:
        lines += _side_by_side(want, got, day)
    lines += [f"  missing     {_row(row)}" for row in mismatch.missing[:MOST]]
    lines += [f"  unexpected  {_row(row)}" for row in mismatch.unexpected[:MOST]]
    hidden = sum(max(0, len(rows) - MOST) for rows in (mismatch.different, mismatch.missing, mismatch.unexpected))
    if hidden:
        lines.append(f"  and {hidden} more")
    return "\n".join(lines)


def _side_by_side(expected: Mapping[str, Any], actual: Mapping[str, Any], day: str) -> Iterator[str]:
    """Both rows column by column; those that differ are marked."""
    rows = [("", "column", "expected", "found")]
    for column in dict.fromkeys((*expected, *actual)):
        want = show(expected[column]) if column in expected else ""
        got = show(actual[column]) if column in actual else "(no such column)"
        wrong = column in expected and not (column in actual and same(expected[column], actual[column], day))
        rows.append(("≠" if wrong else "", column, want, got))
    widths = [max(len(row[index]) for row in rows) for index in range(4)]
    yield "  different"
    for row in rows:
        yield ("    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()


def _row(row: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{column}: {show(value)}" for column, value in row.items()) + "}"
