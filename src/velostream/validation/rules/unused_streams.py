"""A stream without a sink is a definition; read by nobody, it is not run."""

from __future__ import annotations

from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look


def check(statement: BoundStatement, look: Look) -> None:
    """Warns of a stream that nobody reads and that writes nowhere."""
    if statement.creates is None or statement.is_job or statement.query is None:
        return
    readers = [other.name for other in look.statements.values() if statement.name in other.reads]
    if not readers:
        message = f"stream '{statement.name}' has no sink and no reader, so it is not run"
        hint = "read it in another statement, or write it: … INTO out WITH ('out.type' = 'console_sink')"
        look.findings.warning("unused-stream", message, statement.creates.span, hint=hint)
