"""Headers are written by items of the select list, and read where the source has some."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.spans import span_of
from velostream.validation.bound import BoundSelect, BoundStatement
from velostream.validation.columns import columns_of
from velostream.validation.rules.base import Look
from velostream.validation.walk import expressions_of, input_of, selects_of

_WRITES = ("SET_HEADER", "REMOVE_HEADER")
_READS = ("HEADER", "HAS_HEADER", "HEADER_KEYS")


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses writing headers outside of the select list, and reading those of a source that has none."""
    _written(statement, look)
    for select in selects_of(statement.query):
        for clause, expression in expressions_of(select):
            for call in expression.tree.find_all(exp.Anonymous):
                name = str(call.this).upper()
                if name in _WRITES and clause != "SELECT":
                    message = f"{name} in {clause} would write nothing"
                    look.findings.error(
                        "unsupported", message, span_of(call), hint="make it an item of the select list"
                    )
                elif name in _READS:
                    _readable(call, name, select, look)


def _written(statement: BoundStatement, look: Look) -> None:
    """Headers that no sink writes: the stream's readers may have them, a job has nobody."""
    query = statement.query
    written = any(sink.connector.headers for sink in statement.sinks)
    read = any(statement.name in other.reads for other in look.statements.values())
    if not isinstance(query, BoundSelect) or not statement.is_job or written or read:
        return
    for item in query.items:
        for call in item.expression.tree.find_all(exp.Anonymous):
            if str(call.this).upper() in _WRITES:
                message = f"{str(call.this).upper()} has no effect: none of the sinks writes headers"
                hint = "write INTO a Kafka sink, or remove it"
                look.findings.note("unsupported", message, span_of(call), hint=hint)


def _readable(call: exp.Expr, name: str, select: BoundSelect, look: Look) -> None:
    primary = input_of(select, select.primary)
    if primary is None or "_headers" in columns_of(primary):
        return
    message = f"'{primary.alias}' has no headers that {name} could read"
    look.findings.error("no-system-column", message, span_of(call), hint="headers come from Kafka")
