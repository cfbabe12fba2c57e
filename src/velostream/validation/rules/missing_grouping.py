"""An aggregate over a stream needs GROUP BY or WINDOW; HAVING needs one too."""

from __future__ import annotations

from velostream.sql.spans import span_of
from velostream.validation.bound import BoundSelect, BoundStatement
from velostream.validation.grouping import aggregates_of
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of, streams


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses aggregates of a whole stream, and HAVING where nothing is grouped."""
    for select in selects_of(statement.query):
        if select.windowed or select.grouping or not streams(select):
            continue
        if select.having is not None and not _aggregates(select, look):
            hint = "use WHERE, or add GROUP BY or WINDOW"
            look.findings.error("having-without-grouping", "HAVING needs groups", select.having.span, hint=hint)
        elif select.aggregated:
            _refuse(select, look)


def _aggregates(select: BoundSelect, look: Look) -> bool:
    trees = [item.expression.tree for item in select.items]
    trees += [select.having.tree] if select.having is not None else []
    return any(True for tree in trees for _ in aggregates_of(tree, look.library))


def _refuse(select: BoundSelect, look: Look) -> None:
    trees = [item.expression.tree for item in select.items]
    trees += [select.having.tree] if select.having is not None else []
    call = next((call for tree in trees for call in aggregates_of(tree, look.library)), None)
    if call is None:
        return
    message = f"{str(call.this).upper()} over a stream needs GROUP BY or WINDOW"
    hint = "add WINDOW TUMBLING(1m) for a result per minute, or GROUP BY for one per group"
    look.findings.error("missing-grouping", message, span_of(call), hint=hint)
