"""RowWindows: functions OVER the rows around a row, each by the operator that its rows, order and frames ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import Frame as PlanFrame
from velostream.plan.nodes import RowCall as PlanCall
from velostream.plan.nodes import RowWindows
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.stage import Stage
from velostream.spark.lower.time_order import by_time
from velostream.spark.lower.watermarks import lateness_below, says_changes
from velostream.spark.lower.whole_rows import Answering, WholeRows
from velostream.windows.accumulators.base import Call
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.rows import (
    BufferOperator,
    CorrectedBuffer,
    CorrectingOver,
    Due,
    Emit,
    Frame,
    OverOperator,
    RowCall,
    RowFunction,
    RowSettings,
    Standing,
    StandingSettings,
    Unit,
    WholePartition,
)
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FUNCTIONS = {function.value: function for function in RowFunction}
_NUMBERED = (RowFunction.LAG, RowFunction.LEAD, RowFunction.NTH_VALUE, RowFunction.NTILE)
_MIRRORED = {RowFunction.LAG: RowFunction.LEAD, RowFunction.LEAD: RowFunction.LAG}


def lower_row_windows(node: RowWindows, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part; with `keeps_previous` its rows carry what they correct."""
    way = _way(node, derived="_origin" in frame.columns)
    rows = WholeRows(node, frame, lowering, corrects=way is not _as_it_goes)
    settings = replace(_settings(node, rows), keeps_previous=keeps_previous and way is not _as_it_goes)
    results = [(call.name, f"r{index}", call.type) for index, call in enumerate(node.calls)]

    def operator(watermark: WatermarkSettings) -> Callable[[Any], Any]:
        return way(node, replace(settings, watermark=watermark), rows)

    answering = Answering(operator, settings.partition, results, way is not _as_it_goes, settings.keeps_previous)
    return rows.lower(frame, lowering, answering)


Way = Callable[[RowWindows, RowSettings, WholeRows], Callable[[Any], Any]]


def _way(node: RowWindows, *, derived: bool) -> Way:
    """How rows are answered; `derived` ones come from a stateful node, and may be corrected."""
    if node.buffer is not None:
        return _standing if derived else _as_it_goes
    if node.per_window or not goes_with_time(node):
        return _standing
    if not (derived or node.revises):
        return _as_it_goes
    leads = any(call.function == RowFunction.LEAD.value for call in node.calls)
    moves = derived and not node.input.windowed
    return _standing if leads or moves else _correcting


def goes_with_time(node: RowWindows) -> bool:
    """True where a row can be answered when the watermark has passed it."""
    complete = any(_FUNCTIONS[call.function].needs_all for call in node.calls if call.function in _FUNCTIONS)
    framed = [call for call in node.calls if _takes_frame(call)]
    ahead = any(call.frame.looks_ahead for call in framed)
    return by_time(node.input, node.order) and not complete and not ahead


def waits_for_end(node: RowWindows) -> bool:
    """True where rows are answered when the input ends, and not before."""
    whole = node.buffer is None and not node.per_window
    return whole and node.bounded and not goes_with_time(node)


def _takes_frame(call: PlanCall) -> bool:
    return call.function not in _FUNCTIONS or call.function.endswith("_VALUE")


def _as_it_goes(node: RowWindows, settings: RowSettings, rows: WholeRows) -> Callable[[Any], Any]:
    """Records that are never corrected: at arrival from a buffer, or behind the watermark."""
    return partial(BufferOperator if node.buffer is not None else OverOperator, replace(settings, whole=False))


def _correcting(node: RowWindows, settings: RowSettings, rows: WholeRows) -> Callable[[Any], Any]:
    """Behind the watermark, and again while lateness allows."""
    lateness = Lateness(node.lateness.allowed, settings.lateness.strategy)
    return partial(
        CorrectingOver, replace(settings, corrects=True, whole=False, lateness=lateness), rows.shown, rows.kind
    )


def _standing(node: RowWindows, settings: RowSettings, rows: WholeRows) -> Callable[[Any], Any]:
    """As a whole: at the close of a window, at the end of the input, or with every change."""
    whole = replace(settings, corrects=True, whole=node.buffer is None)
    due = Due.AT_ONCE
    if node.per_window:
        due = Due.AT_CLOSE
    elif waits_for_end(node):
        due = Due.AT_FLUSH
    standing = StandingSettings(
        WholePartition(whole) if node.buffer is None else CorrectedBuffer(whole),
        rows.shown,
        whole.partition,
        due,
        rows.end,
        rows.kind,
        changes=node.per_window and says_changes(node),
        withdraws=node.revises,
        keeps_previous=settings.keeps_previous,
        ttl=settings.lasts if due is Due.AT_ONCE else None,
        lateness=Lateness(max(node.lateness.allowed, lateness_below(node)), settings.lateness.strategy),
        watermark=settings.watermark,
    )
    return partial(Standing, standing)


def _settings(node: RowWindows, rows: WholeRows) -> RowSettings:
    timely = by_time(node.input, node.order)
    buffer = node.buffer
    calls = {f"r{index}": call for index, call in enumerate(node.calls)}
    return RowSettings(
        tuple(rows.add(key) for key in node.partition),
        tuple(_call(name, call, rows) for name, call in calls.items() if call.function in _FUNCTIONS),
        tuple(_aggregate(name, call, rows) for name, call in calls.items() if call.function not in _FUNCTIONS),
        frames={name: _frame(call.frame) for name, call in calls.items() if _takes_frame(call)},
        order=rows.sorts(node.order[1:] if timely else node.order),
        by_time=timely or not node.order,
        buffer=None if buffer is None else buffer.rows,
        expire_after=None if buffer is None else buffer.expire_after,
        emit=Emit.EVERY_RECORD if buffer is None else Emit(buffer.emit),
        whole=True,
        ttl=node.ttl,
        lateness=Lateness(0, _strategy(node, rows)),
    )


def _strategy(node: RowWindows, rows: WholeRows) -> LateStrategy:
    """What becomes of rows that are too late; what windows below do with late records, rows of windows cannot."""
    strategy = LateStrategy(node.lateness.strategy)
    return LateStrategy.DEAD_LETTER if rows.derived and strategy is not LateStrategy.DROP else strategy


def _call(name: str, call: PlanCall, rows: WholeRows) -> RowCall:
    function = _FUNCTIONS[call.function]
    number = int(call.parameters[0]) if function in _NUMBERED and call.parameters else 1
    if number < 0 and function in _MIRRORED:
        function, number = _MIRRORED[function], -number
    arguments = [rows.add(argument) for argument in call.arguments]
    default = arguments[1] if len(arguments) > 1 else ""
    return RowCall(name, function, arguments[0] if arguments else "", number, default, call.ignore_nulls)


def _aggregate(name: str, call: PlanCall, rows: WholeRows) -> Call:
    return Call(
        name,
        call.accumulator or call.function.casefold(),
        tuple(rows.add(argument) for argument in call.arguments),
        tuple(argument.type for argument in call.arguments),
        call.parameters,
        call.distinct,
        call.ignore_nulls,
        where=rows.add(call.where) if call.where is not None else "",
    )


def _frame(frame: PlanFrame) -> Frame:
    return Frame(Unit.ROWS if frame.unit == "ROWS" else Unit.RANGE, frame.start, frame.end)
