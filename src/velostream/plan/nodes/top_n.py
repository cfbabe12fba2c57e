"""TopN: the first n rows of each partition by an order; with n = 1 it is deduplication by SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import Node, needs_for_state, revision_fields, route_by, window_bounds
from velostream.plan.nodes.changes import changes_of
from velostream.plan.nodes.order import Order
from velostream.plan.nodes.scan import Scan
from velostream.types import INT

RANKINGS = ("ROW_NUMBER", "RANK", "DENSE_RANK")


@dataclass(frozen=True)
class TopN(Node):
    """`WHERE ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) <= n`, kept in state of n rows per partition.

    `rank` is the field that holds the number. Ordered by event time, oldest first, rows that went out stay (`appends`);
    in any other order a better row withdraws one. With `per_window` the ranking is complete when the window closes.
    """

    input: Node
    n: int
    order: tuple[Order, ...]
    partition: tuple[Expression, ...] = ()
    ranking: str = "ROW_NUMBER"
    rank: str = ""
    ttl: int | None = None
    per_window: bool = False

    stateful: ClassVar[bool] = True

    def check(self) -> None:
        """There is an order, over fields of the input, and something to keep."""
        self.require(self.input.fields, *self.expressions)
        if self.n < 1:
            raise self.refuse(f"the first {self.n} rows are none")
        if self.ranking not in RANKINGS:
            raise self.refuse(f"'{self.ranking}' does not rank")
        if not self.order:
            raise self.refuse("there is no order")

    def derive(self) -> Fields:
        """The input's fields, the rank, and what tells corrections."""
        rank = (Field(self.rank, INT),) if self.rank else ()
        return self.input.fields.plus((*rank, *(revision_fields(self.input) if self.revises else ())))

    @property
    def appends(self) -> bool:
        """True where a row that went out is never withdrawn."""
        first = self.order[0]
        by_time = first.expression.is_field and first.expression.name == self.input.time
        return self.per_window or (by_time and not first.descending and self.ranking == "ROW_NUMBER")

    @property
    def deduplicates(self) -> bool:
        """True where one row per partition is kept."""
        return self.n == 1 and self.ranking == "ROW_NUMBER"

    @property
    def changes(self) -> Scan | None:
        """The stream of changes of which it keeps the newest row of each key; None for any other ranking."""
        return changes_of(self.input)

    @property
    def revises(self) -> bool:
        """True where a better row may come."""
        return self.input.revises or not self.appends

    @property
    def identity(self) -> tuple[str, ...]:
        """The row's own, in a partition that it may leave for another; with one row per partition, the partition."""
        own, names = self.input.identity, tuple(key.name for key in self.partition)
        if self.known_by_partition:
            return names
        if not self.input.revises:
            return own
        return tuple(dict.fromkeys((*names, *own))) if own and all(key.is_field for key in self.partition) else ()

    @property
    def known_by_partition(self) -> bool:
        """True where a row is known by its partition, which it is the only one of."""
        return self.deduplicates and bool(self.partition) and all(key.is_field for key in self.partition)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Partition and order."""
        return (*self.partition, *(term.expression for term in self.order))

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
        return tuple(dict.fromkeys((*needs_for_state(self.input), *self.input.identity, *bounds)))

    @property
    def position(self) -> tuple[str, ...]:
        """Rows that may be withdrawn are no records any more."""
        return () if self.revises else self.input.position
