"""What a store of history can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from velostream.observability.history.tables import INTEGER, REAL, TEXT, TIME, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa


class Store(Protocol):
    """Keeps rows, forgets old ones, and gives them back."""

    def add(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Keeps rows, by table: all or none."""
        ...

    def forget(self, before: float) -> None:
        """Lets go of rows that are older than a moment."""
        ...

    def table(self, table: Table) -> pa.Table:
        """All rows of a table, in order of time."""
        ...

    def close(self) -> None:
        """Lets go of files and connections."""
        ...


def arrow(table: Table, rows: Sequence[Row]) -> pa.Table:
    """Rows as Arrow: times are timestamps."""
    import pyarrow as pa

    kinds = {TEXT: pa.string(), INTEGER: pa.int64(), REAL: pa.float64(), TIME: pa.timestamp("us", "UTC")}
    arrays = []
    for place, (_, kind) in enumerate(table.columns):
        values = [row[place] for row in rows]
        if kind == TIME:
            values = [None if value is None else round(value * 1e6) for value in values]
        arrays.append(pa.array(values, kinds[kind]))
    return pa.table(arrays, list(table.names))
