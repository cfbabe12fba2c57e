"""Session windows: events of a key that follow one another within a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.durations import show
from velostream.errors import InvalidWindow
from velostream.windows import sessions
from velostream.windows.assigners.base import GRACE, RETENTION, TIME, ParameterKind, WindowParameter, positive

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Session:
    """`WINDOW SESSION(gap [, key] [, MAX d])`: two events whose distance is at most the gap are in one session.

    With MAX a session closes `max` after its start, and the next event begins a new one: a pure function of the sorted
    events of the key, so a late event may split the chain anew.
    """

    gap: int
    max: int | None = None
    offset: int = 0

    name: ClassVar[str] = "SESSION"
    aliases: ClassVar[tuple[str, ...]] = ("SESSIONS",)
    keyed: ClassVar[bool] = True
    moves: ClassVar[bool] = True
    parameters: ClassVar[tuple[WindowParameter, ...]] = (
        TIME,
        WindowParameter("gap", required=True, words=("GAP",)),
        WindowParameter("key", ParameterKind.COLUMN, words=("KEY", "PARTITION BY"), builds=False),
        WindowParameter("max", positional=False, words=("MAX",)),
        WindowParameter("offset", positional=False, words=("OFFSET",)),
        GRACE,
        RETENTION,
    )

    def __post_init__(self) -> None:
        positive("session", gap=self.gap)
        if self.offset:
            message = f"session window takes no OFFSET ({show(self.offset)}): its bounds come from the events"
            raise InvalidWindow(message, hint="leave OFFSET out, or use TUMBLING for bounds on the clock")
        if self.max is not None:
            positive("session", MAX=self.max)
            if self.max < self.gap:
                message = (
                    f"session window closes before its gap is over: MAX {show(self.max)} is below gap {show(self.gap)}"
                )
                raise InvalidWindow(message, hint="make MAX at least as long as the gap, or shorten the gap")

    def place(self, rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Neighbours become one fragment; with MAX every time stays its own, since chains may be cut anew."""
        return rows if self.max is not None else sessions.joined(rows, keys, self.gap)

    def windows(self, fragments: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """The session of each fragment."""
        return sessions.sessions(fragments, keys, self.gap, self.max)

    def outlived(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """True where a session of this event alone would be over; it may still belong to a longer one."""
        return event_time + (self.gap + 1 if self.max is None else min(self.gap + 1, self.max)) <= time

    def missed(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """One window, or none."""
        return self.outlived(event_time, time).cast(pl.Int64)
