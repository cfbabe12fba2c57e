"""What a join does without a match: defaults are values for columns that the table has, and of their types."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlglot import exp

from velostream.catalog.schema import Schema
from velostream.config.origin import Layer
from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.sql.parse import parse_expression
from velostream.types import Type
from velostream.validation.bound import BoundJoin, BoundSource, BoundStatement, BoundSubquery
from velostream.validation.expressions.literals import readable
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses defaults for columns that are not there, and strategies that no join goes by."""
    joins = [join for select in selects_of(statement.query) for join in select.joins]
    for join in joins:
        if join.looked_up and _strategy(join.looked_up, statement) is not None:
            _defaults(join.looked_up, _schema(join), join, statement, look)
        elif join.table is not None:
            _defaults(join.table.relation.name, join.table.relation.schema, join, statement, look)
    if statement.query is None:
        return
    known = {join.table.relation.name.casefold() for join in joins if join.table is not None}
    known |= {join.looked_up.casefold() for join in joins}
    known |= {statement.creates.name.casefold()} if statement.creates is not None else set()
    for name in statement.owner_settings:
        value = _strategy(name, statement)
        if name.casefold() not in known and value is not None and value.origin.layer is Layer.STATEMENT:
            message = f"no join looks up rows of '{name}' alone: its missing.data.strategy does nothing"
            hint = "join the table itself, or a subquery over it alone; IN, EXISTS and the like say what no row means"
            look.findings.error("invalid-property", message, value.origin.span, hint=hint)


def _strategy(owner: str, statement: BoundStatement) -> Any:
    settings = statement.owner_settings.get(owner.casefold())
    if settings is None or settings.known.find("missing.data.strategy") is None:
        return None
    return settings.value("missing.data.strategy")


def _schema(join: BoundJoin) -> Schema:
    """The columns of what a join looks up."""
    if isinstance(join.right, BoundSubquery) and join.right.alias == join.looked_up:
        return join.right.query.schema
    member = join.right if isinstance(join.right, BoundSource) and join.right.alias == join.looked_up else join.table
    return member.relation.schema if member is not None else Schema((), is_open=True)


def _defaults(owner: str, schema: Schema, join: BoundJoin, statement: BoundStatement, look: Look) -> None:
    value = _strategy(owner, statement)
    if value is None or schema.is_open:
        return
    for name, text in value.value.defaults:
        column = schema.find(name)
        span = value.origin.span or join.right.span
        if column is None:
            hint = did_you_mean(name, schema.names, "columns")
            message = f"use_defaults names '{name}', which is no column of '{owner}'"
            look.findings.error("unknown-column", message, span, hint=hint)
        elif not _is_value(text, column.type):
            message = f"use_defaults gives '{column.name}' {text}, which is no value of {column.type}"
            hint = "give a number, a text in quotes, TRUE, FALSE or NULL: it fails no record, so it must fit"
            look.findings.error("type-mismatch", message, span, hint=hint)


def _is_value(text: str, kind: Type) -> bool:
    """True for a literal that a column of the type can hold: a cast that fails would end the job."""
    try:
        tree = parse_expression(text)
    except VeloError:
        return False
    negative = isinstance(tree, exp.Neg)
    literal = tree.this if negative else tree
    if isinstance(literal, exp.Null):
        return not negative
    if isinstance(literal, exp.Boolean):
        return not negative and kind.name in ("BOOLEAN", "STRING", "UNKNOWN")
    if not isinstance(literal, exp.Literal) or (negative and literal.is_string):
        return False
    if kind.name in ("STRING", "UNKNOWN"):
        return True
    if not (literal.is_string or kind.is_numeric) or kind.name in ("ARRAY", "MAP", "STRUCT"):
        return False
    shown = f"-{literal.name}" if negative else literal.name
    return readable(shown, kind) and _has_room(shown, kind)


def _has_room(text: str, kind: Type) -> bool:
    """True where a number is not too large for its type."""
    if kind.name in _BITS:
        return -(1 << _BITS[kind.name] - 1) <= int(text) < 1 << _BITS[kind.name] - 1
    if kind.precision is not None and kind.scale is not None:
        return abs(Decimal(text)) < Decimal(10) ** (kind.precision - kind.scale)
    return True
