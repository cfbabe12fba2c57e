"""Types of operators. A time system column that meets an integer is epoch milliseconds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.types import BIGINT, BOOLEAN, DATE, INTERVAL, NULL, STRING, TIMESTAMP, UNKNOWN, Type, decimal
from velostream.validation import coercion

if TYPE_CHECKING:
    from velostream.validation.expressions.binder import ExpressionBinder

_SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "DIV",
}


_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_TIME = re.compile(r"[+-]?[0-9]{4,}(-[0-9]{1,2}){0,2}([T ].*)?|T?[0-9]{1,2}:[0-9]{1,2}.*")
"""Texts that Spark reads as dates and times."""


def arithmetic(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """+ - * / % DIV."""
    kinds = [binder.visit(node.this), binder.visit(node.expression)]
    kinds = as_milliseconds(binder, [node.this, node.expression], kinds)
    kinds = [_read_number(part, kind) for part, kind in zip((node.this, node.expression), kinds, strict=True)]
    sign = _SIGNS[type(node)]
    kinds = _exact_literals([node.this, node.expression], kinds)
    result = coercion.arithmetic(sign, *kinds)
    if result == TIMESTAMP and DATE in kinds and _whole_days(node.this, node.expression):
        return DATE
    if result is None:
        binder.refuse(
            "type-mismatch", f"'{sign}' does not take {kinds[0]} and {kinds[1]}", node, _arithmetic_hint(sign, kinds)
        )
        return UNKNOWN
    return result


def _exact_literals(parts: list[exp.Expr], kinds: list[Type]) -> list[Type]:
    """A whole number beside a decimal has the digits that it is written with."""
    if not any(kind.name == "DECIMAL" for kind in kinds):
        return kinds
    exact = []
    for part, kind in zip(parts, kinds, strict=True):
        written = part.name if isinstance(part, exp.Literal) and not part.is_string else ""
        exact.append(decimal(min(len(written), 38)) if kind.is_integral and written.isdecimal() else kind)
    return exact


def _whole_days(*parts: exp.Expr) -> bool:
    """True where the interval among the parts counts days or more, so that a date stays a date."""
    units = [
        part.args["unit"].name.upper().rstrip("S")
        for part in parts
        if isinstance(part, exp.Interval) and part.args.get("unit")
    ]
    return bool(units) and all(unit in ("DAY", "WEEK", "MONTH", "YEAR", "QUARTER") for unit in units)


def _arithmetic_hint(sign: str, kinds: list[Type]) -> str:
    if STRING in kinds:
        return "join text with ||" if sign == "+" and kinds == [STRING, STRING] else "cast the text: CAST(x AS DOUBLE)"
    if any(kind.is_temporal for kind in kinds):
        return "add or subtract an interval: INTERVAL 5 MINUTES; UNIX_MILLIS(ts) gives a number"
    return "cast one side to a number"


def _read_number(node: exp.Expr, kind: Type) -> Type:
    """A text literal that is a number counts as one, as in Spark."""
    if kind == STRING and isinstance(node, exp.Literal):
        from velostream.validation.expressions.values import number_type

        text = node.name.strip()
        return number_type(text) if _NUMBER.fullmatch(text) else kind
    return kind


def negation(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """Unary minus."""
    kind = binder.visit(node.this)
    if kind.is_known and not kind.is_numeric and kind not in (INTERVAL, NULL):
        binder.refuse("type-mismatch", f"'-' does not take {kind}", node, "cast it to a number")
        return UNKNOWN
    return kind


def bitwise(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """& | ^ ~ << >>."""
    parts = [part for part in (node.this, node.args.get("expression")) if part is not None]
    kinds = binder.visit_all(parts)
    for part, kind in zip(parts, kinds, strict=True):
        if kind.is_known and not kind.is_integral and kind != NULL:
            binder.refuse(
                "type-mismatch", f"a bit operation takes whole numbers, not {kind}", part, "cast it to BIGINT"
            )
            return UNKNOWN
    return coercion.common_of(kinds) or BIGINT


def logic(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """AND OR NOT. Chains are walked flat, so that long ones do not nest."""
    pending = [node]
    while pending:
        current = pending.pop()
        for part in (current.this, current.args.get("expression")):
            if isinstance(part, (exp.And, exp.Or)):
                pending.append(part)
            elif part is not None:
                _truth(binder, part)
    return BOOLEAN


def _truth(binder: ExpressionBinder, part: exp.Expr) -> None:
    kind = binder.visit(part)
    if kind not in (BOOLEAN, NULL, UNKNOWN):
        binder.refuse(
            "type-mismatch", f"AND, OR and NOT take conditions, but this is {kind}", part, "compare it with something"
        )


def comparison(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """= <> < <= > >= <=>."""
    left, right = binder.visit(node.this), binder.visit(node.expression)
    compare(binder, node.this, left, node.expression, right, node)
    return BOOLEAN


def compare(
    binder: ExpressionBinder, left: exp.Expr, left_type: Type, right: exp.Expr, right_type: Type, place: exp.Expr
) -> None:
    """Refuses two sides that cannot be compared; a time system column is milliseconds beside an integer."""
    kinds = as_milliseconds(binder, [left, right], [left_type, right_type])
    if not coercion.comparable(*_literal_sides(left, right, kinds)):
        message = f"{kinds[0]} and {kinds[1]} cannot be compared"
        binder.refuse("type-mismatch", message, place, comparison_hint(*kinds))


def _literal_sides(left: exp.Expr, right: exp.Expr, kinds: list[Type]) -> tuple[Type, Type]:
    """A literal in text is read as the other side's type, as in Spark."""
    one, other = kinds
    return _read_as(left, one, other), _read_as(right, other, one)


def _read_as(node: exp.Expr, kind: Type, other: Type) -> Type:
    """What a literal in text is beside a value of another type."""
    if kind != STRING or not isinstance(node, exp.Literal):
        return kind
    if other.is_numeric:
        return _read_number(node, kind)
    return kind if not other.is_temporal or _TIME.match(node.name.strip()) else BOOLEAN


def comparison_hint(left: Type, right: Type) -> str:
    """What to do about two types that do not compare."""
    if (left.is_temporal and right.is_numeric) or (right.is_temporal and left.is_numeric):
        return (
            "compare with a timestamp: TIMESTAMP '2026-01-31 12:00:00', or turn epoch numbers with TIMESTAMP_MILLIS(n)"
        )
    if STRING in (left, right):
        return "cast the text: CAST(x AS DOUBLE), or put the value in quotes"
    return "cast one side to the other's type"


def as_milliseconds(binder: ExpressionBinder, parts: list[exp.Expr], kinds: list[Type]) -> list[Type]:
    """Where an integer meets a time system column, the column becomes epoch milliseconds."""
    if not any(kind.is_integral for kind in kinds):
        return kinds
    result = list(kinds)
    for index, part in enumerate(parts):
        if part.meta.get("system_time") and kinds[index].is_time:
            binder.replace(part, exp.Anonymous(this="UNIX_MILLIS", expressions=[part.copy()]))
            result[index] = BIGINT
    return result


def is_check(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """IS [NOT] NULL, TRUE, FALSE, DISTINCT FROM."""
    binder.visit(node.this)
    binder.visit(node.expression)
    return BOOLEAN


def between(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """x BETWEEN a AND b."""
    subject, low, high = node.this, node.args["low"], node.args["high"]
    kinds = as_milliseconds(binder, [subject, low, high], binder.visit_all([subject, low, high]))
    subject, low, high = node.this, node.args["low"], node.args["high"]
    for part, kind in ((low, kinds[1]), (high, kinds[2])):
        if not coercion.comparable(*_literal_sides(subject, part, [kinds[0], kind])):
            message = f"{kinds[0]} and {kind} cannot be compared"
            binder.refuse("type-mismatch", message, part, comparison_hint(kinds[0], kind))
    return BOOLEAN


def membership(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """x IN (a, b) and x IN (SELECT …)."""
    from velostream.validation.expressions.subqueries import member_of

    kind = binder.visit(node.this)
    if node.args.get("query") is not None:
        return member_of(binder, node, kind)
    if node.args.get("unnest") is not None or node.args.get("field") is not None:
        binder.refuse(
            "unsupported", "IN takes a list or a subquery", node, "for arrays use ARRAY_CONTAINS(array, value)"
        )
        return BOOLEAN
    for element in node.expressions:
        compare(binder, node.this, kind, element, binder.visit(element), element)
    return BOOLEAN


def pattern(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """LIKE, ILIKE, RLIKE, and ESCAPE around them; also LIKE ANY (…)."""
    if isinstance(node, exp.Escape):
        binder.visit(node.expression)
        if isinstance(node.expression, exp.Literal) and len(node.expression.name) != 1:
            binder.refuse("type-mismatch", "ESCAPE takes one character", node.expression, "ESCAPE '!'")
        return binder.visit(node.this)
    parts = [node.this, node.expression]
    if isinstance(node.expression, (exp.Any, exp.All)):
        parts = [node.this]
        listed = node.expression.this
        parts += listed.expressions if isinstance(listed, exp.Tuple) else [listed]
    for part in parts:
        kind = binder.visit(part)
        if kind.is_known and kind not in (STRING, NULL):
            binder.refuse("type-mismatch", f"LIKE takes text, not {kind}", part, "cast it: CAST(x AS STRING)")
    return BOOLEAN


def concatenation(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """a || b: text, arrays, bytes."""
    kinds = [binder.visit(node.this), binder.visit(node.expression)]
    arrays = [kind for kind in kinds if kind.name == "ARRAY"]
    if len(arrays) == 1 and all(kind.is_known and kind != NULL for kind in kinds):
        binder.refuse("type-mismatch", f"'||' does not take {kinds[0]} and {kinds[1]}", node, "put both into arrays")
        return UNKNOWN
    for kind in kinds:
        if kind.name in ("ARRAY", "UNKNOWN") or (kind.name == "BINARY" and kinds[0] == kinds[1]):
            return kind
    for part, kind in zip((node.this, node.expression), kinds, strict=True):
        if kind.name in ("MAP", "STRUCT"):
            binder.refuse("type-mismatch", f"'||' does not take {kind}", part, "turn it into text: TO_JSON(x)")
    return STRING
