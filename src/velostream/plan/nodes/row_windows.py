"""RowWindows: functions over the rows around a row, OVER a partition (SPEC A4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from velostream.plan.emission import NO_LATENESS, Lateness
from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import Node, needs_for_state, revision_fields, route_by, window_bounds
from velostream.plan.nodes.order import Order
from velostream.types import Type

EVERY_RECORD = "EVERY RECORD"
BUFFER_FULL = "ON BUFFER FULL"


@dataclass(frozen=True, slots=True)
class Frame:
    """`ROWS|RANGE BETWEEN start AND end`: bounds count from the row, None is unbounded; RANGE counts microseconds."""

    unit: str = "ROWS"
    start: int | None = None
    end: int | None = 0

    def __str__(self) -> str:
        return f"{self.unit} BETWEEN {_bound(self.start, 'PRECEDING')} AND {_bound(self.end, 'FOLLOWING')}"

    @property
    def looks_ahead(self) -> bool:
        """True where rows after the row are in it."""
        return self.end is None or self.end > 0


@dataclass(frozen=True, slots=True)
class RowCall:
    """One function OVER the rows: the field it becomes, what computes it, what it is given."""

    name: str
    function: str
    type: Type
    accumulator: str = ""
    arguments: tuple[Expression, ...] = ()
    parameters: tuple[Any, ...] = ()
    frame: Frame = Frame()
    ignore_nulls: bool = False
    distinct: bool = False
    where: Expression | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All that it reads."""
        return (*self.arguments, *(() if self.where is None else (self.where,)))


@dataclass(frozen=True, slots=True)
class Buffer:
    """`ROWS WINDOW BUFFER n ROWS … EXPIRE AFTER d EMIT …`: memory per key is bounded by n."""

    rows: int
    expire_after: int | None = None
    emit: str = EVERY_RECORD


@dataclass(frozen=True)
class RowWindows(Node):
    """All calls that share a partition, an order and a buffer.

    Without a buffer a row goes out when the watermark has passed its event time, in event order, so that the result
    equals the batch query's. With one it goes out at arrival, over the last n rows by event time.
    `ttl` bounds how long a silent partition is remembered. `per_window` is True where a partition is part of a time
    window, so that it is complete when that closes.
    """

    input: Node
    calls: tuple[RowCall, ...]
    partition: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    buffer: Buffer | None = None
    lateness: Lateness = NO_LATENESS
    ttl: int | None = None
    per_window: bool = False

    stateful: ClassVar[bool] = True

    def check(self) -> None:
        """Everything reads fields of the input; a buffer holds a row at least."""
        self.require(self.input.fields, *self.expressions)
        if not self.calls:
            raise self.refuse("there is no call")
        if self.buffer is not None and self.buffer.rows < 1:
            raise self.refuse(f"a buffer of {self.buffer.rows} rows holds nothing")
        if self.buffer is not None and self.buffer.emit not in (EVERY_RECORD, BUFFER_FULL):
            raise self.refuse(f"EMIT {self.buffer.emit} is not known")

    def derive(self) -> Fields:
        """The input's fields, one for each call, and what tells corrections."""
        calls = (Field(call.name, call.type) for call in self.calls)
        return self.input.fields.plus(
            (*calls, *(revision_fields(self.input) if self.corrects or self.says_again else ()))
        )

    @property
    def corrects(self) -> bool:
        """True where a late row corrects others that nothing below corrects."""
        return (
            bool(self.lateness.allowed) and self.buffer is None and not self.input.revises and not self.input.windowed
        )

    @property
    def says_again(self) -> bool:
        """True where the row of a window goes out when that closes, and again when the row has come that LEAD asks."""
        leads = any(call.function == "LEAD" for call in self.calls)
        return leads and self.input.windowed and not self.per_window and self.buffer is None

    @property
    def revises(self) -> bool:
        """True where the input does, late rows are let in, or rows go out before LEAD has its answer."""
        return self.input.revises or self.corrects or self.says_again

    @property
    def position(self) -> tuple[str, ...]:
        """Rows that may be corrected are no records any more."""
        return () if self.revises else self.input.position

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Partition, order, arguments."""
        calls = (expression for call in self.calls for expression in call.expressions)
        return (*self.partition, *(term.expression for term in self.order), *calls)

    @property
    def spread(self) -> tuple[str, ...]:
        """By key."""
        return tuple(key.name for key in self.partition)

    @property
    def route(self) -> tuple[str, ...]:
        """The keys that stay."""
        return route_by(self.partition, self.input)

    @property
    def needs(self) -> tuple[str, ...]:
        """Times, order and identity of the input's rows, and the bounds of their windows."""
        bounds = window_bounds(self.input) if self.per_window else ()
        return tuple(dict.fromkeys((*needs_for_state(self.input), *bounds)))


def _bound(value: int | None, unbounded: str) -> str:
    if value is None:
        return f"UNBOUNDED {unbounded}"
    if value == 0:
        return "CURRENT ROW"
    return f"{abs(value)} {'PRECEDING' if value < 0 else 'FOLLOWING'}"
