"""Which expressions give the same value for the same row, so that they may be computed elsewhere, or twice."""

from __future__ import annotations

from sqlglot import exp

from velostream.functions import find
from velostream.plan.expression import Expression


def is_deterministic(expression: Expression) -> bool:
    """False where chance or the place in the plan has a say."""
    if expression.is_field:
        return True
    calls = (str(node.this) for node in expression.tree.walk() if isinstance(node, exp.Anonymous))
    return all((function := find(name)) is None or function.deterministic for name in calls)
