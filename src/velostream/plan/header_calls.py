"""HEADER, HAS_HEADER, HEADER_KEYS: in a plan they name the field that holds the headers, as their last argument."""

from __future__ import annotations

from sqlglot import exp

from velostream.plan.rewriting import rewritten

HEADERS = "_headers"
READERS = ("HEADER", "HAS_HEADER", "HEADER_KEYS")
SETTERS = ("SET_HEADER", "REMOVE_HEADER")
_WITHOUT = {"HEADER": "CAST(NULL AS STRING)", "HAS_HEADER": "FALSE", "HEADER_KEYS": "''"}
_ARGUMENTS = {"HEADER": 1, "HAS_HEADER": 1, "HEADER_KEYS": 0}


def reading(tree: exp.Expr, field: str) -> exp.Expr:
    """A copy whose calls read the headers of `field`; where that is empty there are none, and the answer is known."""

    def rule(node: exp.Expr) -> exp.Expr:
        name = _name(node)
        if name not in READERS or len(node.expressions) > _ARGUMENTS[name]:
            return node
        if not field:
            return _parsed(_WITHOUT[name])
        column = exp.Column(this=exp.Identifier(this=field, quoted=True))
        return exp.Anonymous(this=name, expressions=[*(each.copy() for each in node.expressions), column])

    return rewritten(tree, rule)


def as_written(tree: exp.Expr) -> exp.Expr:
    """A copy without the fields that were added."""

    def rule(node: exp.Expr) -> exp.Expr:
        name = _name(node)
        if name not in READERS or len(node.expressions) <= _ARGUMENTS[name]:
            return node
        return exp.Anonymous(this=name, expressions=[each.copy() for each in node.expressions[:-1]])

    return rewritten(tree, rule)


def for_spark(tree: exp.Expr) -> exp.Expr:
    """A copy in which the calls stand as Spark can compute them, over the field that they name."""

    def rule(node: exp.Expr) -> exp.Expr:
        name = _name(node)
        if name not in READERS or len(node.expressions) <= _ARGUMENTS[name]:
            return node
        from velostream.functions import find
        from velostream.sql.printing.text import spark_sql

        function = find(name)
        assert function is not None
        *arguments, headers = node.expressions
        lowered = _parsed(function.lower([spark_sql(each) for each in arguments]))
        named: exp.Expr = headers
        return rewritten(lowered, lambda part: named.copy() if _is_headers(part) else part)

    return rewritten(tree, rule)


def _name(node: exp.Expr) -> str:
    return str(node.this).upper() if isinstance(node, exp.Anonymous) else ""


def _is_headers(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name == HEADERS and not node.table


def _parsed(text: str) -> exp.Expr:
    from velostream.sql.parse import parse_expression

    return parse_expression(text)
