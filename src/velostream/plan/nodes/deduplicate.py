"""Deduplicate: the first record of each key goes on, later ones are counted as duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.nodes.base import Node, needs_for_state, route_by


@dataclass(frozen=True)
class Deduplicate(Node):
    """`dedup.key`, `dedup.ttl` (event time against the watermark; None is for ever). NULL keys are never duplicates."""

    input: Node
    keys: tuple[Expression, ...]
    ttl: int | None = None

    stateful: ClassVar[bool] = True

    def check(self) -> None:
        """There is a key, over fields of the input."""
        if not self.keys:
            raise self.refuse("there is no key")
        self.require(self.input.fields, *self.keys)

    def derive(self) -> Fields:
        """Those of the input."""
        return self.input.fields

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The key."""
        return self.keys

    @property
    def spread(self) -> tuple[str, ...]:
        """By key."""
        return tuple(key.name for key in self.keys)

    @property
    def route(self) -> tuple[str, ...]:
        """The keys that stay."""
        return route_by(self.keys, self.input)

    @property
    def needs(self) -> tuple[str, ...]:
        """The smallest (event time, partition, offset) of a batch wins."""
        return needs_for_state(self.input)
