"""Event time and watermarks of a source, as execution needs them (SPEC B1, B2). Lengths are microseconds."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.errors import InvalidPlan
from velostream.plan.expression import Expression

STRATEGIES = ("bounded_out_of_orderness", "ascending", "punctuated", "periodic")


@dataclass(frozen=True, slots=True)
class EventTime:
    """Where the event time of a record comes from.

    `column` is empty for the record time. A value that cannot be read is a dead letter, unless `fallback` is
    record_time or null; one that lies further ahead than `max_clock_skew` is a dead letter too. With `semantics`
    processing, the time is that of the batch.
    """

    column: str = ""
    format: str = "auto"
    zone: str = "UTC"
    fallback: str = "dead_letter"
    max_clock_skew: int | None = None
    semantics: str = "event"

    def __post_init__(self) -> None:
        if self.semantics not in ("event", "processing"):
            raise InvalidPlan(f"time semantics '{self.semantics}' is neither event nor processing")
        if self.fallback not in ("dead_letter", "record_time", "null"):
            raise InvalidPlan(f"event time fallback '{self.fallback}' is not known")


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far event time is complete: per (source, partition), or per source.

    `partitions` is how many there will be where that is known. `punctuation` is the condition that marks a record as
    one that carries the watermark.
    """

    strategy: str = "bounded_out_of_orderness"
    out_of_orderness: int = 0
    idle_timeout: int | None = 60_000_000
    emit_interval: int = 1_000_000
    scope: str = "partition"
    partitions: int | None = None
    punctuation: Expression | None = None

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise InvalidPlan(f"watermark strategy '{self.strategy}' is not one of {', '.join(STRATEGIES)}")
        if self.scope not in ("partition", "source"):
            raise InvalidPlan(f"watermark scope '{self.scope}' is neither partition nor source")
        if self.strategy == "punctuated" and self.punctuation is None:
            raise InvalidPlan("a punctuated watermark needs a column or condition that marks it")
