"""Filter: a condition that rows must meet."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.nodes.base import Node

REMOVE = "remove"
MARK = "mark"
WITHDRAW = "withdraw"
WHERE = "where"
HAVING = "having"
EARLY = "early"


@dataclass(frozen=True)
class Filter(Node):
    """`WHERE` or `HAVING`.

    `mode` says what becomes of the others: `remove` leaves them out; `mark` gives them the status 'filtered' and NULLs,
    so that the router of the stateful node above still sees their event time, counts them and drops them; `withdraw`
    leaves them out and sends a retraction for a row that met the condition before and no longer does.
    `origin` is where the condition stands: where, having, or early (rows before the close that do not flow on).
    """

    input: Node
    condition: Expression
    mode: str = REMOVE
    origin: str = WHERE

    def check(self) -> None:
        """The condition is one, over fields of the input."""
        self.require_condition(self.input.fields, self.condition)
        if self.mode not in (REMOVE, MARK, WITHDRAW) or self.origin not in (WHERE, HAVING, EARLY):
            raise self.refuse(f"mode '{self.mode}' or origin '{self.origin}' is not known")
        if self.mode == WITHDRAW and not self.input.revises:
            raise self.refuse("nothing to withdraw: its input never revises a row")

    @property
    def status(self) -> str:
        """What a record that does not meet it counts as; one that HAVING hides is in a result all the same."""
        return {HAVING: "in_results", EARLY: ""}.get(self.origin, "filtered")

    def derive(self) -> Fields:
        """Those of the input."""
        return self.input.fields

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The condition."""
        return (self.condition,)

    @property
    def needs(self) -> tuple[str, ...]:
        """What a retraction is known by."""
        return self.input.identity if self.mode == WITHDRAW else ()
