"""Strategies for late data that reopen a window would overwrite complete rows in an upsert sink."""

from __future__ import annotations

from velostream.positions import Span
from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of

_REOPEN = ("process_all", "process_with_warning")
_LET_GO = ("dead_letter", "drop")


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses process_all and process_with_warning with upsert sinks and tables, and strategies without a window."""
    if statement.settings is None or statement.query is None:
        return
    strategy = statement.settings.value("late.data.strategy")
    if strategy is not None and strategy.value in _REOPEN:
        upserts = [sink.name for sink in statement.sinks if sink.upserts]
        if statement.creates is not None and statement.creates.is_table:
            upserts.append(statement.creates.name)
        if upserts:
            message = f"late.data.strategy '{strategy.value}' would overwrite complete rows in '{upserts[0]}'"
            hint = "use dead_letter, drop or a longer allowed.lateness, or a sink that appends"
            look.findings.error("late-strategy", message, strategy.origin.span, hint=hint)
    windowed = any(select.windowed for select in selects_of(statement.query))
    if strategy is not None and strategy.value == "update_previous" and strategy.origin.span and not windowed:
        hint = "add a WINDOW, or use another strategy"
        look.findings.error("late-strategy", "update_previous needs a window", strategy.origin.span, hint=hint)
    if strategy is not None and strategy.value not in _LET_GO and strategy.origin.span:
        _refuse_joins(statement, str(strategy.value), strategy.origin.span, look)
    over_records = any(select.row_windows and not select.windowed for select in selects_of(statement.query))
    if (
        strategy is not None
        and strategy.value not in _LET_GO
        and strategy.origin.span
        and over_records
        and not windowed
    ):
        message = f"OVER lets go of rows that are too late, so '{strategy.value}' has no meaning"
        hint = "use dead_letter or drop, with a longer 'allowed.lateness'"
        look.findings.error("late-strategy", message, strategy.origin.span, hint=hint)


def _refuse_joins(statement: BoundStatement, strategy: str, span: Span, look: Look) -> None:
    joins = (join for select in selects_of(statement.query) for join in select.joins)
    if any(join.classification == "stream-stream" for join in joins):
        message = f"a join of streams lets go of rows that are too late, so '{strategy}' has no meaning"
        hint = "use dead_letter or drop, with a longer 'allowed.lateness'; or join in a statement of its own"
        look.findings.error("late-strategy", message, span, hint=hint)
