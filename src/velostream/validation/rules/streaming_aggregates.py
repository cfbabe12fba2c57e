"""Aggregates that keep no state of their own cannot run on a stream; window functions need OVER."""

from __future__ import annotations

from sqlglot import exp

from velostream.functions.base import FunctionKind
from velostream.sql.spans import span_of
from velostream.validation.bound import BoundStatement
from velostream.validation.grouping import aggregates_of
from velostream.validation.outer_aggregates import outside_of
from velostream.validation.rules.base import Look
from velostream.validation.walk import expressions_of, selects_of, streams


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses aggregates without an accumulator, window functions without OVER, table functions inside expressions."""
    for select in selects_of(statement.query):
        if not streams(select):
            continue
        for _, expression in expressions_of(select):
            for call in (*aggregates_of(expression.tree, look.library), *outside_of(expression.tree)):
                function = look.library.find(str(call.this))
                if function is not None and not function.accumulator:
                    hint = "Spark has it for batch queries only"
                    look.findings.error(
                        "unsupported",
                        f"{function.name} cannot be kept up to date on a stream",
                        span_of(call),
                        hint=hint,
                    )
            _window_functions(expression.tree, look)


def _window_functions(tree: exp.Expr, look: Look) -> None:
    for call in tree.find_all(exp.Anonymous):
        function = look.library.find(str(call.this))
        if function is None:
            continue
        if function.kind is FunctionKind.WINDOW and not _over(call):
            hint = f"{function.name}(…) OVER (PARTITION BY key ORDER BY _event_time)"
            look.findings.error("row-window", f"{function.name} needs OVER", span_of(call), hint=hint)
        elif function.kind is FunctionKind.TABLE:
            hint = "use it in FROM: LATERAL VIEW explode(array) t AS x, or CROSS JOIN UNNEST(array) AS t(x)"
            look.findings.error("unsupported", f"{function.name} gives rows, not a value", span_of(call), hint=hint)


def _over(call: exp.Expr) -> bool:
    node = call.parent
    while isinstance(node, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        node = node.parent
    return isinstance(node, exp.Window)
