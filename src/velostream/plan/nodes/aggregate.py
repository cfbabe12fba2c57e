"""Aggregate: groups of rows, in a time window or over all time, and the calls that sum them up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.plan.emission import CHANGES, DEFAULT_EMISSION, FINAL, NO_LATENESS, Emission, Lateness
from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import EVENT_TIME, WINDOW_END, WINDOW_START, Node, needs_for_state, replaces, route_by
from velostream.plan.nodes.order import Order
from velostream.plan.nodes.project import Column
from velostream.positions import Span
from velostream.types import TIMESTAMP, Type

ROW_COLUMNS = ("_emission", "_revision", "_watermark", "_event_count")
FILLS = ("none", "zero", "forward", "linear")


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """One aggregate: the field it becomes, the accumulator that computes it, and what that is given.

    `parameters` are the constants of the call in their order. `where` is FILTER. Where `merges` is False, the rows
    themselves must reach the operator.
    """

    name: str
    function: str
    accumulator: str
    type: Type
    arguments: tuple[Expression, ...] = ()
    parameters: tuple[Any, ...] = ()
    distinct: bool = False
    ignore_nulls: bool = False
    order: tuple[Order, ...] = ()
    where: Expression | None = None
    merges: bool = True
    system: bool = False
    span: Span | None = field(default=None, compare=False)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All that it reads."""
        extra = () if self.where is None else (self.where,)
        return (*self.arguments, *(term.expression for term in self.order), *extra)


@dataclass(frozen=True, slots=True)
class Window:
    """WINDOW: a window type's settings (velostream.windows.assigners), and the time that it goes by."""

    assigner: Any
    time: Expression
    retention: int | None = None

    @property
    def name(self) -> str:
        """The word of the window type."""
        return str(self.assigner.name)


@dataclass(frozen=True, slots=True)
class Combining:
    """Whether the router folds rows into partial aggregates before they are sent, and why."""

    before_shuffle: bool
    reason: str


@dataclass(frozen=True)
class Aggregate(Node):
    """`GROUP BY keys WINDOW …`: one row per group and window, when `emission` says so.

    Without a window a group lives until `state_ttl` (event time; None is for ever), and so does what gap filling and
    update_previous remember of a group beside its windows. `implicit` is True where the grouping was not written but
    taken from the plain columns of the select list.
    """

    input: Node
    keys: tuple[Column, ...]
    calls: tuple[AggregateCall, ...]
    window: Window | None = None
    emission: Emission = DEFAULT_EMISSION
    lateness: Lateness = NO_LATENESS
    state_ttl: int | None = None
    fill: str = "none"
    implicit: bool = False
    combining: Combining | None = None

    stateful: ClassVar[bool] = True

    def check(self) -> None:
        """Keys, arguments, window time and emission read fields of the input; a gap can be filled only in windows."""
        self.require(self.input.fields, *self.expressions)
        if self.emission.condition is not None:
            self.require_condition(self.input.fields, self.emission.condition)
        if self.window is not None and self.window.time.type.is_known and not self.window.time.type.is_time:
            raise self.refuse(f"'{self.window.time}' is {self.window.time.type}, not a time")
        for key in self.keys:
            if key.expression.type.name == "MAP":
                raise self.refuse(f"rows cannot be grouped by '{key.expression}', which is a MAP")
        if self.fill not in FILLS:
            raise self.refuse(f"gap filling '{self.fill}' is not one of {', '.join(FILLS)}")
        if self.fill != "none" and self.window is None:
            raise self.refuse("gaps can be filled only between time windows")
        if self.emission.accumulation == "discarding" and self.window is None:
            raise self.refuse("discarding needs a time window")

    def derive(self) -> Fields:
        """Keys, calls, and what a window adds."""
        keys = [Field(key.name, key.expression.type, key.system) for key in self.keys]
        calls = [Field(call.name, call.type, call.system) for call in self.calls]
        added = [Field(name, SYSTEM_COLUMNS[name].type, system=True) for name in self.added]
        return Fields((*keys, *calls, *added))

    @property
    def waits_for_end(self) -> bool:
        """True where rows go out only at the end of the input: EMIT FINAL without a window."""
        return self.window is None and self.emission.mode == FINAL and not self.static

    @property
    def added(self) -> tuple[str, ...]:
        """The system columns of its rows."""
        if self.window is None:
            return (EVENT_TIME, *ROW_COLUMNS)
        session = ("closed_by",) if self.window.name == "SESSION" else ()
        return (WINDOW_START, WINDOW_END, EVENT_TIME, *ROW_COLUMNS, "_filled", *session)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Keys, window time, arguments, and the condition that fires."""
        window = () if self.window is None else (self.window.time,)
        condition = () if self.emission.condition is None else (self.emission.condition,)
        calls = (expression for call in self.calls for expression in call.expressions)
        return (*(key.expression for key in self.keys), *window, *calls, *condition)

    @property
    def spread(self) -> tuple[str, ...]:
        """By key."""
        return tuple(key.expression.name for key in self.keys)

    @property
    def route(self) -> tuple[str, ...]:
        """The keys that stay."""
        return route_by((key.expression for key in self.keys), self.input)

    @property
    def needs(self) -> tuple[str, ...]:
        """Times, order and identity of the input's rows."""
        return needs_for_state(self.input)

    @property
    def replaces(self) -> tuple[str, ...]:
        """What finds the contribution that a revised input row replaces."""
        return replaces(self.input)

    @property
    def revises(self) -> bool:
        """True where a row of it may be corrected: changes, early rows, late data, after a flush, of which there may
        be several where no window ends."""
        if self.emission.mode == CHANGES or self.emission.has_early_rows or self.input.revises or self.lateness.flushed:
            return True
        return not self.bounded if self.window is None else self.lateness.corrects

    @property
    def identity(self) -> tuple[str, ...]:
        """The group and the window; windows that grow from one start differ by their end."""
        window: tuple[str, ...] = () if self.window is None else (WINDOW_START,)
        if self.window is not None and self.window.name == "CUMULATE":
            window = (WINDOW_START, WINDOW_END)
        return (*(key.name for key in self.keys), *window)

    @property
    def time(self) -> str:
        """The end of the window less a millisecond; without a window the newest event time of the group."""
        return EVENT_TIME

    @property
    def position(self) -> tuple[str, ...]:
        """Groups have none."""
        return ()

    @property
    def remembers(self) -> bool:
        """True where the last window of a group outlives its state: gaps are filled from it, or it is updated."""
        return self.window is not None and (self.fill != "none" or self.lateness.strategy == "update_previous")

    @property
    def windowed(self) -> bool:
        """True with a time window."""
        return self.window is not None


def window_time(expression: Expression) -> Expression:
    """The time of a window, which must be a TIMESTAMP for the operator."""
    return expression if expression.type.is_known else Expression(expression.tree, TIMESTAMP, expression.span)
