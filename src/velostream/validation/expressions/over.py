"""`function OVER (…)`: the function, what it is partitioned and ordered by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.types import Type

if TYPE_CHECKING:
    from velostream.validation.expressions.binder import ExpressionBinder


def over(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """The type of the function; partition and order are bound too."""
    binder.visit_all(list(node.args.get("partition_by") or []))
    order = node.args.get("order")
    if order is not None:
        binder.visit_all([term.this for term in order.expressions])
    return binder.visit(node.this)
