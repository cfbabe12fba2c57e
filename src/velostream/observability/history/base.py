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

    def forget(self, app: str, job: str, before: float) -> None:
        """Lets go of the rows of a job that are older than a moment; several applications may share a store."""
        ...

    def rows(self, table: Table, app: str, since: float = 0.0) -> Sequence[Row]:
        """The rows of an application in a table since a moment, in order of time."""
        ...

    def table(self, table: Table, app: str) -> pa.Table:
        """All rows of an application in a table as Arrow, in order of time."""
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
