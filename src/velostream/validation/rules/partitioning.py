"""@partitioning_strategy: each is right only where results do not depend on it."""

from __future__ import annotations

from velostream.config.origin import Layer
from velostream.validation.bound import BoundSelect, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of, streams


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses strategies that would split a group, wherever they are set, and those of a statement that have nothing to
    do there."""
    if statement.settings is None or statement.query is None:
        return
    value = statement.settings.value("partitioning_strategy")
    if value is None or value.origin.layer <= Layer.PRESET:
        return
    own = value.origin.layer is Layer.STATEMENT
    strategy = str(value.value)
    stateful = [select for select in selects_of(statement.query) if keeps_state(select)]
    problem = hint = ""
    if strategy == "roundrobin" and stateful:
        which = "this statement" if own else f"'{statement.name}'"
        problem = f"would split groups over buckets, and {which} keeps state"
        hint = "use hash" if own else "set it on the statements that keep none"
    elif own and strategy != "roundrobin" and not stateful:
        problem, hint = "has nothing to do: this statement keeps no state", "remove it, or use roundrobin"
    elif strategy == "fanin" and stateful and statement.settings.get("num_partitions") not in (None, 1):
        problem, hint = "sends all to one bucket, and num_partitions asks for more", "remove one of the two"
    elif strategy == "sticky" and not all(_has_message_key(select) for select in stateful):
        problem, hint = "needs the message key among the group keys", "GROUP BY _key too, or use hash"
    if problem:
        look.findings.error(
            "invalid-annotation", f"partitioning strategy '{strategy}' {problem}", value.origin.span, hint=hint
        )


def keeps_state(select: BoundSelect) -> bool:
    """True where a SELECT keeps state between records."""
    if not streams(select):
        return False
    joined = any(join.classification == "stream-stream" for join in select.joins)
    return select.aggregated or select.distinct or select.row_windows or joined


def _has_message_key(select: BoundSelect) -> bool:
    return any(name.endswith("._key") for expression in select.grouping for name in expression.fields)
