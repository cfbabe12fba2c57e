"""Which system columns the sources and queries of a file have."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.catalog.system_columns import SYSTEM_COLUMNS, SystemColumn
from velostream.validation.bound import BoundApplication, BoundSelect, BoundStatement
from velostream.validation.columns import GROUPED, WINDOW, columns_of
from velostream.validation.walk import selects_of


def visible(bound: BoundApplication | None) -> tuple[SystemColumn, ...]:
    """Those that some statement can use, in the order of the reference; all where nothing could be bound."""
    names = {name for statement in (bound.statements if bound else ()) for name in _of_statement(statement)}
    return tuple(column for column in SYSTEM_COLUMNS.values() if not names or column.name in names)


def _of_statement(statement: BoundStatement) -> Iterator[str]:
    if statement.query is None and statement.creates is not None:
        yield from statement.creates.record_columns
    for select in selects_of(statement.query):
        for member in select.inputs:
            yield from columns_of(member)
        yield from _of_groups(select, statement)


def _of_groups(select: BoundSelect, statement: BoundStatement) -> Iterator[str]:
    """What rows have once they are those of groups and windows."""
    if select.window is not None:
        yield from WINDOW
        if select.window.assigner.name == "SESSION":
            yield "closed_by"
        if statement.settings.text("fill") != "none":
            yield "_filled"
    elif select.aggregated:
        yield from GROUPED
