"""Settings of sources and jobs as the specifications that nodes carry."""

from __future__ import annotations

from typing import Any

from velostream.plan.build.context import Building, value_of
from velostream.plan.emission import Emission, Lateness
from velostream.plan.expression import Expression
from velostream.plan.time import EventTime, Watermark
from velostream.validation.bound import BoundEmission, BoundSelect, BoundSource


def event_time_of(source: BoundSource, settings: Any, job: Any) -> EventTime:
    """Where the event time of a source comes from; `WATERMARK ts DELAY OF d` names the column too."""
    return EventTime(
        column=source.delay_column or str(value_of(settings, "event.time.field", "")),
        format=str(value_of(settings, "event.time.format", "auto")),
        zone=str(value_of(settings, "event.time.zone", "UTC")),
        fallback=str(value_of(settings, "event.time.fallback", "dead_letter")),
        max_clock_skew=value_of(settings, "event.time.max_clock_skew"),
        semantics=str(value_of(job, "time.semantics", "event")),
    )


def watermark_of(source: BoundSource, settings: Any, job: Any, punctuation: Expression | None) -> Watermark:
    """How the watermark of a source follows its events."""
    delay = source.delay if source.delay is not None else value_of(settings, "watermark.max_out_of_orderness", 0)
    strategy = str(value_of(settings, "watermark.strategy", "bounded_out_of_orderness"))
    return Watermark(
        strategy=strategy,
        out_of_orderness=0 if strategy == "ascending" else int(delay),
        idle_timeout=value_of(settings, "watermark.idle_timeout"),
        emit_interval=int(value_of(job, "watermark.emit_interval", 1_000_000)),
        scope=str(value_of(settings, "watermark.scope", "partition")),
        partitions=value_of(settings, "partitions"),
        punctuation=punctuation,
    )


def lateness_of(select: BoundSelect, building: Building) -> Lateness:
    """How late records may be; ksqlDB's GRACE PERIOD says so too."""
    allowed = value_of(building.settings, "allowed.lateness", 0)
    if select.window is not None and select.window.grace is not None:
        allowed = select.window.grace
    return Lateness(int(allowed), str(value_of(building.settings, "late.data.strategy", "dead_letter")))


def emission_of(bound: BoundEmission | None, condition: Expression | None, *, windowed: bool) -> Emission:
    """When rows go out; `condition` is that of EMIT WHEN, over the fields that the plan has."""
    if bound is None:
        return Emission("FINAL" if windowed else "CHANGES")
    return Emission(
        bound.mode,
        bound.explicit,
        bound.granularity,
        bound.accumulation,
        bound.early,
        condition,
        bound.fallback,
        bound.every_count,
    )
