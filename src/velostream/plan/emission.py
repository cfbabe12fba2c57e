"""When a stateful node sends rows, and what becomes of late ones (SPEC B4 to B6, B12). Lengths are microseconds."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.errors import InvalidPlan
from velostream.plan.expression import Expression

FINAL = "FINAL"
CHANGES = "CHANGES"
REOPENING = ("process_all", "process_with_warning")
LATE_STRATEGIES = ("dead_letter", "drop", *REOPENING, "include_in_next", "update_previous")


@dataclass(frozen=True, slots=True)
class Emission:
    """EMIT: FINAL or CHANGES, and what comes before the close. `explicit` is False where the default holds."""

    mode: str = FINAL
    explicit: bool = False
    granularity: str = "record"
    accumulation: str = "accumulating"
    early: int | None = None
    condition: Expression | None = None
    fallback: int | None = None
    every_count: int | None = None

    def __post_init__(self) -> None:
        if self.mode not in (FINAL, CHANGES):
            raise InvalidPlan(f"emission '{self.mode}' is neither FINAL nor CHANGES")
        if self.granularity not in ("record", "batch"):
            raise InvalidPlan(f"emission granularity '{self.granularity}' is neither record nor batch")
        if self.accumulation not in ("accumulating", "discarding", "retracting"):
            raise InvalidPlan(f"emission accumulation '{self.accumulation}' is not known")
        if self.mode == CHANGES and (self.has_early_rows or self.accumulation == "discarding"):
            raise InvalidPlan("EMIT CHANGES excludes early rows, conditions, counts and discarding")

    @property
    def has_early_rows(self) -> bool:
        """True where rows go out before a window closes."""
        return any((self.early, self.condition, self.fallback, self.every_count))


DEFAULT_EMISSION = Emission()


@dataclass(frozen=True, slots=True)
class Lateness:
    """How long after its end a window is kept for late records, and what becomes of those that come later still.

    `flushed` says that a flush has been, so that windows may have fired before their end.
    """

    allowed: int = 0
    strategy: str = "dead_letter"
    flushed: bool = False

    def __post_init__(self) -> None:
        if self.strategy not in LATE_STRATEGIES:
            raise InvalidPlan(f"late data strategy '{self.strategy}' is not one of {', '.join(LATE_STRATEGIES)}")
        if self.allowed < 0:
            raise InvalidPlan("allowed lateness is below zero")

    @property
    def corrects(self) -> bool:
        """True where a window that fired may fire again."""
        return self.allowed > 0 or self.flushed or self.strategy in (*REOPENING, "update_previous")


NO_LATENESS = Lateness()
