"""Groups: keys and aggregate calls below, and what reads them above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.plan.build.calls import aggregate_call
from velostream.plan.build.trees import bare, is_aggregate, replaced
from velostream.plan.expression import Expression, column
from velostream.plan.fields import Fields
from velostream.plan.nodes import AggregateCall, Column

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
        return Expression(replaced(expression.tree, self._field), expression.type, expression.span)

    def _field(self, node: exp.Expr) -> exp.Expr | None:
        plain = bare(node)
        for key in self.keys:
            if plain == bare(key.expression.tree):
                return column(key.name)
        if not is_aggregate(node, self.library):
            return None
        call = aggregate_call(node, self.fields, self.library)
        self.calls.setdefault(call.name, call)
        return column(call.name)
