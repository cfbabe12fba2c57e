"""Subqueries inside expressions look things up in tables; a stream cannot answer them."""

from __future__ import annotations

from velostream.sql.spans import span_of
from velostream.validation.bound import BoundSource, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of, sources_of, subqueries_of


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses subqueries that read a stream."""
    for select in selects_of(statement.query):
        for node, query in subqueries_of(select):
            streaming = next((source for source in sources_of(query) if not source.relation.is_table), None)
            if streaming is not None:
                _refuse(streaming, look)
            elif next(sources_of(query), None) is None:
                look.findings.error("subquery", "the subquery reads nothing", span_of(node), hint="add FROM a table")


def _refuse(source: BoundSource, look: Look) -> None:
    name = source.relation.name
    hint = f"make it a table: CREATE TABLE … AS SELECT … FROM {name}, or join the streams"
    look.findings.error("subquery", f"a subquery reads the stream '{name}', which never ends", source.span, hint=hint)
