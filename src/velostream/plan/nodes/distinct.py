"""Distinct: equal rows go on once, per time window or for as long as state is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.plan.expression import reads
from velostream.plan.fields import Fields
from velostream.plan.nodes.base import Node, needs_for_state, route_by, window_bounds


@dataclass(frozen=True)
class Distinct(Node):
    """`SELECT DISTINCT`, `UNION`. With `per_window` it holds over all groups of a window, else until `ttl`."""

    input: Node
    per_window: bool = False
    ttl: int | None = None

    stateful: ClassVar[bool] = True

    def check(self) -> None:
        """There are columns to compare, and windows where it is per window."""
        if not self.input.fields.visible and not self.input.is_open:
            raise self.refuse("there is no column")
        if self.per_window and not self.input.windowed:
            raise self.refuse("its rows belong to no window")

    def derive(self) -> Fields:
        """Those of the input."""
        return self.input.fields

    @property
    def keys(self) -> tuple[str, ...]:
        """What makes rows equal."""
        return tuple(member.name for member in self.input.fields.visible)

    @property
    def spread(self) -> tuple[str, ...]:
        """Equal rows of a window meet."""
        return tuple(dict.fromkeys((*self.keys, *(window_bounds(self.input) if self.per_window else ()))))

    @property
    def identity(self) -> tuple[str, ...]:
        """Where rows are corrected, what makes them equal: one stands for all as long as any of them does."""
        if not self.input.revises:
            return self.input.identity
        return tuple(dict.fromkeys((*self.keys, *(window_bounds(self.input) if self.per_window else ()))))

    @property
    def route(self) -> tuple[str, ...]:
        """What stays of them."""
        return route_by((reads(name, self.input.fields.of(name).type) for name in self.keys), self.input)

    @property
    def needs(self) -> tuple[str, ...]:
        """All columns, windows, times, order and identity of the input's rows."""
        window = window_bounds(self.input) if self.per_window else ()
        return tuple(dict.fromkeys((*self.keys, *window, *needs_for_state(self.input))))
