"""What a row window is: partition, frame, buffer, and the functions over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from velostream.durations import LONGEST, show
from velostream.errors import InvalidWindow
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Call, Sort
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.statistics import STATE_TTL
from velostream.windows.watermark import WatermarkSettings

BUFFER_EXPIRED = "buffer_expired"


class RowFunction(Enum):
    """The functions that look at rows around a row; any aggregate may stand beside them."""

    LAG = "LAG"
    LEAD = "LEAD"
    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
    PERCENT_RANK = "PERCENT_RANK"
    CUME_DIST = "CUME_DIST"
    NTILE = "NTILE"
    FIRST_VALUE = "FIRST_VALUE"
    LAST_VALUE = "LAST_VALUE"
    NTH_VALUE = "NTH_VALUE"

    @property
    def needs_all(self) -> bool:
        """True where the answer depends on how many rows there are in all."""
        return self in (RowFunction.PERCENT_RANK, RowFunction.CUME_DIST, RowFunction.NTILE)


@dataclass(frozen=True, slots=True)
class RowCall:
    """One function: `result` names its column. `number` is the distance of LAG and LEAD, the n of NTH_VALUE and NTILE.

    `default` is the column that LAG and LEAD fall back to. With `ignore_nulls` rows without a value are passed over.
    """

    result: str
    function: RowFunction
    column: str = ""
    number: int = 1
    default: str = ""
    ignore_nulls: bool = False

    def __post_init__(self) -> None:
        if self.number < 1:
            message = f"{self.function.value} takes a number of at least 1, not {self.number}"
            raise InvalidWindow(message, hint="count from 1", code="row-window")


class Unit(Enum):
    """What the bounds of a frame count: rows, or microseconds of event time (with all rows of the same time)."""

    ROWS = "rows"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class Frame:
    """`BETWEEN … PRECEDING AND …`: distances from the current row, negative before it; None is unbounded."""

    unit: Unit = Unit.RANGE
    start: int | None = None
    end: int | None = 0

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.start > self.end:
            message = (
                f"the frame begins {self.start} and ends {self.end} from the current row: it ends before it begins"
            )
            raise InvalidWindow(message, hint="put the earlier bound first", code="row-window")


class Emit(Enum):
    """When a buffer speaks: on every record, or once it is full."""

    EVERY_RECORD = "EVERY RECORD"
    ON_BUFFER_FULL = "ON BUFFER FULL"


@dataclass(frozen=True)
class RowSettings:
    """`OVER (…)`. With `buffer` it is the form that answers from the last n rows; without, standard OVER.

    Rows are in event order: event time, then `order`, then source, partition and offset. With `by_time` false `order`
    alone decides, which needs a buffer or rows that are all known (`whole`). `frames` are those of single results,
    `frame` that of all others; None is the whole buffer, or all rows up to the current one and its peers.

    With `corrects` rows have an origin and may be replaced or withdrawn; so do answers, as long as lateness allows.
    """

    partition: tuple[str, ...]
    calls: tuple[RowCall, ...] = ()
    aggregates: tuple[Call, ...] = ()
    frame: Frame | None = None
    frames: Mapping[str, Frame] = field(default_factory=dict)
    order: tuple[Sort, ...] = ()
    by_time: bool = True
    buffer: int | None = None
    expire_after: int | None = None
    emit: Emit = Emit.EVERY_RECORD
    whole: bool = False
    corrects: bool = False
    keeps_previous: bool = False
    ttl: int | None = None
    watermark: WatermarkSettings = field(default_factory=WatermarkSettings)
    lateness: Lateness = field(default_factory=Lateness)

    def __post_init__(self) -> None:
        if self.buffer is None:
            self._refuse_standard()
        elif self.buffer < 1:
            raise _refusal(f"a buffer of {self.buffer} rows holds nothing", "give at least 1 ROWS")
        if self.expire_after is not None and self.expire_after <= 0:
            raise _refusal(f"EXPIRE AFTER {show(self.expire_after)} keeps nothing", "give a time such as 1m")
        if self.lateness.strategy not in (LateStrategy.DEAD_LETTER, LateStrategy.DROP):
            raise _refusal("a row window lets go of rows that are too late", "use dead_letter or drop")
        if self.lateness.allowed and not self.corrects:
            raise _refusal("rows that went out are not corrected", "leave out 'allowed.lateness'")

    def _refuse_standard(self) -> None:
        if not self.whole:
            self._refuse_incomplete()
        if self.expire_after is not None or self.emit is not Emit.EVERY_RECORD:
            raise _refusal("EXPIRE AFTER and EMIT belong to a buffer", "add ROWS WINDOW BUFFER n ROWS")

    def _refuse_incomplete(self) -> None:
        """What a stream that goes on for ever cannot answer."""
        needing = [call.function.value for call in self.calls if call.function.needs_all]
        if needing:
            message = f"{needing[0]} needs to know all rows, and a stream has no last one"
            raise _refusal(message, "use ROWS WINDOW BUFFER n ROWS, or a time window")
        if not self.by_time:
            raise _refusal("a stream has no other order than that of time", "use ROWS WINDOW BUFFER n ROWS")
        if any(frame.end is None or frame.end > 0 for frame, _, _ in self.framed):
            message = "a frame with FOLLOWING rows waits for rows that may never come"
            raise _refusal(message, "use ROWS WINDOW BUFFER n ROWS, or end the frame at CURRENT ROW")

    def frame_of(self, result: str) -> Frame:
        """The frame of a result."""
        whole = Frame(Unit.ROWS, None, None) if self.buffer is not None else Frame(Unit.RANGE, None, 0)
        return self.frames.get(result, self.frame or whole)

    @cached_property
    def framed(self) -> tuple[tuple[Frame, tuple[RowCall, ...], Aggregation], ...]:
        """All functions, those of one frame together."""
        frames = dict.fromkeys(self.frame_of(result) for result in self.results)
        return tuple(
            (
                frame,
                tuple(call for call in self.calls if self.frame_of(call.result) == frame),
                Aggregation(tuple(call for call in self.aggregates if self.frame_of(call.result) == frame)),
            )
            for frame in frames
        )

    @property
    def kind(self) -> str:
        """Which kind of row window it is: each keeps other state."""
        kind = "all rows" if self.whole else "OVER" if self.buffer is None else "a buffer of rows"
        return f"{kind}, corrected" if self.corrects else kind

    @property
    def lasts(self) -> int | None:
        """How long a silent partition is remembered. Rows of twice the age at which they expire are seen by none that
        comes up to once that late."""
        if self.expire_after is None:
            return self.ttl
        return min(2 * self.expire_after, self.ttl or LONGEST)

    @property
    def let_go_by(self) -> str:
        """Why rows of a silent partition are in no result."""
        return STATE_TTL if self.lasts == self.ttl else BUFFER_EXPIRED

    @property
    def waits(self) -> bool:
        """True where rows are kept that are in no result yet: for a full buffer, or for the row that LEAD asks for."""
        return not self.corrects and (self.emit is Emit.ON_BUFFER_FULL or (self.buffer is None and bool(self.leads)))

    @property
    def leads(self) -> tuple[RowCall, ...]:
        """The functions that wait for later rows."""
        return tuple(call for call in self.calls if call.function is RowFunction.LEAD)

    @property
    def results(self) -> list[str]:
        """The columns that are added."""
        return [*(call.result for call in self.calls), *(call.result for call in self.aggregates)]


def _refusal(message: str, hint: str) -> InvalidWindow:
    return InvalidWindow(message, hint=hint, code="row-window")
