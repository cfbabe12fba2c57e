"""OrderLimit: ORDER BY and LIMIT, per time window, over input that ends, or as the end of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.nodes.base import Node, needs_for_state, window_bounds
from velostream.plan.nodes.order import Order

PER_WINDOW = "window"
BOUNDED = "bounded"
STOPS = "stops"
CONSOLE = "console"
SCOPES = (PER_WINDOW, BOUNDED, STOPS, CONSOLE)


@dataclass(frozen=True)
class OrderLimit(Node):
    """What `scope` says: over all groups of a `window`; once over `bounded` input; a LIMIT that `stops` the job after n
    rows; an order that the `console` shows anew with every change."""

    input: Node
    order: tuple[Order, ...] = ()
    limit: int | None = None
    scope: str = BOUNDED

    stateful: ClassVar[bool] = True

    def check(self) -> None:
        """There is an order or a limit, and a scope in which it means something."""
        self.require(self.input.fields, *self.expressions)
        if not self.order and self.limit is None:
            raise self.refuse("neither an order nor a limit")
        if self.limit is not None and self.limit < 0:
            raise self.refuse(f"LIMIT {self.limit} is below zero")
        if self.scope not in SCOPES:
            raise self.refuse(f"scope '{self.scope}' is not known")
        if self.scope == PER_WINDOW and not self.input.windowed:
            raise self.refuse("its rows belong to no window")
        if self.scope == BOUNDED and not self.input.bounded:
            raise self.refuse("its input does not end", "add a WINDOW")
        if self.scope == STOPS and (self.order or self.limit is None):
            raise self.refuse("only a LIMIT without an order ends a job")

    def derive(self) -> Fields:
        """Those of the input."""
        return self.input.fields

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The order."""
        return tuple(term.expression for term in self.order)

    @property
    def route(self) -> tuple[str, ...]:
        """All groups of a window meet."""
        return window_bounds(self.input) if self.scope == PER_WINDOW else ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Windows, times and identity of the input's rows."""
        bounds = window_bounds(self.input) if self.scope == PER_WINDOW else ()
        return tuple(dict.fromkeys((*bounds, *needs_for_state(self.input))))
