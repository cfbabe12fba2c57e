"""What a statement answered: rows that become a frame of whichever library is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.api import markup
from velostream.jobs import left_out

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

FEW, MANY = 20, 60
"""Rows that are shown in a terminal, and in a notebook; the others are counted."""
Row = dict[str, Any]


@dataclass(frozen=True, repr=False)
class Result:
    """Rows with their types, and what else was said: `message` where a statement answers with words, `report` where
    streams were read (what became of every record, as `velo run --report` writes it)."""

    table: pa.Table
    session: Callable[[], SparkSession] = field(compare=False)
    """Where a Spark frame of it would be made."""
    message: str = ""
    report: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self.table.column_names)

    @property
    def dead_lettered(self) -> dict[str, int]:
        """The records that could not be in it, by reason: they are dead letters, which a query does not keep."""
        return left_out.letters_of(self.report)

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return self.table

    def polars(self) -> pl.DataFrame:
        """The rows as a Polars frame."""
        import polars as pl

        frame = pl.from_arrow(self.table)
        assert isinstance(frame, pl.DataFrame), "a table becomes a frame"
        return frame

    def pandas(self) -> pd.DataFrame:
        """The rows as a pandas frame; times have the zone UTC."""
        return self.table.to_pandas()

    def spark(self) -> DataFrame:
        """The rows as a frame of Spark, in the session of this process, which starts if there is none."""
        return self.session().createDataFrame(self.table)

    def rows(self) -> list[Row]:
        """The rows as dictionaries."""
        found: list[Row] = self.table.to_pylist()
        return found

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows())

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        from velostream.cli.colours import Colours
        from velostream.cli.prompt.rows import RowPrinter

        if not self.columns:
            return self.message
        lines: list[str] = []
        RowPrinter(lines.append, Colours()).rows(self.columns, self._first(FEW))
        return "\n".join([*lines, self._count(FEW)])

    def _repr_html_(self) -> str:
        """What notebooks show."""
        if not self.columns:
            return markup.text(self.message)
        return markup.table(self.columns, self._first(MANY), self._count(MANY))

    def _first(self, most: int) -> Sequence[Sequence[Any]]:
        columns = [column.to_pylist() for column in self.table.slice(0, most).columns]
        return list(zip(*columns, strict=True))

    def _count(self, most: int) -> str:
        count = len(self)
        said = f"{count:,} row{'' if count == 1 else 's'}"
        said += f", the first {most} of them here" if count > most else ""
        loss = left_out.said(self.report)
        return f"({said}; {loss})" if loss else f"({said})"
