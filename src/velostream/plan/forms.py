"""Expressions that mean the same in Polars as in Spark, as plain data that a worker can compute without SQL.

Columns, literals, comparisons of like with like, boolean logic, IS NULL, IN, BETWEEN, and sums and products of DOUBLE,
which no overflow spoils: random tests prove them equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlglot import exp

from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.types import BIGINT, DOUBLE, INT, Type

Form = tuple[Any, ...]
"""A word, and what it is about: other forms, a name, a value."""

COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
TRUTH: dict[type[exp.Expr], str] = {exp.And: "and", exp.Or: "or"}
ARITHMETIC: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_BINARY = TRUTH | COMPARED
_COMPARISONS: tuple[type[exp.Expr], ...] = (*COMPARED, exp.Between, exp.In)


def form_of(expression: Expression, fields: Fields, known: Mapping[str, Form] | None = None) -> Form | None:
    """The expression as data, with fields replaced by what they stand for in `known`; None where it may differ."""
    return _form(expression.tree, fields, known or {})


def form_of_rows(expression: Expression, fields: Fields, known: Mapping[str, Form] | None = None) -> Form | None:
    """The same for rows that Spark has typed: times and days can be compared with each other there."""
    stand_ins = {"TIMESTAMP": BIGINT, "DATE": INT}
    kinds = (replace(each, type=stand_ins.get(each.type.name, each.type)) for each in fields)
    mixed = {fields.of(name).type.name for name in expression.fields} & stand_ins.keys()
    if mixed and not _compares_times_only(expression.tree, fields):
        return None
    return _form(expression.tree, Fields(tuple(kinds)), known or {})


def _compares_times_only(tree: exp.Expr, fields: Fields) -> bool:
    """True where times are compared with times, and days with days."""
    for node in tree.find_all(*_COMPARISONS):
        kinds = {fields.of(part.name).type.name for part in node.find_all(exp.Column)}
        literals = node.find(exp.Literal) is not None
        if kinds & {"TIMESTAMP", "DATE"} and (len(kinds) > 1 or literals):
            return False
    return True


def _form(node: exp.Expr, fields: Fields, known: Mapping[str, Form]) -> Form | None:
    if isinstance(node, exp.Paren):
        return _form(node.this, fields, known)
    if isinstance(node, exp.Column):
        return known.get(node.name, ("column", node.name)) if not node.table else None
    if isinstance(node, exp.Literal):
        return _literal(node)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        word, value = _literal(node.this)
        return (word, f"-{value}") if word == "number" else (word, -value)
    if isinstance(node, exp.Boolean):
        return ("value", bool(node.this))
    if isinstance(node, _COMPARISONS) and not _compares_alike(node, fields):
        return None
    if type(node) in _BINARY:
        return _of(_BINARY[type(node)], [node.this, node.args["expression"]], fields, known)
    if type(node) in ARITHMETIC and _is_double(node, fields):
        return _of(ARITHMETIC[type(node)], [node.this, node.args["expression"]], fields, known)
    if isinstance(node, exp.Not):
        return _of("not", [node.this], fields, known)
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return _of("null", [node.this], fields, known)
    if isinstance(node, exp.Between):
        return _of("between", [node.this, node.args["low"], node.args["high"]], fields, known)
    if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
        return _of("in", [node.this, *node.expressions], fields, known)
    return None


def _of(word: str, parts: list[exp.Expr], fields: Fields, known: Mapping[str, Form]) -> Form | None:
    forms = [_form(part, fields, known) for part in parts]
    return None if any(form is None for form in forms) else (word, *forms)


def _literal(node: exp.Literal) -> tuple[str, Any]:
    if node.is_string:
        return ("value", node.name)
    if node.name.isdecimal() and int(node.name) < 1 << 31:
        return ("value", int(node.name))
    return ("number", node.name)


def _compares_alike(node: exp.Expr, fields: Fields) -> bool:
    """Fields of one type, and literals that are of it: nothing is cast in silence."""
    parts = [part.this if isinstance(part, exp.Paren | exp.Neg) else part for part in node.iter_expressions()]
    kinds = {_family(fields.of(part.name).type) for part in parts if isinstance(part, exp.Column)}
    literals = {_literal_family(part) for part in parts if isinstance(part, exp.Literal)}
    plain = all(isinstance(part, exp.Column | exp.Literal | exp.Boolean) for part in parts)
    allowed = {"integer", "number", "double"} if kinds == {"double"} else kinds
    return plain and len(kinds) == 1 and literals <= allowed and "other" not in kinds


def _is_double(node: exp.Expr, fields: Fields) -> bool:
    """True where a number is computed as DOUBLE in every step: whole numbers among themselves may overflow."""
    if isinstance(node, exp.Paren):
        return _is_double(node.this, fields)
    if isinstance(node, exp.Column):
        return not node.table and fields.of(node.name).type == DOUBLE
    if type(node) not in ARITHMETIC:
        return False
    parts = [node.this, node.args["expression"]]
    return any(_is_double(part, fields) for part in parts) and all(_fits_double(part, fields) for part in parts)


def _fits_double(node: exp.Expr, fields: Fields) -> bool:
    inner = node.this if isinstance(node, exp.Paren | exp.Neg) else node
    if isinstance(inner, exp.Literal):
        return not inner.is_string
    whole = isinstance(node, exp.Column) and not node.table and fields.of(node.name).type.is_integral
    return whole or _is_double(node, fields)


def _family(kind: Type) -> str:
    if kind.is_integral:
        return "integer"
    return {"STRING": "text", "DOUBLE": "double", "BOOLEAN": "truth"}.get(kind.name, "other")


def _literal_family(node: exp.Literal) -> str:
    if node.is_string:
        return "text"
    return "integer" if node.name.isdecimal() else "number"
