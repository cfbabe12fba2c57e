"""SESSION(gap, key): sessions are per group, so their key is one of the grouped columns."""

from __future__ import annotations

from velostream.sql.printing.text import print_sql
from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses a session key that is not grouped."""
    for select in selects_of(statement.query):
        key = select.window.key if select.window is not None else None
        if key is not None and key.tree not in [grouping.tree for grouping in select.grouping]:
            hint = "add it to GROUP BY: sessions are kept for each group"
            look.findings.error(
                "invalid-window", f"the session's key '{print_sql(key.tree)}' is not grouped", key.span, hint=hint
            )
