"""Types of literals, casts, CASE, intervals and other values."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream import types
from velostream.errors import InvalidType
from velostream.types import BIGINT, BOOLEAN, DATE, DOUBLE, INT, INTERVAL, NULL, STRING, TIMESTAMP, UNKNOWN, Type
from velostream.validation.coercion import common_of
from velostream.validation.expressions.literals import readable, well_formed

if TYPE_CHECKING:
    from velostream.validation.expressions.binder import ExpressionBinder


_EXAMPLES = {"TIMESTAMP": "write TIMESTAMP '2026-01-31 12:00:00'", "DATE": "write DATE '2026-01-31'"}


def literal(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """A string or a number; numbers are as narrow as Spark makes them."""
    if node.args.get("is_string"):
        return STRING
    text = str(node.this)
    digits = [letter for letter in text.split("e")[0].split("E")[0] if letter.isdigit()]
    if math.isinf(float(text)) or ("e" not in text.casefold() and len("".join(digits).lstrip("0")) > 38):
        binder.refuse(
            "type-mismatch", f"{text[:40]} is larger than any number", node, "a decimal has at most 38 digits"
        )
        return UNKNOWN
    return number_type(text)


def number_type(text: str) -> Type:
    """The type of a number as written: INT, BIGINT, DECIMAL or DOUBLE."""
    if "e" in text.casefold():
        return DOUBLE
    value = Decimal(text)
    if "." not in text:
        if abs(value) < 2**31:
            return INT
        if abs(value) < 2**63:
            return BIGINT
    digits = len(value.as_tuple().digits)
    scale = max(0, -int(value.as_tuple().exponent))
    return types.decimal(min(38, max(digits, scale, 1)), min(38, scale))


def null(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """NULL fits everywhere."""
    return NULL


def boolean(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """TRUE or FALSE."""
    return BOOLEAN


def text(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """A string that the session knows."""
    return STRING


def word(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """A bare word that is part of a function's syntax, such as a unit."""
    return STRING


def inside(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """The type of what it wraps."""
    return binder.visit(node.this)


def declared(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """The type that a type name means."""
    from velostream.sql.printing.text import spark_sql

    try:
        return types.parse(spark_sql(node))
    except InvalidType as error:
        binder.findings.refuse(error, binder.span(node))
        return UNKNOWN


def cast(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """CAST and TRY_CAST: what Spark cannot convert at all is refused."""
    source, target = binder.visit(node.this), declared(binder, node.args["to"])
    if target == STRING:
        node.set("to", exp.DataType(this=exp.DType.TEXT))  # CHAR and VARCHAR need a size in Spark
    if isinstance(node.this, exp.Literal) and node.this.is_string and not readable(node.this.name, target):
        binder.refuse(
            "type-mismatch", f"'{node.this.name}' is not a {target}", node.this, _EXAMPLES.get(target.name, "")
        )
    if not castable(source, target):
        hint = "epoch numbers and text convert to TIMESTAMP; numbers, text and booleans to each other"
        binder.refuse("type-mismatch", f"{source} cannot be cast to {target}", node, hint)
    return target


def castable(source: Type, target: Type) -> bool:
    """True where Spark has a cast."""
    if not (source.is_known and target.is_known) or source in (NULL, target) or target in (STRING, types.VARIANT):
        return True
    if source in (STRING, types.VARIANT):
        return target.name not in ("ARRAY", "MAP", "STRUCT") or source == types.VARIANT
    nested = ("ARRAY", "MAP", "STRUCT")
    if source.name in nested or target.name in nested:
        return source.name == target.name
    if target.is_temporal or source.is_temporal:
        both = source.is_temporal and target.is_temporal
        return both or ((source.is_time or target.is_time) and (source.is_numeric or target.is_numeric))
    if "BINARY" in (source.name, target.name) or "INTERVAL" in (source.name, target.name):
        return "BOOLEAN" not in (source.name, target.name) and "BINARY" not in (source.name, target.name)
    return True


def case(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """Simple and searched CASE: branches must have a common type."""
    from velostream.validation.expressions.operators import compare

    subject = node.this
    subject_type = binder.visit(subject) if subject is not None else None
    results: list[Type] = []
    for branch_node in node.args.get("ifs") or []:
        condition = branch_node.this
        kind = binder.visit(condition)
        if subject_type is not None:
            compare(binder, subject, subject_type, condition, kind, branch_node)
        elif kind not in (BOOLEAN, NULL, UNKNOWN):
            binder.refuse(
                "type-mismatch", f"WHEN needs a condition, but this is {kind}", condition, "compare it with something"
            )
        results.append(binder.visit(branch_node.args["true"]))
    default = node.args.get("default")
    if default is not None:
        results.append(binder.visit(default))
    return _common(binder, node, results, "the branches of CASE")


def branch(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """IF(condition, a, b)."""
    kind = binder.visit(node.this)
    if kind not in (BOOLEAN, NULL, UNKNOWN):
        binder.refuse(
            "type-mismatch", f"IF needs a condition, but this is {kind}", node.this, "compare it with something"
        )
    parts = [part for part in (node.args.get("true"), node.args.get("false")) if part is not None]
    return _common(binder, node, binder.visit_all(parts), "the branches of IF")


def _common(binder: ExpressionBinder, node: exp.Expr, kinds: list[Type], what: str) -> Type:
    result = common_of(kinds)
    if result is None:
        shown = ", ".join(dict.fromkeys(map(str, kinds)))
        binder.refuse("type-mismatch", f"{what} have no common type: {shown}", node, "cast them to one type")
        return UNKNOWN
    return result


def interval(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """A length of time; what its text says must be one."""
    if isinstance(node, exp.Interval) and isinstance(node.this, exp.Literal) and not well_formed(node):
        hint = "write INTERVAL '5' MINUTE, INTERVAL 5 MINUTES or INTERVAL '1 hour 30 minutes'"
        binder.refuse("invalid-duration", f"'{node.this.name}' is not a length of time", node, hint)
    return INTERVAL


def at_time_zone(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`ts AT TIME ZONE z`."""
    binder.visit(node.this)
    return TIMESTAMP


def current_date(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """The date of the batch's clock."""
    return DATE


def current_timestamp(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """The time of the batch's clock."""
    return TIMESTAMP


def tuple_of(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`(a, b)`."""
    kinds = binder.visit_all(node.expressions)
    return types.struct(*((f"col{index}", kind) for index, kind in enumerate(kinds, start=1)))


def array_of(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`ARRAY[a, b]`."""
    return types.array(_common(binder, node, binder.visit_all(node.expressions), "the elements of the array"))
