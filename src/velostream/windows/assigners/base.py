"""What a window type is: the words of its SQL, and which windows hold a record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from velostream.durations import show
from velostream.errors import InvalidWindow

if TYPE_CHECKING:
    import polars as pl


class ParameterKind(Enum):
    """What an argument of a window is."""

    DURATION = "duration"
    COLUMN = "column"


@dataclass(frozen=True, slots=True)
class WindowParameter:
    """One argument of `WINDOW NAME(…)`.

    `words` are the keyword spellings (`SIZE 5s`, `ADVANCE BY 1s`); a positional one may also stand without a keyword,
    in the order of declaration. `builds` is true where the value goes to the class under the parameter's name; the
    others (the time column, a session's key, the ksqlDB grace period) belong to the statement.
    """

    name: str
    kind: ParameterKind = ParameterKind.DURATION
    required: bool = False
    positional: bool = True
    words: tuple[str, ...] = ()
    builds: bool = True


TIME = WindowParameter("time", ParameterKind.COLUMN, words=("TIME", "ON"), builds=False)
"""The leading time column: `TUMBLING(trade_time, 1m)`."""
OFFSET = WindowParameter("offset", positional=False, words=("OFFSET",))
"""Moves all bounds: `OFFSET 15m`, back with a minus."""
GRACE = WindowParameter("grace", positional=False, words=("GRACE PERIOD",), builds=False)
"""ksqlDB's word for the allowed lateness."""
RETENTION = WindowParameter("retention", positional=False, words=("RETENTION",), builds=False)
"""ksqlDB's word for how long closed windows can be looked up."""


class Assigner(Protocol):
    """A window type: frozen settings that refuse to exist when wrong, and answer which windows hold what.

    State holds *fragments*: partial aggregates of a group over a stretch `_start` to `_end` of event time that no
    window bound cuts. A record is folded into one fragment, however many windows hold it.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[WindowParameter, ...]]
    keyed: ClassVar[bool]
    """True where state is found by key and not by time."""
    moves: ClassVar[bool]
    """True where the bounds depend on the events of the key, so that a window that has spoken may cease to exist."""

    def place(self, rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """The rows with `_start` and `_end` widened to the fragment that each is folded into.

        Records come with both at their event time; fragments may come again, to be joined where they can be.
        """
        ...

    def windows(self, fragments: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Each fragment once per window that holds it, oldest window first, with `_window_start`, `_window_end` and
        `_closes_at`, the least watermark that closes the window."""
        ...

    def outlived(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """True where every window of a record, as if it were alone, had closed by the watermark `time`."""
        ...

    def missed(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """How many windows of a record had closed by then."""
        ...


def longest(assigner: Assigner) -> int | None:
    """How long a window of a type lasts at most; None where events may prolong it for ever."""
    found: int | None = getattr(assigner, "max" if assigner.keyed else "size", None)
    return found


def positive(window: str, **lengths: int) -> None:
    """Refuse lengths that no window can have."""
    for name, length in lengths.items():
        if length <= 0:
            message = f"{window} window has no extent: {name} is {show(length)}"
            raise InvalidWindow(message, hint=f"give its {name} more than zero, such as 1m")


def settings_of(assigner: Any) -> str:
    """The window as SQL shows it: `SLIDING(size 15m, advance 1m)`."""
    shown = []
    for parameter in assigner.parameters:
        value = getattr(assigner, parameter.name, None) if parameter.builds else None
        if value:
            shown.append(f"{parameter.name} {show(value)}")
    return f"{assigner.name}({', '.join(shown)})"
