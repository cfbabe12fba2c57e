"""A stateful node on Spark, whichever it is: rows to the router, buckets to the operator, payloads back to rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.plan.expression import Expression
from velostream.plan.nodes import Node, Scan
from velostream.sinks.letters.envelope import DERIVED
from velostream.sinks.writers.crossing import map_in_arrow
from velostream.sources.streams.watermarks import FOLDER
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.expressions import as_json, compute
from velostream.spark.lower.finishing import TIME, Made
from velostream.spark.lower.watermarks import known_partitions, watermark_settings
from velostream.spark.lower.withdrawals import with_withdrawals
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.hot import HotSettings
from velostream.spark.stateful.layout import Layout, source_of
from velostream.windows.emission.base import CHANGE
from velostream.windows.rows.said import PREVIOUS
from velostream.windows.settings import EVENT_COUNT, OperatorSettings
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

CONTROL = "control"
WINDOW = ("_window_start", "_window_end")
_KEPT_BACK = ("_late", "_place", "_replayed", names.RECORD, names.KIND)
PLACE = "struct<source:string,partition:int,offset:bigint,event_time:bigint>"
"""Where a record stood. Each part may be NULL, since the whole is NULL for rows that nothing is wrong with."""
_POSITION = {"_source": "string", "_partition": "int", "_offset": "bigint"}


@dataclass(frozen=True)
class Shape:
    """What a kind of stateful node asks of the common way.

    `wanted` are the columns that its operator reads, by the short names under which they travel; `keys` those that say
    where a row goes. `results` makes the Arrow schema of what the operator answers with from that of the input, and
    `columns` what becomes of each field of the node. `identity` are result columns that tell rows apart which correct
    each other; empty where rows are never corrected.
    """

    node: Node
    wanted: Sequence[tuple[str, Expression]]
    keys: Sequence[str]
    operator: Callable[[WatermarkSettings], Callable[[Any], Any]]
    results: Callable[[Any], Any]
    columns: Callable[[DataFrame], Mapping[str, Column]]
    time: str
    identity: Sequence[str] = ()
    previous: Mapping[str, str] = field(default_factory=dict)
    """The result columns of a row that may have been said before, by the field that they become."""
    folding: Callable[[WatermarkSettings], OperatorSettings] | None = None
    outgoing: Callable[[int], int] = int
    position: Mapping[str, str] | None = None
    """Where a record stands, where the node's inputs do not say it under their own names."""
    payloads: Callable[[Layout], DataFrame] | None = None
    """Where records are routed as they are read: the stream of what goes to the buckets."""
    status: Callable[[DataFrame], Column | None] | None = None
    """What is wrong with a row that came out, over the fields of the node."""
    made: Mapping[str, Made] = field(default_factory=dict)
    """What each field of the node is made of, where that is so plain that Spark need not be asked."""


@dataclass(frozen=True)
class Stage:
    """A stateful node in a query: the streaming frame of payloads, and how its results become rows."""

    number: int
    frame: DataFrame
    shape: Shape
    results: Any
    """The Arrow schema of result payloads."""

    def rows(self, batch: DataFrame) -> DataFrame:
        """The rows of a micro-batch with the fields of the node."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.pandas.types import from_arrow_schema

        from velostream.spark.stateful.unpack import unpacker

        payloads = batch.filter(F.col("kind") == names.RESULT).select("payload")
        return self._last(payloads.mapInArrow(unpacker(self.results), from_arrow_schema(self.results)))

    def local(self, payloads: Sequence[bytes], spark: SparkSession) -> DataFrame:
        """The rows of payloads that are in the driver already: no worker has to be asked to unpack them."""
        from pyspark.sql.pandas.types import from_arrow_schema

        return self._last(spark.createDataFrame(self.table(payloads), from_arrow_schema(self.results)))

    def table(self, payloads: Sequence[bytes]) -> pa.Table:
        """What the operator answered with."""
        import pyarrow as pa

        from velostream.spark.stateful.payload import typed, unpack

        batches = [batch for payload in payloads for batch in typed(unpack(payload), self.results)]
        return pa.Table.from_batches(batches, self.results)

    def stream(self) -> DataFrame:
        """Its rows as a stream, with marks for all that a stateful node above must hear."""
        from pyspark.sql.pandas.types import from_arrow_schema

        from velostream.spark.stateful.unpack import passing, with_marks

        schema = from_arrow_schema(with_marks(self.results))
        return self._selected(self.frame.mapInArrow(passing(self.results, self.number), schema))

    def _last(self, rows: DataFrame) -> DataFrame:
        """Rows that reach no other stateful node: those of windows keep which window they are about."""
        from pyspark.sql import functions as F  # noqa: N812

        if any(name not in rows.columns for name in WINDOW):
            return self._selected(rows)
        keys = [column(name) for name in self.shape.identity if name not in WINDOW]
        beside = {names.OF_WINDOW: F.struct(*keys, *map(column, WINDOW))}
        if EVENT_COUNT in rows.columns:
            beside[names.OF_EVENTS] = column(EVENT_COUNT)
        return self._selected(rows, beside)

    def _selected(self, rows: DataFrame, beside: Mapping[str, Column] | None = None) -> DataFrame:
        from pyspark.sql import functions as F  # noqa: N812

        made = self.shape.columns(rows)
        fields = [made[member.name].alias(member.name) for member in self.shape.node.fields]
        nothing = F.lit(None).cast("string")
        if names.MARK not in rows.columns:
            rows = rows.withColumn(names.MARK, nothing)
        record = F.concat(F.lit(DERIVED), as_json(F.struct(*fields), nulls=True))
        if names.RECORD in rows.columns:
            record = F.coalesce(F.col(names.RECORD), record)
        is_row = F.col(names.MARK).isNull()
        carried = {
            names.STATUS: nothing,
            names.DETAIL: nothing,
            names.MARK: F.col(names.MARK),
            names.RECORD: F.when(is_row, record),
            names.COUNTED: F.lit(True),
            names.KIND: column("_emission") if "_emission" in rows.columns else F.lit(CHANGE),
            **self._origin(rows),
            **_place(rows),
            **(beside or {}),
        }
        if names.PASSED in rows.columns:
            carried[names.PASSED] = F.col(names.PASSED)
        if PREVIOUS in rows.columns:
            carried[PREVIOUS] = self._previous()
        made_rows = rows.select(*fields, *(value.alias(name) for name, value in carried.items()))
        status = self.shape.status(made_rows) if self.shape.status is not None else None
        return made_rows if status is None else made_rows.withColumn(names.STATUS, F.when(is_row, status))

    def _origin(self, rows: DataFrame) -> dict[str, Column]:
        """What a row is known by when it is corrected, which revision it is, and whether it withdraws."""
        from pyspark.sql import functions as F  # noqa: N812

        if not self.shape.identity:
            return {name: column(name) for name in names.ORIGIN if name in rows.columns}
        known = as_json(F.struct(*map(column, self.shape.identity)), nulls=True)
        name = F.concat(F.lit(source_of(self.number)), known)
        gone = F.coalesce(column("_emission") == F.lit("retract"), F.lit(False))
        order = names.ORIGIN[1] if names.ORIGIN[1] in rows.columns else "_revision"
        return dict(zip(names.ORIGIN, (name, column(order).cast("bigint"), gone), strict=True))

    def _previous(self) -> Column:
        """The values of the row that a row corrects, under the names of the plan."""
        from pyspark.sql import functions as F  # noqa: N812

        said = {name: F.col(f"{PREVIOUS}.{source}") for name, source in self.shape.previous.items()}
        made = {name: self.shape.made.get(name) for name in said}
        times = {name: said[name] + each.shift for name, each in made.items() if each and each.turn == TIME}
        said |= {name: F.timestamp_micros(time) for name, time in times.items()}
        for name, source in self.shape.previous.items():
            if source in names.POSITION:
                time = source == names.POSITION[0]
                kind = str(self.shape.node.fields.of(name).type)
                said[name] = F.timestamp_micros(said[name]) if time else said[name].cast(kind)
        fields = [value.alias(name) for name, value in said.items()]
        return F.when(F.col(PREVIOUS).isNotNull(), F.struct(*fields))


def _place(rows: DataFrame) -> dict[str, Column]:
    """Where the record stood that a row still is."""
    from pyspark.sql import functions as F  # noqa: N812

    if any(name not in rows.columns for name in names.POSITION):
        return {}
    parts = [column(name).alias(name.removeprefix("_")) for name in ("_source", "_partition", "_offset", "_event_time")]
    return {"_place": F.struct(*parts).cast(PLACE)}


def lower_stage(shape: Shape, frame: DataFrame, lowering: Lowering) -> Stage:
    """The streaming part of a stateful node."""
    number = lowering.number(shape.node)
    origin = names.ORIGIN if all(name in frame.columns for name in names.ORIGIN) else ()
    routed = _prepared(shape, frame, lowering)
    layout = layout_of(shape, lowering, number, origin)
    results = shape.results(_schema(routed.select(*map(column, layout.columns))))
    return Stage(number, _operated(routed, layout, lowering, shape), shape, results)


def layout_of(shape: Shape, lowering: Lowering, number: int, origin: Sequence[str] = ()) -> Layout:
    """What router and operator of a stateful node share."""
    settings = watermark_settings(shape.node, lowering)
    folding = shape.folding(settings) if shape.folding is not None else None
    run = lowering.run
    return Layout(
        number,
        shape.operator(settings),
        (*(name for name, _ in shape.wanted), *names.POSITION, names.HASH, *origin),
        run.buckets,
        run.bounded,
        known_partitions(shape.node, run.buckets, lowering),
        folding,
        watermarks=str(run.checkpoint / FOLDER / str(number)) if folding is not None else "",
        outgoing=shape.outgoing,
        hot=HotSettings(str(number), run.hot_size, run.hot_ttl, len(run.buckets)) if run.hot_size else None,
        keys=tuple(shape.keys),
    )


def _prepared(shape: Shape, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """Rows as the router takes them: what the operator reads, where a record stands, and where it goes."""
    from pyspark.sql import functions as F  # noqa: N812

    if PREVIOUS in frame.columns:
        frame = with_withdrawals(frame)
    position = shape.position or _fields_of_position(frame, shape.node.children)
    needed = [name for name in position.values() if name]
    fields = shape.node.children[0].fields if len(shape.node.children) == 1 else None
    kept = list(dict.fromkeys([*needed, shape.time, *CARRIED]))
    rows = compute(frame, shape.wanted, kept, fields, shape.keys if lowering.apart else ())
    hashed = F.xxhash64(*map(column, shape.keys)) if shape.keys else F.lit(0).cast("bigint")
    carried = [name for name in CARRIED if name in rows.columns and name not in _KEPT_BACK]
    return rows.select(
        *(column(name) for name, _ in shape.wanted),
        F.unix_micros(column(shape.time)).alias("_event_time"),
        *(_at(position, name, kind, rows).alias(name) for name, kind in _POSITION.items()),
        hashed.alias(names.HASH),
        F.pmod(hashed, F.lit(len(lowering.run.buckets))).cast("int").alias(names.BUCKET),
        *map(column, carried),
        F.when(_may_be_letter(rows), column(names.RECORD)).alias(names.RECORD),
    )


def _may_be_letter(rows: DataFrame) -> Column:
    """True where the record itself may be asked for: to write it for all would cost more than all else."""
    from pyspark.sql import functions as F  # noqa: N812

    status = column(names.STATUS)
    wrong = status.isNotNull() & ~status.isin(*names.NO_FAULT)
    late = F.coalesce(column("_late"), F.lit(True)) if "_late" in rows.columns else F.lit(True)
    return wrong | (status.isNull() & late)


def _fields_of_position(frame: DataFrame, inputs: Sequence[Node]) -> dict[str, str]:
    """The fields that say where a record stands; empty names where rows are no records any more."""
    found = dict.fromkeys(_POSITION, "")
    for child in inputs:
        for member in child.position:
            suffix = member.split(".")[-1]
            if suffix in found and member in frame.columns:
                found[suffix] = member
    return found


def position_of(frame: DataFrame, inputs: Sequence[Node]) -> dict[str, Column]:
    """Where the rows of inputs stand: source, partition and offset."""
    found = _fields_of_position(frame, inputs)
    return {name: _at(found, name, kind, frame) for name, kind in _POSITION.items()}


def _at(position: Mapping[str, str], name: str, kind: str, rows: DataFrame) -> Column:
    """Rows that are no records have no partition, and an order among themselves that does not depend on the run."""
    from pyspark.sql import functions as F  # noqa: N812

    if position[name]:
        return column(position[name]).cast(kind)
    if name == "_offset" and names.ORIGIN[0] in rows.columns:
        return F.xxhash64(column(names.ORIGIN[0]))
    return F.lit(None).cast(kind)


def _operated(routed: DataFrame, layout: Layout, lowering: Lowering, shape: Shape) -> DataFrame:
    """Router, control source and operator."""
    from velostream.spark.stateful.operator import StageProcessor
    from velostream.spark.stateful.router import router

    in_worker = shape.payloads(layout) if shape.payloads is not None else None
    if in_worker is None or lowering.run.replays:
        payloads = _with_clock(map_in_arrow(routed, router(layout), names.ROUTED))
        payloads = payloads if in_worker is None else payloads.unionByName(in_worker)
    else:
        payloads = in_worker
    if reads_sources(shape.node):
        payloads = payloads.unionByName(_commands(layout, lowering))
    keyed = payloads.groupBy(names.BUCKET)
    processor = StageProcessor(layout, _empty(routed, layout))
    return keyed.transformWithState(processor, names.EMITTED, outputMode="Update", timeMode="None")


def _with_clock(payloads: DataFrame) -> DataFrame:
    """What routers say with the clock of the micro-batch, which Spark keeps for a re-run of it.

    Spark writes the time into the code that it generates, so that each micro-batch would compile that anew; the body of
    a function over an array is evaluated as it stands.
    """
    from pyspark.sql import functions as F  # noqa: N812

    clock = F.transform(F.array(F.lit(0)), lambda _: F.unix_micros(F.current_timestamp()))
    now = F.element_at(clock, 1).cast("string")
    told = F.concat(F.lit('{"now": '), now, F.lit(", "), F.substring(F.col("facts"), 2, 1 << 30))
    return payloads.withColumn("facts", told)


def reads_sources(node: Node) -> bool:
    """True where records of a source reach the node without another stateful node in between."""
    return any(isinstance(child, Scan) or (not child.keeps_state and reads_sources(child)) for child in node.children)


def _commands(layout: Layout, lowering: Lowering) -> DataFrame:
    """What the control source says, to every bucket."""
    from pyspark.sql import functions as F  # noqa: N812

    from velostream.spark.stateful.control import open_control

    control = open_control(lowering.spark, lowering.run.checkpoint / CONTROL, f"control_{layout.stage}")
    return control.select(
        F.explode(F.array(*(F.lit(number) for number in layout.buckets))).alias(names.BUCKET),
        F.col("facts"),
        F.lit(None).cast("string").alias("kind"),
        F.lit(None).cast("binary").alias("payload"),
    )


def _empty(routed: DataFrame, layout: Layout) -> bytes:
    """A packed frame without rows that has the columns and types of the operator's input."""
    import polars as pl

    from velostream.spark.stateful.payload import pack

    wanted = routed.select(*(column(name) for name in (*layout.columns, names.RECORD)))
    empty = pl.from_arrow(_schema(wanted).empty_table())
    assert isinstance(empty, pl.DataFrame)
    return pack(empty)


def _schema(frame: DataFrame) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema, timezone="UTC")
