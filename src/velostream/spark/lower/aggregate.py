"""Aggregate: its way through the window operator, and what its rows become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from velostream.durations import MILLISECOND
from velostream.plan.nodes import Aggregate, JoinStreams
from velostream.spark.lower.aggregation import NEWEST, Names, settings_of
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.finishing import NOTHING, TIME, WHOLE, Made
from velostream.spark.lower.stage import Shape, Stage, lower_stage
from velostream.spark.lower.types import arrow_schema
from velostream.spark.lower.watermarks import below
from velostream.spark.lower.worker_scan import in_worker
from velostream.spark.stateful.layout import ORIGIN
from velostream.spark.stateful.outgoing import before_end, to_millisecond
from velostream.windows.combining import combines
from velostream.windows.operator import Operator
from velostream.windows.rows.said import PREVIOUS
from velostream.windows.settings import OperatorSettings
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_MICROS = ("_window_start", "_window_end", "_watermark")


def lower_aggregate(node: Aggregate, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part; with `keeps_previous` its rows carry what they correct."""
    replaces = ORIGIN[1] in frame.columns and _can_replace(node)
    if not replaces:
        frame = frame.drop(*ORIGIN[1:])
    return lower_stage(shape_of(node, lowering, keeps_previous=keeps_previous, replaces=replaces), frame, lowering)


def shape_of(node: Aggregate, lowering: Lowering, *, keeps_previous: bool = False, replaces: bool = False) -> Shape:
    """What an aggregation asks of the common way; `replaces` where rows of its input are corrected."""
    names = Names(node)
    settings = replace(settings_of(node, names), keeps_previous=keeps_previous, replaces=replaces)

    def with_watermark(watermark: WatermarkSettings) -> OperatorSettings:
        return replace(settings, watermark=watermark)

    def operator(watermark: WatermarkSettings) -> Callable[[Any], Operator]:
        return partial(Operator, with_watermark(watermark))

    time = node.window.time if node.window is not None else None
    made = _made(node, names, settings)
    return Shape(
        node,
        names.wanted,
        tuple(names.keys.values()),
        operator,
        lambda schema: _results(schema, settings, names),
        lambda rows: {name: each.column() for name, each in made.items()},
        time.name if time is not None and time.is_field else node.input.time,
        (*names.keys.values(), *_window_identity(node)),
        {**names.values, "_event_count": "_event_count"}
        | {name: name for name in settings.moving}
        | ({"_event_time": "_window_end"} if settings.moving else {})
        | ({"_event_time": NEWEST} if id(node) in lowering.timed else {}),
        with_watermark if combines(settings) else None,
        _outgoing(node),
        payloads=in_worker(node, names.wanted, tuple(names.keys.values()), lowering) if combines(settings) else None,
        made=made,
    )


def _can_replace(node: Aggregate) -> bool:
    """Discarding and update_previous forget what went out; validation allows them over rows that are not revised.

    An inner join takes back what it said only where its rows are corrected; all others may, if only after a flush.
    """
    forgets = node.emission.accumulation == "discarding" or node.lateness.strategy == "update_previous"
    sure = (isinstance(each, JoinStreams) and each.kind == "INNER" and not each.revises for each in below(node))
    return not forgets and not all(sure)


def _window_identity(node: Aggregate) -> tuple[str, ...]:
    if node.window is None:
        return ()
    return ("_window_start", "_window_end") if node.window.name == "CUMULATE" else ("_window_start",)


def _outgoing(node: Aggregate) -> Callable[[int], int]:
    """The event time that no row still to come lies below: a window that closes later ends after the watermark."""
    if node.window is None:
        return int
    lengths = (getattr(node.window.assigner, name, 0) for name in ("size", "advance", "step", "offset"))
    aligned = not node.window.assigner.keyed and all(length % MILLISECOND == 0 for length in lengths)
    return to_millisecond if aligned else before_end


def _results(schema: pa.Schema, settings: OperatorSettings, names: Names) -> pa.Schema:
    """What the operator answers with."""
    import pyarrow as pa

    keys = [schema.field(name) for name in names.keys.values()]
    values = [arrow_schema(((name, kind),)).field(0) for name, kind in settings.aggregation.results.items()]
    times = [pa.field(name, pa.int64()) for name in ("_window_start", "_window_end", "_revision", "_watermark")]
    more = [pa.field("_emission", pa.string())]
    more += [pa.field("closed_by", pa.string())] if settings.assigner.name == "SESSION" else []
    more += [pa.field("_filled", pa.bool_())] if settings.fill is not None else []
    said = [*values, *(field for field in (*times, *more) if field.name in settings.moving)]
    more += [pa.field(PREVIOUS, pa.struct(said))] if settings.keeps_previous else []
    return pa.schema([*keys, *values, *times, *more])


def _made(node: Aggregate, names: Names, settings: OperatorSettings) -> dict[str, Made]:
    """The fields of the node, from the results of the operator."""
    made = {name: Made(source) for name, source in (*names.keys.items(), *names.values.items())}
    made |= {name: Made(name, TIME) for name in _MICROS}
    made["_event_time"] = Made("_window_end", TIME, -MILLISECOND) if node.windowed else Made(NEWEST, TIME)
    made["_revision"] = Made("_revision", WHOLE)
    made["_filled"] = Made("_filled") if settings.fill is not None else Made(turn=NOTHING)
    made["_emission"] = Made("_emission")
    if settings.assigner.name == "SESSION":
        made["closed_by"] = Made("closed_by")
    if "_event_count" in settings.aggregation.results:
        made["_event_count"] = Made("_event_count")
    return made
