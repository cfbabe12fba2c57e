"""Aggregate: what its groups and calls are called on the way to the window operator, and what its rows become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from velostream.durations import MILLISECOND
from velostream.plan.expression import Expression
from velostream.plan.nodes import Aggregate, JoinStreams
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.finishing import NOTHING, TIME, WHOLE, Made
from velostream.spark.lower.stage import Shape, Stage, lower_stage
from velostream.spark.lower.types import arrow_schema
from velostream.spark.lower.watermarks import below
from velostream.spark.lower.worker_scan import in_worker
from velostream.spark.stateful.layout import ORIGIN
from velostream.spark.stateful.outgoing import before_end, to_millisecond
from velostream.types import BIGINT
from velostream.windows.accumulators.base import Call, Sort
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.combining import combines
from velostream.windows.emission import emission
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.operator import Operator
from velostream.windows.rows.said import PREVIOUS
from velostream.windows.settings import Fill, OperatorSettings
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_CONDITION = "c0"
_NEWEST = "newest"
"""The newest event time of a group without a window, which is the event time of its rows."""
_MICROS = ("_window_start", "_window_end", "_watermark")


def lower_aggregate(node: Aggregate, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part; with `keeps_previous` its rows carry what they correct."""
    replaces = ORIGIN[1] in frame.columns and _can_replace(node)
    if not replaces:
        frame = frame.drop(*ORIGIN[1:])
    return lower_stage(shape_of(node, lowering, keeps_previous=keeps_previous, replaces=replaces), frame, lowering)


def shape_of(node: Aggregate, lowering: Lowering, *, keeps_previous: bool = False, replaces: bool = False) -> Shape:
    """What an aggregation asks of the common way; `replaces` where rows of its input are corrected."""
    names = _Names(node)
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
        | ({"_event_time": _NEWEST} if id(node) in lowering.timed else {}),
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


class _Names:
    """The short names under which keys, arguments and values travel.

    State is kept under the names of arguments and values: they say what is computed, not where it stands in the
    statement, so that an aggregate can be added before others without mixing their states up.
    """

    def __init__(self, node: Aggregate) -> None:
        self.wanted: list[tuple[str, Expression]] = []
        self.keys: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self.arguments: dict[Expression, str] = {}
        for index, key in enumerate(node.keys):
            self.keys[key.name] = f"k{index}"
            self.wanted.append((f"k{index}", key.expression))
        self.calls = [self._call(index, call) for index, call in enumerate(node.calls)]
        if node.window is None:
            self.calls.append(Call(_NEWEST, "max", ("_event_time",), (BIGINT,)))
        if node.emission.condition is not None:
            self.wanted.append((_CONDITION, node.emission.condition))

    def _call(self, index: int, call: Any) -> Call:
        order = tuple(
            Sort(self._argument(term.expression), term.expression.type, term.descending, term.nulls_first)
            for term in call.order
        )
        made = Call(
            "",
            call.accumulator,
            tuple(self._argument(each) for each in call.arguments),
            tuple(each.type for each in call.arguments),
            call.parameters,
            call.distinct,
            call.ignore_nulls,
            order,
            self._argument(call.where) if call.where is not None else "",
        )
        constants = tuple(each.__name__ if callable(each) else each for each in made.parameters)
        name = _named("v", replace(made, parameters=constants))
        self.values[call.name] = f"v{index}" if name in self.values.values() else name
        return replace(made, result=self.values[call.name])

    def _argument(self, expression: Expression) -> str:
        if expression not in self.arguments:
            name = _named("a", (expression.spark, expression.type))
            if name not in self.arguments.values():
                self.wanted.append((name, expression))
            self.arguments[expression] = name
        return self.arguments[expression]


def _named(kind: str, what: object) -> str:
    return kind + blake2b(repr(what).encode(), digest_size=6).hexdigest()


def _results(schema: pa.Schema, settings: OperatorSettings, names: _Names) -> pa.Schema:
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


def _made(node: Aggregate, names: _Names, settings: OperatorSettings) -> dict[str, Made]:
    """The fields of the node, from the results of the operator."""
    made = {name: Made(source) for name, source in (*names.keys.items(), *names.values.items())}
    made |= {name: Made(name, TIME) for name in _MICROS}
    made["_event_time"] = Made("_window_end", TIME, -MILLISECOND) if node.windowed else Made(_NEWEST, TIME)
    made["_revision"] = Made("_revision", WHOLE)
    made["_filled"] = Made("_filled") if settings.fill is not None else Made(turn=NOTHING)
    made["_emission"] = Made("_emission")
    if settings.assigner.name == "SESSION":
        made["closed_by"] = Made("closed_by")
    if "_event_count" in settings.aggregation.results:
        made["_event_count"] = Made("_event_count")
    return made


def settings_of(node: Aggregate, names: _Names | None = None) -> OperatorSettings:
    """What the operator of an aggregation goes by; what it cannot do is refused."""
    names = names or _Names(node)
    asked = node.emission
    changes = asked.mode == "CHANGES"
    return OperatorSettings(
        tuple(names.keys.values()),
        tuple(names.calls),
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
        lateness=Lateness(node.lateness.allowed, LateStrategy(node.lateness.strategy)),
        ttl=node.state_ttl,
        fill=None if node.fill == "none" else Fill(node.fill),
        meanings={name: str(expression) for name, expression in names.wanted},
    )
