"""ORDER BY without a window needs input that ends; EMIT FINAL without one waits for an end."""

from __future__ import annotations

from velostream.validation.bound import BoundQuery, BoundSelect, BoundStatement, BoundUnion
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of, streams


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses an order that never comes to an end; warns of a FINAL that nothing triggers."""
    if isinstance(statement.query, BoundUnion):
        _order(statement.query, statement, look, streaming=True)
    for select in selects_of(statement.query):
        _distinct(select, look)
        if not select.windowed:
            _order(select, statement, look, streaming=streams(select))
            _final(select, look)


def _order(query: BoundQuery, statement: BoundStatement, look: Look, *, streaming: bool) -> None:
    if not query.order or query.bounded or not streaming or _windowed(query) or _prints_changes(query, statement):
        return
    message = "ORDER BY over input that does not end would wait for ever"
    hint = "add a WINDOW (the order then holds in each window), or read bounded input"
    look.findings.error("order-unbounded", message, query.order[0].expression.span, hint=hint)


def _windowed(query: BoundQuery) -> bool:
    return isinstance(query, BoundUnion) and all(select.windowed for select in selects_of(query))


def _prints_changes(query: BoundQuery, statement: BoundStatement) -> bool:
    """A changing result on the console is drawn anew, in order."""
    if not isinstance(query, BoundSelect) or not query.aggregated:
        return False
    consoles = [sink.connector is not None and sink.connector.name == "console_sink" for sink in statement.sinks]
    changes = query.emission is None or query.emission.mode == "CHANGES"
    return changes and statement.creates is None and all(consoles)


def _distinct(select: BoundSelect, look: Look) -> None:
    """Rows that are one may have come from many: they are ordered by what is selected."""
    if not select.distinct:
        return
    selected = [item.expression.tree for item in select.items]
    for term in select.order:
        if term.expression.tree not in selected:
            message = "SELECT DISTINCT is ordered by what is not selected"
            look.findings.error("not-grouped", message, term.expression.span, hint="select it too")


def _final(select: BoundSelect, look: Look) -> None:
    emission = select.emission
    if emission is None or emission.mode != "FINAL" or select.bounded or not streams(select):
        return
    if emission.condition is not None or emission.every_count is not None or emission.early is not None:
        return
    message = "EMIT FINAL without a window emits at the end of the input, and this one does not end"
    hint = "add a WINDOW, use EMIT CHANGES, or flush it: velo flush JOB"
    look.findings.warning("emit-final-unbounded", message, emission.span, hint=hint)
