"""Groups: keys and aggregate calls below, and what reads them above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.plan.build.calls import aggregate_call
from velostream.plan.build.rebound import with_subqueries
from velostream.plan.build.trees import bare, is_aggregate, replaced, unwrapped
from velostream.plan.expression import Expression, column
from velostream.plan.fields import Fields
from velostream.plan.nodes import AggregateCall, Column
from velostream.validation.grouping import OUTSIDE
from velostream.validation.outer_aggregates import outside_of

if TYPE_CHECKING:
    from velostream.functions.library import Library


@dataclass(slots=True)
class Groups:
    """Collects the calls that expressions above an aggregation make; the same call is computed once."""

    keys: tuple[Column, ...]
    fields: Fields
    library: Library
    calls: dict[str, AggregateCall]

    @classmethod
    def of(cls, keys: tuple[Expression, ...], fields: Fields, library: Library) -> Groups:
        """Groups by these keys, over rows of these fields."""
        unique = {key.name: Column(key.name, key) for key in keys}
        return cls(tuple(unique.values()), fields, library, {})

    def above(self, expression: Expression) -> Expression:
        """The expression over the rows of groups: calls and grouping expressions are fields there."""
        tree = expression.tree
        if next(outside_of(tree), None) is not None:
            tree = with_subqueries(tree, self._outside)
        return Expression(replaced(tree, self._field), expression.type, expression.span)

    def _outside(self, node: exp.Expr) -> exp.Expr | None:
        """What stands for a call of the groups in a subquery."""
        return self._called(node) if unwrapped(node).meta.get(OUTSIDE) else None

    def _field(self, node: exp.Expr) -> exp.Expr | None:
        plain = bare(node)
        for key in self.keys:
            if plain == bare(key.expression.tree):
                return column(key.name)
        return self._called(node) if is_aggregate(node, self.library) else None

    def _called(self, node: exp.Expr) -> exp.Expr:
        call = aggregate_call(node, self.fields, self.library)
        self.calls.setdefault(call.name, call)
        return column(call.name)
