"""EMIT other than CHANGES says when groups go out: without groups there is nothing to say."""

from __future__ import annotations

from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses EMIT FINAL, EARLY, WHEN and EVERY on a SELECT that neither groups nor windows."""
    for select in selects_of(statement.query):
        emission = select.emission
        if emission is None or select.aggregated or select.distinct or select.row_windows or not emission.explicit:
            continue
        plain = emission.mode == "CHANGES" and emission.early is None and emission.condition is None
        if not plain or emission.every_count is not None:
            message = "this EMIT needs groups: the query neither groups nor windows"
            look.findings.error(
                "emit-conflict", message, emission.span, hint="add GROUP BY or WINDOW, or leave EMIT out"
            )
