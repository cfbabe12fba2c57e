"""What notebooks show: tables, and texts with their marks, as HTML that brings no style of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from velostream.sinks.writers.console import shown

NUMBER = 'style="text-align: right"'
TEXT = 'style="text-align: left"'


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], below: str = "") -> str:
    """Rows under the names of their columns; numbers stand to the right."""
    kept = [list(row) for row in rows]
    sides = [NUMBER if _are_numbers([row[place] for row in kept]) else TEXT for place in range(len(columns))]
    head = "".join(f"<th {side}>{escape(name)}</th>" for name, side in zip(columns, sides, strict=True))
    body = "".join(
        f"<tr>{''.join(_cell(value, side) for value, side in zip(row, sides, strict=True))}</tr>" for row in kept
    )
    foot = f"<p>{escape(below)}</p>" if below else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


def text(lines: str) -> str:
    """A text whose lines and spaces stay as they are."""
    return f"<pre>{escape(lines)}</pre>"


def _cell(value: Any, side: str) -> str:
    return f"<td {side}>{'<i>NULL</i>' if value is None else escape(shown(value))}</td>"


def _are_numbers(values: Sequence[Any]) -> bool:
    from decimal import Decimal

    told = [value for value in values if value is not None]
    return bool(told) and all(isinstance(one, int | float | Decimal) and not isinstance(one, bool) for one in told)
