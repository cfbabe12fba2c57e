"""JoinTable where rows wait (FOR SYSTEM_TIME AS OF, wait_and_retry): in the operator, which looks up in Python.

The table's side is computed by Spark once for each version and left in files by bucket (velostream.tables.prepared).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.plan.expression import Expression, reads
from velostream.plan.forms import form_of_rows
from velostream.plan.nodes import JoinTable, TableScan
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.join_table import tables_of
from velostream.spark.lower.refusals import waiting_corrections
from velostream.spark.lower.stage import Stage
from velostream.spark.lower.whole_rows import Answering, WholeRows
from velostream.tables.newest import GONE, TIME
from velostream.tables.past import ORDER
from velostream.tables.pins import PINS
from velostream.tables.prepared import EMPTY, Prepared, PreparedSide
from velostream.types import BOOLEAN
from velostream.validation.coercion import common
from velostream.windows import waiting_join as waiting
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

FOLDER = "lookups"
"""Below the folder of a job."""
_BUCKET = "_bucket"
_COUNTS = {"skip_record": waiting.SKIPPED, "use_defaults": waiting.DEFAULTED}


def lower_waiting_join(node: JoinTable, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part of a join in which rows wait."""
    if node.left.revises or keeps_previous:
        raise waiting_corrections()
    rows = _JoinedRows(node, frame, lowering)
    number = len(lowering.stages) + 1
    tables = tuple(tables_of(node))
    folder = lowering.run.checkpoint / FOLDER / str(number)
    lowering.prepared.append(Prepared(folder, tables, partial(_write, node, rows, lowering)))
    order = (waiting.FROM, waiting.ORDER) if node.as_of is not None else ()
    pins = str(lowering.run.checkpoint / PINS)
    side = PreparedSide(str(folder), tables, pins, len(lowering.run.buckets), order)

    def operator(watermark: WatermarkSettings) -> Callable[[Any], Any]:
        return partial(waiting.WaitingJoin, rows.settings(watermark), side)

    results = [(member.name, name, member.type) for name, member in rows.found.items()]
    return rows.lower(frame, lowering, Answering(operator, rows.keys, [*results, (waiting.HIT, waiting.HIT, BOOLEAN)]))


class _JoinedRows(WholeRows):
    """The rows of the left side under short names, and those of the table's columns."""

    def __init__(self, node: JoinTable, frame: DataFrame, lowering: Lowering) -> None:
        super().__init__(node, frame, lowering, corrects=False)
        self.join = node
        self.kinds = [common(pair.left.type, pair.right.type) or pair.left.type for pair in node.keys]
        self.keys = tuple(self.add(pair.left.cast(kind)) for pair, kind in zip(node.keys, self.kinds, strict=True))
        self.table_keys = tuple(f"t{place}" for place in range(len(node.keys)))
        self.as_of = "" if node.as_of is None else self.add(node.as_of)
        self.found = {f"r{place}": member for place, member in enumerate(node.right.fields)}
        self.conditions = tuple(self._form(part) for part in node.residual)

    def _form(self, part: Expression) -> tuple[Any, ...]:
        names = {member.name: ("column", name) for name, member in self.found.items()}
        left = self.join.left.fields
        names |= {name: ("column", self.add(reads(name, left.of(name).type))) for name in part.fields if name in left}
        form = form_of_rows(part, self.join.fields, names)
        assert form is not None, "JoinTable refuses what cannot be computed while rows wait"
        return form

    def settings(self, watermark: WatermarkSettings) -> waiting.WaitingSettings:
        """What the operator goes by."""
        missing = self.join.missing
        retries = missing.strategy == "wait_and_retry"
        kept = missing.strategy in ("emit_with_nulls", "use_defaults") or (retries and self.join.kind == "LEFT")
        return waiting.WaitingSettings(
            self.keys,
            self.table_keys,
            self.shown,
            tuple(self.found),
            self.as_of,
            self.conditions,
            kept,
            missing.retries if retries else 0,
            missing.delay,
            waiting.SKIPPED if retries and not kept else _COUNTS.get(missing.strategy, ""),
            ", ".join(tables_of(self.join)) if missing.strategy == "fail_fast" else "",
            watermark,
        )

    def _fields(self, answering: Answering) -> dict[str, Column]:
        from pyspark.sql import functions as F  # noqa: N812

        made = super()._fields(answering)
        for name, value in self.join.missing.defaults:
            default = F.expr(value.spark).cast(str(self.join.right.fields.of(name).type))
            made[name] = F.when(column(waiting.HIT), made[name]).otherwise(default)
        return made


def _write(node: JoinTable, rows: _JoinedRows, lowering: Lowering, folder: Path) -> None:
    """Leaves the rows of the table's side, as the job sees it now, in a folder: a file for each bucket and task."""
    from pyspark.sql import functions as F  # noqa: N812

    table = _side(node, lowering)
    keys = [
        F.expr(pair.right.spark).cast(str(kind)) if kind.is_known else F.expr(pair.right.spark)
        for pair, kind in zip(node.keys, rows.kinds, strict=True)
    ]
    hashed = F.xxhash64(*keys) if keys else F.lit(0).cast("bigint")
    versions = []
    if node.as_of is not None:
        least = F.lit(waiting.LEAST).cast("bigint")
        versions = [F.coalesce(column(TIME), least).alias(waiting.FROM), column(GONE).alias(waiting.GONE)]
        versions.append(column(ORDER).alias(waiting.ORDER))
    made = table.select(
        *(key.alias(name) for name, key in zip(rows.table_keys, keys, strict=True)),
        *(column(member.name).alias(name) for name, member in rows.found.items()),
        *versions,
        F.pmod(hashed, F.lit(len(lowering.run.buckets))).cast("int").alias(_BUCKET),
    )
    _empty(made, folder / EMPTY)
    made.mapInArrow(partial(_leave, str(folder)), "files INT").collect()


def _side(node: JoinTable, lowering: Lowering) -> DataFrame:
    """The rows that are looked up in; in an as-of join all that they were."""
    from velostream.spark.lower.static import lower_static, table_columns

    if node.as_of is None:
        return lower_static(node.right, lowering)
    assert isinstance(node.right, TableScan)
    past = lowering.tables[node.right.table].past(lowering.spark)
    return past.select(*table_columns(node.right, past), *map(column, (TIME, GONE, ORDER)))


def _empty(frame: DataFrame, file: Path) -> None:
    import polars as pl
    from pyspark.sql.pandas.types import to_arrow_schema

    empty = pl.from_arrow(to_arrow_schema(frame.drop(_BUCKET).schema, timezone="UTC").empty_table())
    assert isinstance(empty, pl.DataFrame)
    empty.write_ipc(file)


def _leave(folder: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Writes the rows of a task by bucket; a task that is run again writes the same files."""
    import polars as pl
    import pyarrow as pa
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    frames = [frame for batch in batches if isinstance(frame := pl.from_arrow(batch), pl.DataFrame) and frame.height]
    parts = pl.concat(frames).partition_by(_BUCKET, as_dict=True, include_key=False) if frames else {}
    for (bucket,), part in parts.items():
        hidden = Path(folder, f".{bucket}-{context.partitionId()}-{context.taskAttemptId()}")
        part.write_ipc(hidden)
        hidden.replace(Path(folder, f"{bucket}-{context.partitionId()}.arrow"))
    yield pa.record_batch({"files": pa.array([len(parts)], pa.int32())})
