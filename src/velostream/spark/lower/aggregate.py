"""Aggregate: rows to the router, buckets to the operator, payloads back to rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.plan.nodes import Aggregate, Scan
from velostream.plan.nodes.base import Node
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.expressions import compute
from velostream.spark.lower.types import arrow_schema
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.layout import Layout
from velostream.windows.accumulators.base import Call, Sort
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.combining import combines
from velostream.windows.emission import emission
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.settings import OperatorSettings
from velostream.windows.watermark import Scope, Strategy, WatermarkSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WATERMARKS = "watermarks"
PREVIOUS = "_previous"
_CONDITION = "c0"
_MICROS = ("_window_start", "_window_end", "_watermark")


@dataclass(frozen=True)
class Stage:
    """A stateful node on Spark: the streaming frame of payloads, and how its results become rows."""

    frame: DataFrame
    results: Any
    """The Arrow schema of result payloads."""
    node: Aggregate
    keys: dict[str, str]
    values: dict[str, str]

    def rows(self, batch: DataFrame) -> DataFrame:
        """The rows of a micro-batch with the fields of the node."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.pandas.types import from_arrow_schema

        from velostream.spark.stateful.unpack import unpacker

        payloads = batch.filter(F.col("kind") == names.RESULT).select("payload")
        rows = payloads.mapInArrow(unpacker(self.results), from_arrow_schema(self.results))
        columns = []
        for member in self.node.fields:
            source = self.keys.get(member.name) or self.values.get(member.name)
            columns.append(self._column(member.name, source, rows).alias(member.name))
        if PREVIOUS in rows.columns:
            columns.append(self._previous().alias(PREVIOUS))
        return rows.select(*columns)

    def _previous(self) -> Any:
        """The values of the row that a row corrects, under the names of the plan."""
        from pyspark.sql import functions as F  # noqa: N812

        known = {**self.values, "_event_count": "_event_count"}
        fields = [F.col(f"{PREVIOUS}.{source}").alias(name) for name, source in known.items()]
        return F.when(F.col(PREVIOUS).isNotNull(), F.struct(*fields))

    def _column(self, name: str, source: str | None, rows: DataFrame) -> Any:
        from pyspark.sql import functions as F  # noqa: N812

        if source is not None:
            return column(source)
        if name in _MICROS:
            return F.timestamp_micros(column(name))
        if name == "_event_time":
            end = column("_window_end") if self.node.windowed else column("_watermark")
            return F.timestamp_micros(end - (1_000 if self.node.windowed else 0))
        if name == "_revision":
            return column(name).cast("int")
        return column(name) if name in rows.columns else F.lit(None).cast("boolean" if name == "_filled" else "string")


def lower_aggregate(node: Aggregate, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool = False) -> Stage:
    """The streaming part of a stateful node; with `keeps_previous` its rows carry what they correct."""
    from pyspark.sql import functions as F  # noqa: N812

    _refuse_unready(node, lowering)
    wanted, settings, keys, values = _wanted(node)
    settings = replace(settings, keeps_previous=keeps_previous)
    time = node.window.time if node.window is not None else None
    time_name = time.name if time is not None and time.is_field else node.input.time
    position = dict(zip(("_source", "_partition", "_offset"), _position(node.input), strict=True))
    carried = [*names_of(position), time_name, names.STATUS, names.DETAIL, names.MARK, names.RECORD]
    rows = compute(frame, wanted, [name for name in carried if name])
    prepared = [column(name) for name, _ in wanted]
    hashed = F.xxhash64(*(column(name) for name in keys.values())) if keys else F.lit(0).cast("bigint")
    routed = rows.select(
        *prepared,
        F.unix_micros(column(time_name)).alias("_event_time"),
        *(_at(position, name, kind).alias(name) for name, kind in _KINDS.items()),
        hashed.alias(names.HASH),
        F.pmod(hashed, F.lit(len(lowering.run.buckets))).cast("int").alias(names.BUCKET),
        F.unix_micros(F.current_timestamp()).alias(names.CLOCK),
        column(names.STATUS),
        column(names.DETAIL),
        column(names.MARK),
        column(names.RECORD),
    )
    columns = (*(name for name, _ in wanted), *names.POSITION, names.HASH)
    watermarks = str(lowering.run.checkpoint / WATERMARKS) if combines(settings) else ""
    known = _known(node)
    layout = Layout(settings, columns, lowering.run.buckets, lowering.run.bounded, known, watermarks=watermarks)
    stage = _operated(routed, layout, lowering)
    schema = _results(routed, settings, keys)
    return Stage(stage, schema, node, keys, values)


def _refuse_unready(node: Aggregate, lowering: Lowering) -> None:
    """What the operator knows and the query around it cannot give yet is refused, never ignored."""
    missing = ""
    if any(scan.watermark.strategy in ("punctuated", "periodic") for scan in _scans(node)):
        missing = "a punctuated or periodic watermark"
    elif (node.emission.early or node.emission.fallback) and not lowering.run.bounded:
        missing = "EMIT EARLY on input that does not end"
    if missing:
        hint = "velo explain shows the plan; --until-done runs bounded input"
        raise VeloError(f"{missing} cannot be run yet", hint=hint, code="unsupported")


_KINDS = {"_source": "string", "_partition": "int", "_offset": "bigint"}


def names_of(position: dict[str, str]) -> list[str]:
    """The fields that say where a record stands."""
    return [name for name in position.values() if name]


def _position(node: Node) -> tuple[str, str, str]:
    found = node.position
    if len(found) == 3:
        return found[0], found[1], found[2]
    return "", "", ""


def _at(position: dict[str, str], name: str, kind: str) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    return column(position[name]) if position[name] else F.lit(None).cast(kind)


def _operated(routed: DataFrame, layout: Layout, lowering: Lowering) -> DataFrame:
    """Router, control source and operator."""
    from pyspark.sql import functions as F  # noqa: N812

    from velostream.spark.stateful.control import ControlSource
    from velostream.spark.stateful.operator import WindowProcessor
    from velostream.spark.stateful.router import router

    payloads = routed.mapInArrow(router(layout), names.ROUTED)
    spark = lowering.spark
    spark.dataSource.register(ControlSource)
    reader = spark.readStream.name("control").format("velo_control")
    control = reader.option("folder", str(lowering.run.checkpoint / "control")).load()
    commands = control.select(
        F.explode(F.array(*(F.lit(number) for number in layout.buckets))).alias(names.BUCKET),
        F.col("facts"),
        F.lit(None).cast("string").alias("kind"),
        F.lit(None).cast("binary").alias("payload"),
    )
    keyed = payloads.unionByName(commands).groupBy(names.BUCKET)
    processor = WindowProcessor(layout, _empty(routed, layout))
    return keyed.transformWithState(processor, names.EMITTED, outputMode="Update", timeMode="None")


def _empty(routed: DataFrame, layout: Layout) -> bytes:
    """A packed frame without rows that has the columns and types of the operator's input."""
    import polars as pl
    from pyspark.sql.pandas.types import to_arrow_schema

    from velostream.spark.stateful.payload import pack

    wanted = routed.select(*(column(name) for name in (*layout.columns, names.RECORD)))
    empty = pl.from_arrow(to_arrow_schema(wanted.schema).empty_table())
    assert isinstance(empty, pl.DataFrame)
    return pack(empty)


def _results(routed: DataFrame, settings: OperatorSettings, keys: dict[str, str]) -> Any:
    """The Arrow schema of what the operator answers with."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    by_name = {field.name: field for field in to_arrow_schema(routed.select(*map(column, keys.values())).schema)}
    fields = [by_name[name] for name in keys.values()]
    for name, kind in settings.aggregation.results.items():
        fields.append(arrow_schema(((name, kind),)).field(0))
    times = [pa.field(name, pa.int64()) for name in ("_window_start", "_window_end", "_revision", "_watermark")]
    closed = [pa.field("closed_by", pa.string())] if settings.assigner.name == "SESSION" else []
    values = pa.struct([field for field in fields if field.name not in by_name])
    previous = [pa.field(PREVIOUS, values)] if settings.keeps_previous else []
    return pa.schema([*fields, *times, pa.field("_emission", pa.string()), *closed, *previous])


def _wanted(node: Aggregate) -> tuple[list[tuple[str, Any]], OperatorSettings, dict[str, str], dict[str, str]]:
    """The columns that the operator reads, its settings, and the names of keys and values on the way."""
    wanted: list[tuple[str, Any]] = []
    keys: dict[str, str] = {}
    for index, key in enumerate(node.keys):
        keys[key.name] = f"k{index}"
        wanted.append((f"k{index}", key.expression))
    arguments: dict[Any, str] = {}

    def argument(expression: Any) -> str:
        if expression not in arguments:
            arguments[expression] = f"a{len(arguments)}"
            wanted.append((arguments[expression], expression))
        return arguments[expression]

    calls: list[Call] = []
    values: dict[str, str] = {}
    for index, call in enumerate(node.calls):
        values[call.name] = f"v{index}"
        order = tuple(
            Sort(argument(term.expression), term.expression.type, term.descending, term.nulls_first)
            for term in call.order
        )
        calls.append(
            Call(
                f"v{index}",
                call.accumulator,
                tuple(argument(each) for each in call.arguments),
                tuple(each.type for each in call.arguments),
                call.parameters,
                call.distinct,
                call.ignore_nulls,
                order,
                argument(call.where) if call.where is not None else "",
            )
        )
    if node.emission.condition is not None:
        wanted.append((_CONDITION, node.emission.condition))
    return wanted, _settings(node, tuple(keys.values()), tuple(calls)), keys, values


def _settings(node: Aggregate, keys: tuple[str, ...], calls: tuple[Call, ...]) -> OperatorSettings:
    asked = node.emission
    changes = asked.mode == "CHANGES"
    return OperatorSettings(
        keys,
        calls,
        node.window.assigner if node.window is not None else Unbounded(),
        emission(
            asked.mode,
            windowed=node.windowed,
            granularity=asked.granularity if changes else None,
            early=asked.early,
            on=_CONDITION if asked.condition is not None else None,
            count=asked.every_count,
            fallback=asked.fallback,
            accumulation=asked.accumulation,
        ),
        _watermark(node),
        Lateness(node.lateness.allowed, LateStrategy(node.lateness.strategy)),
        _skew(node),
        ttl=node.state_ttl,
    )


def _scans(node: Node) -> list[Scan]:
    return [each for each in node.walk() if isinstance(each, Scan)]


def _watermark(node: Aggregate) -> WatermarkSettings:
    scans = _scans(node)
    specs = {scan.source: scan.watermark for scan in scans}
    first = next(iter(specs.values()))
    processing = any(scan.event_time.semantics == "processing" for scan in scans)
    return WatermarkSettings(
        first.out_of_orderness,
        {source: spec.out_of_orderness for source, spec in specs.items()},
        Strategy.PROCESSING if processing else Strategy(first.strategy),
        Scope(first.scope),
        first.idle_timeout,
        first.emit_interval,
    )


def _skew(node: Aggregate) -> int | None:
    skews = [scan.event_time.max_clock_skew for scan in _scans(node)]
    return min((skew for skew in skews if skew is not None), default=None)


def _known(node: Aggregate) -> dict[str, int]:
    return {scan.source: scan.watermark.partitions for scan in _scans(node) if scan.watermark.partitions is not None}
