"""The reference of system columns: which ones a source and a query have, by category."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from velostream.catalog.system_columns import RECORD, SOURCE, WINDOW, SystemColumn
from velostream.cli.colours import Colours

TITLES = {
    RECORD: "of every record",
    SOURCE: "of where the record comes from",
    WINDOW: "of windowed rows",
}


def reference(columns: Iterable[SystemColumn], colours: Colours) -> str:
    """A table: name, type, meaning, and an example below each other's."""
    return "\n".join(_lines(tuple(columns), colours))


def _lines(columns: tuple[SystemColumn, ...], colours: Colours) -> Iterator[str]:
    yield colours.paint("system columns", "bold") + " (any letter case, in every clause; SELECT * leaves them out)"
    names = max((len(column.name) for column in columns), default=0)
    types = max((len(shown_type(column)) for column in columns), default=0)
    for category, title in TITLES.items():
        members = [column for column in columns if column.category == category]
        if members:
            yield f"  {colours.paint(title, 'cyan')}"
        for column in members:
            name = colours.paint(column.name.ljust(names), "bold")
            yield f"    {name}  {shown_type(column).ljust(types)}  {column.meaning}"
            yield f"    {' ' * (names + types + 4)}{colours.paint(column.example, 'dim')}"


def shown_type(column: SystemColumn) -> str:
    """The type; a nested one without what it is made of, which would be wider than the rest of the table."""
    return column.type.name if column.type.fields or column.type.arguments else str(column.type)
