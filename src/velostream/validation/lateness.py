"""How late rows may be, where two places of a statement say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.config.origin import Layer
from velostream.durations import show
from velostream.sql.spans import span_of

if TYPE_CHECKING:
    from velostream.validation.context import Context


def refuse_two_latenesses(node: exp.Expr, grace: int | None, context: Context) -> None:
    """GRACE PERIOD and allowed.lateness are two words for one thing."""
    value = context.settings.find("allowed.lateness")
    if grace is None or value is None or value.origin.layer is not Layer.STATEMENT or value.value == grace:
        return
    message = f"GRACE PERIOD is {show(grace)}, but 'allowed.lateness' is '{value.text}'"
    context.findings.error("conflicting-properties", message, value.origin.span or span_of(node), hint="keep one")
