"""Results of a stateful node as rows without Spark: where the select list only picks and names columns, a micro-batch
that is in the driver already needs no query of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import Node, Project
from velostream.sinks.writers.batch import LEFT
from velostream.spark.stateful.layout import OF_EVENTS, OF_WINDOW, ORIGIN
from velostream.windows.settings import EVENT_COUNT
from velostream.windows.speaker import WINDOW

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column

SAME, TIME, WHOLE, NOTHING = "same", "time", "whole", "nothing"
"""A field is a column of the results as it is, microseconds as a time, an INT of a BIGINT, or a NULL of BOOLEAN."""


@dataclass(frozen=True)
class Made:
    """What a field of a stateful node is made of: a column of the operator's results, and how it is turned."""

    source: str = ""
    turn: str = SAME
    shift: int = 0
    """What is added to microseconds."""

    def column(self) -> Column:
        """The field, for Spark."""
        from pyspark.sql import functions as F  # noqa: N812

        from velostream.spark.lower.context import column

        if self.turn == NOTHING:
            return F.lit(None).cast("boolean")
        source = column(self.source)
        if self.turn == TIME:
            return F.timestamp_micros(source + self.shift if self.shift else source)
        return source.cast("int") if self.turn == WHOLE else source

    def array(self, results: pa.Table) -> Any:
        """The field of rows in the driver, of the type that Spark would give it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.turn == NOTHING:
            return pa.nulls(results.num_rows, pa.bool_())
        source = results[self.source]
        if self.turn == TIME:
            shifted = pc.add_checked(source, pa.scalar(self.shift, pa.int64())) if self.shift else source
            return shifted.cast(pa.timestamp("us", "UTC"))
        return source.cast(pa.int32()) if self.turn == WHOLE else source


def finisher(
    above: Sequence[Node], made: Mapping[str, Made], identity: Sequence[str] = ()
) -> Callable[[pa.Table], pa.Table] | None:
    """Makes a job's rows of results; None where a node above the stateful one does more than pick columns, or where it
    is not known what the fields of that one are made of. Rows of windows keep which window they are about, as those
    that Spark makes do."""
    if not made:
        return None
    fields: dict[str, Made] = dict(made)
    for node in reversed(above):
        if not isinstance(node, Project) or not all(each.expression.is_field for each in node.columns):
            return None
        names = {each.name: each.expression.name for each in node.columns}
        if not set(names.values()) <= set(fields):
            return None
        fields = {name: fields[source] for name, source in names.items()}

    def finished(results: pa.Table) -> pa.Table:
        import pyarrow as pa

        left = {LEFT: results["_emission"]} if "_emission" in results.column_names else {}
        rows = {name: each.array(results) for name, each in fields.items()}
        return pa.table({**rows, **left, **_of_window(results, identity)})

    return finished


def _of_window(results: pa.Table, identity: Sequence[str]) -> dict[str, Any]:
    """What rows of windows carry beside their fields."""
    import pyarrow as pa

    if any(name not in results.column_names for name in (*WINDOW, EVENT_COUNT)):
        return {}
    names = [*(name for name in identity if name not in WINDOW), *WINDOW]
    parts = [results[name].combine_chunks() for name in names]
    window = pa.StructArray.from_arrays(parts, names)
    return {OF_WINDOW: window, ORIGIN[1]: results["_revision"], OF_EVENTS: results[EVENT_COUNT]}
