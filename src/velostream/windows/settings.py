"""What a windowed statement asks of the operator, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from velostream.errors import EmissionConflict, InvalidPlan, InvalidWindow
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call
from velostream.windows.assigners.base import settings_of
from velostream.windows.dedup import DedupSettings
from velostream.windows.emission import Accumulation, Changes, Emission
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.root import Made
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    from velostream.windows.assigners import Assigner

EVENT_COUNT = "_event_count"


class Fill(Enum):
    """What the rows between say: zeros, the values before, or the way from the values before to those after."""

    ZERO = "zero"
    FORWARD = "forward"
    LINEAR = "linear"


@dataclass(frozen=True)
class OperatorSettings:
    """Keys, aggregates, windows, emission, time.

    `replaces` says that the rows come from a stream with revisions; `keeps_previous` that a row must carry the values
    of the row that it corrects, since something behind the operator (HAVING, another operator) depends on them.
    `meanings` says of columns what they are computed from, where their names do not say it: state that was kept for
    another meaning is refused.
    """

    keys: tuple[str, ...]
    calls: tuple[Call, ...]
    assigner: Assigner
    emission: Emission = field(default_factory=Emission)
    watermark: WatermarkSettings = field(default_factory=WatermarkSettings)
    lateness: Lateness = field(default_factory=Lateness)
    max_clock_skew: int | None = None
    dedup: DedupSettings | None = None
    ttl: int | None = None
    fill: Fill | None = None
    replaces: bool = False
    keeps_previous: bool = False
    meanings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken = [call.result for call in self.calls if call.result in self.keys or call.result.startswith("_")]
        if taken:
            hint = "name results otherwise than keys, and not with a leading underscore"
            raise InvalidPlan(f"result '{taken[0]}' of an aggregate is taken", hint=hint)
        if self.replaces and self.emission.accumulation is Accumulation.DISCARDING:
            message = "rows that replace earlier ones cannot be discarded once said"
            raise InvalidPlan(message, hint="use accumulating or retracting behind a stream with revisions")
        previous = self.lateness.strategy is LateStrategy.UPDATE_PREVIOUS
        if previous and (self.replaces or isinstance(self.emission.mode, Changes)):
            what = "rows that replace earlier ones" if self.replaces else "EMIT CHANGES"
            message = f"'update_previous' corrects the last closed window of a key, which {what} cannot know"
            raise InvalidPlan(message, hint="use dead_letter, drop or process_all", code="late-strategy")
        if self.fill is not None and self.assigner.name not in ("TUMBLING", "SLIDING"):
            message = f"'fill' has no windows to fill between those of {self.assigner.name}"
            raise InvalidWindow(message, hint="use TUMBLING or SLIDING, or leave 'fill' out")
        if self.fill is not None and isinstance(self.emission.mode, Changes):
            raise EmissionConflict("'fill' speaks when windows close, and EMIT CHANGES does not", hint="use EMIT FINAL")
        if self.assigner.moves and self.emission.accumulation is Accumulation.DISCARDING:
            message = "a session that moves withdraws its row, and 'discarding' has forgotten what was in it"
            raise EmissionConflict(message, hint="use accumulating or retracting with SESSION")

    @cached_property
    def aggregation(self) -> Aggregation:
        """The aggregates, and the number of events of a group, which every windowed row has."""
        return Aggregation((*self.calls, Call(EVENT_COUNT, "count")))

    @cached_property
    def made(self) -> Made:
        """What state of these settings is made for; all else about them may change while it is kept."""
        discards = self.emission.accumulation is Accumulation.DISCARDING
        fixed = {
            "operator": "aggregate",
            "window": settings_of(self.assigner),
            "keys": ", ".join(self.meanings.get(key, key) for key in self.keys),
            "input": "a stream with revisions" if self.replaces else "a stream of records",
            "accumulation": "discarding" if discards else "accumulating or retracting",
        }
        columns: dict[str, tuple[str, str]] = {}
        for cell in self.aggregation.cells:
            source = ", ".join(self.meanings.get(name, name) for name in cell.inputs)
            columns |= {name: (str(kind), source) for name, kind in cell.columns.items()}
        return Made(fixed, columns)

    @property
    def moving(self) -> tuple[str, ...]:
        """What else than values a correction may change about a row: how far a session goes, and what closed it."""
        return ("_window_end", "closed_by") if self.assigner.moves else ()

    @property
    def says_previous(self) -> bool:
        """True where the last values of every group that has spoken are kept."""
        retracting = self.emission.accumulation is Accumulation.RETRACTING
        return self.keeps_previous or retracting or self.assigner.keyed
