"""How explain puts things into words: durations, lists of columns, windows, watermarks, emission."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.durations import show
from velostream.plan.emission import CHANGES, Emission, Lateness
from velostream.plan.nodes import Aggregate, AggregateCall, Column, Frame, RowCall, Window
from velostream.plan.time import EventTime, Watermark


def listed(parts: Iterable[object], otherwise: str = "") -> str:
    """`a, b, c`."""
    return ", ".join(map(str, parts)) or otherwise


def column_text(column: Column) -> str:
    """`name = expression`, or the name alone where it goes through as it is, or says itself what it is."""
    text = str(column.expression)
    return column.name if column.name == text else f"{column.name} = {text}"


def call_text(call: AggregateCall) -> str:
    """A call as its name says it; what stands under another name is shown with it."""
    inner = f"{call.function}({listed(call.arguments)})"
    return f"{call.name} = {inner}" if call.system else call.name


def row_call_text(call: RowCall) -> str:
    """A call OVER rows, with its frame where it has one that matters."""
    return f"{call.name} {call.frame}" if call.accumulator and call.frame != Frame("RANGE", None, 0) else call.name


def window_text(window: Window, event_time: str) -> str:
    """`TUMBLING(1m)`, and the time it goes by where that is not the event time."""
    parts = []
    for parameter in window.assigner.parameters:
        value = getattr(window.assigner, parameter.name, None) if parameter.builds else None
        if value:
            parts.append(show(value) if parameter.positional else f"{parameter.words[0]} {show(value)}")
    text = f"{window.name}({', '.join(parts)})"
    return text if window.time.name == event_time else f"{text} on {window.time}"


def event_time_text(time: EventTime) -> str:
    """Where event time comes from, and what happens to what cannot be read."""
    if time.semantics == "processing":
        return "time of arrival (processing time)"
    if not time.column:
        return "record time"
    parts = [time.format, time.zone]
    parts.append({"dead_letter": "else a dead letter", "null": "else NULL"}.get(time.fallback, "else the record time"))
    if time.max_clock_skew is not None:
        parts.append(f"at most {show(time.max_clock_skew)} ahead")
    return f"{time.column} ({listed(parts)})"


def watermark_text(watermark: Watermark) -> str:
    """How far behind the events it is, over what, and when a partition stops holding it."""
    behind = f"{show(watermark.out_of_orderness)} behind the newest event"
    text = {
        "bounded_out_of_orderness": behind,
        "ascending": "at the newest event",
        "punctuated": f"where {watermark.punctuation}",
        "periodic": f"{behind}, by the clock",
    }[watermark.strategy]
    over = "of each partition" if watermark.scope == "partition" else "of the whole source"
    if watermark.partitions is not None:
        over += f" ({watermark.partitions} partitions)"
    idle = "never idle" if watermark.idle_timeout is None else f"idle after {show(watermark.idle_timeout)}"
    return f"{text} {over}, {idle}"


def emission_text(node: Aggregate) -> str:
    """When rows go out."""
    emission = node.emission
    chosen = "" if emission.explicit else " (default)"
    if emission.mode == CHANGES:
        each = "a row for each record" if emission.granularity == "record" else "the newest value per batch"
        return f"CHANGES{chosen}: {each}{_accumulation(emission)}"
    close = "when the watermark passes its end" if node.window is not None else "at the end of input or on a flush"
    return f"FINAL{chosen}: {close}{_before(emission)}{_accumulation(emission)}"


def _before(emission: Emission) -> str:
    parts = []
    if emission.early is not None:
        parts.append(f"early every {show(emission.early)}")
    if emission.condition is not None:
        parts.append(f"at once when {emission.condition}")
    if emission.fallback is not None:
        parts.append(f"else every {show(emission.fallback)}")
    if emission.every_count is not None:
        parts.append(f"every {emission.every_count} rows")
    return "".join(f", {part}" for part in parts)


def _accumulation(emission: Emission) -> str:
    return "" if emission.accumulation == "accumulating" else f", {emission.accumulation}"


def lateness_text(lateness: Lateness) -> str:
    """How long late records are taken, and what becomes of later ones."""
    kept = f"{show(lateness.allowed)} after its end" if lateness.allowed else "none allowed"
    return f"{kept}, then {lateness.strategy}"


def ttl_text(ttl: int | None) -> str:
    """How long state without a window is kept."""
    return "kept for ever" if ttl is None else f"kept {show(ttl)} after the last record"
