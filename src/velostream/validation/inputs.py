"""What stands in FROM and JOIN: relations, subqueries, CTEs, UNNEST and LATERAL VIEW."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream import types
from velostream.catalog.schema import Column, Schema
from velostream.config.connections.address import read_address
from velostream.errors import VeloError
from velostream.functions.base import Function, FunctionKind
from velostream.functions.check import check
from velostream.registry import did_you_mean
from velostream.sql.nodes import Duration, Location, StreamTable
from velostream.sql.spans import span_of
from velostream.types import BIGINT, INT, STRING, UNKNOWN, Type
from velostream.validation.bound import BoundExpression, BoundInput, BoundSource, BoundSubquery, BoundUnnest
from velostream.validation.columns import record_columns_of
from velostream.validation.scope import ScopeInput

if TYPE_CHECKING:
    from velostream.validation.select import SelectBinder

_EXPLODERS = {
    "EXPLODE",
    "EXPLODE_OUTER",
    "POSEXPLODE",
    "POSEXPLODE_OUTER",
    "INLINE",
    "INLINE_OUTER",
    "STACK",
    "JSON_TUPLE",
}


def bind_input(select: SelectBinder, node: exp.Expr) -> BoundInput | None:
    """An input; None, with findings, where it cannot be read."""
    if isinstance(node, exp.Table):
        return _table(select, node)
    if isinstance(node, exp.Subquery):
        return _subquery(select, node)
    if isinstance(node, exp.Unnest):
        return _unnest(select, node)
    if isinstance(node, exp.Lateral):
        return _lateral(select, node)
    select.refuse("unsupported", "this cannot be read in FROM", node, "read a stream, a table or a subquery")
    return None


def scope_input(member: BoundInput) -> ScopeInput:
    """The input as names see it."""
    if isinstance(member, BoundSource):
        relation = member.relation
        return ScopeInput(member.alias, relation.schema, relation.record_columns, is_table=relation.is_table)
    if isinstance(member, BoundSubquery):
        return ScopeInput(
            member.alias, member.query.schema, record_columns_of(member.query), is_table=is_static(member)
        )
    return ScopeInput(member.alias, member.schema, (), is_table=True)


def is_static(member: BoundInput) -> bool:
    """True where rows are looked up and not streamed: tables, and queries over nothing but tables."""
    if isinstance(member, BoundSource):
        return member.relation.is_table
    if isinstance(member, BoundUnnest):
        return True
    from velostream.validation.bound import BoundUnion

    query = member.query
    if isinstance(query, BoundUnion):
        return all(is_static(BoundSubquery("", side, query.span)) for side in (query.left, query.right))
    return all(is_static(inner) for inner in query.inputs)


def _table(select: SelectBinder, node: exp.Table) -> BoundInput | None:
    for unknown in ("sample", "pivots", "hints", "changes", "when", "partition", "only"):
        if node.args.get(unknown):
            select.refuse("unsupported", f"{unknown.upper()} is not supported on a stream", node, "leave it out")
    name = _name(node)
    alias = node.alias or (name if not isinstance(node.this, Location) else short_name(name))
    cte = select.context.ctes.get(name.casefold()) if not isinstance(node.this, Location) else None
    if cte is not None:
        for clause, words in (("version", "FOR SYSTEM_TIME AS OF"), ("watermark", "WATERMARK")):
            if node.args.get(clause):
                hint = f"say it of the table or stream that '{name}' reads"
                select.refuse("unsupported", f"'{name}' is a query, which takes no {words}", node, hint)
        return BoundSubquery(alias, cte, span_of(node))
    relation = select.context.relation(name)
    if relation is None and name.casefold() in select.context.refused:
        return None
    if relation is None:
        known = [other.name for other in select.context.relations.values()]
        hint = did_you_mean(name, known, "streams and tables")
        hint = hint or f"declare it, or give it a type: WITH ('{name}.type' = 'kafka_source', …)"
        select.refuse("unknown-stream", f"there is no stream or table '{name}'", node.this, hint)
        return None
    delay, column = _watermark(select, node)
    return BoundSource(alias, relation, span_of(node), _as_of(select, node), delay, column)


def _name(node: exp.Table) -> str:
    if isinstance(node.this, Location):
        return node.this.name
    return ".".join(part.name for part in node.parts)


def short_name(address: str) -> str:
    """What an address is called where it has no alias."""
    try:
        return read_address(address).name
    except VeloError:
        return "source"


def _as_of(select: SelectBinder, node: exp.Table) -> BoundExpression | None:
    version = node.args.get("version")
    if version is None:
        return None
    point = version.args.get("expression")
    kind, this = str(version.args.get("kind") or "").upper(), str(version.this).upper()
    if kind != "AS OF" or point is None or "VERSION" in this:
        select.refuse(
            "unsupported",
            "only FOR SYSTEM_TIME AS OF a time is supported",
            version,
            "FOR SYSTEM_TIME AS OF t._event_time",
        )
        return None
    bound = select.rows.bind(point)
    if bound.type.is_known and not bound.type.is_temporal:
        hint = "use a TIMESTAMP such as t._event_time, or PROCTIME()"
        select.refuse("join-as-of", f"FOR SYSTEM_TIME AS OF takes a time, not {bound.type}", point, hint)
    return bound


def _watermark(select: SelectBinder, node: exp.Table) -> tuple[int | None, str]:
    clause = node.args.get("watermark") if isinstance(node, StreamTable) else None
    if clause is None:
        return None, ""
    delay = clause.expression
    return (delay.micros if isinstance(delay, Duration) else None), clause.this.name


def _subquery(select: SelectBinder, node: exp.Subquery) -> BoundInput | None:
    answer = select.nested(node.this)
    if answer is None:
        return None
    return BoundSubquery(node.alias or f"subquery_{select.next_number()}", answer, span_of(node))


def _unnest(select: SelectBinder, node: exp.Unnest) -> BoundInput | None:
    arguments = tuple(select.rows.bind(argument) for argument in node.expressions)
    alias = node.args.get("alias")
    names = [column.name for column in (alias.args.get("columns") or [])] if alias is not None else []
    offset = node.args.get("offset")
    elements = _elements(select, node, arguments)
    if offset:
        elements.append(("ordinality", BIGINT))
        names += [offset.name] if isinstance(offset, exp.Identifier) else []
    schema = _named(select, node, elements, names)
    return BoundUnnest(node.alias or "unnest", "UNNEST", arguments, schema, outer=False, span=span_of(node))


def _elements(select: SelectBinder, node: exp.Expr, arguments: tuple[BoundExpression, ...]) -> list[tuple[str, Type]]:
    elements: list[tuple[str, Type]] = []
    for argument in arguments:
        kind = argument.type
        if kind.name == "ARRAY" and kind.arguments[0].name == "STRUCT":
            elements += list(kind.arguments[0].fields)
        elif kind.name == "ARRAY":
            elements.append(("col", kind.arguments[0]))
        elif kind.name == "MAP":
            elements += [("key", kind.arguments[0]), ("value", kind.arguments[1])]
        else:
            if kind.is_known:
                select.refuse(
                    "type-mismatch",
                    f"UNNEST takes an ARRAY or a MAP, not {kind}",
                    node,
                    "SPLIT(text, ',') makes an array",
                )
            elements.append(("col", UNKNOWN))
    return elements


def _lateral(select: SelectBinder, node: exp.Lateral) -> BoundInput | None:
    call = node.this
    if isinstance(call, exp.Subquery):
        select.refuse(
            "join-unsupported", "LATERAL takes a function, not a subquery", node, "use LATERAL VIEW explode(array)"
        )
        return None
    name = str(call.this).upper() if isinstance(call, exp.Anonymous) else call.sql_name().upper()
    function = select.context.library.find(name)
    if function is not None and function.kind is FunctionKind.TABLE and function.implementation is not None:
        return _of_user(select, node, function)
    if name not in _EXPLODERS and name != "UNNEST":
        hint = did_you_mean(name, _EXPLODERS) or "use EXPLODE, POSEXPLODE or INLINE"
        select.refuse("unknown-function", f"'{name}' does not give rows", call, hint)
        return None
    arguments = tuple(
        select.rows.bind(argument) for argument in call.iter_expressions() if isinstance(argument, exp.Expression)
    )
    alias = node.args.get("alias")
    names = [column.name for column in (alias.args.get("columns") or [])] if alias is not None else []
    elements = _rows_of(select, call, name, arguments)
    schema = _named(select, node, elements, names)
    outer = bool(node.args.get("outer")) or name.endswith("_OUTER")
    return BoundUnnest(
        node.alias or name.casefold(), name.removesuffix("_OUTER"), arguments, schema, outer=outer, span=span_of(node)
    )


def _of_user(select: SelectBinder, node: exp.Lateral, function: Function) -> BoundUnnest:
    """A table-valued function that a user wrote: its columns are those that it declares."""
    call = node.this
    arguments = tuple(select.rows.bind(argument) for argument in call.expressions)
    problem = check(function, tuple(argument.type for argument in arguments))
    if problem is not None:
        select.refuse(problem.code, problem.message, call, problem.hint)
    alias = node.args.get("alias")
    names = [column.name for column in (alias.args.get("columns") or [])] if alias is not None else []
    elements = list(function.result_type(tuple(argument.type for argument in arguments)).fields)
    schema = _named(select, node, elements, names)
    alias_name = node.alias or function.name.casefold()
    return BoundUnnest(alias_name, function.name, arguments, schema, bool(node.args.get("outer")), span_of(node))


def _rows_of(
    select: SelectBinder, node: exp.Expr, name: str, arguments: tuple[BoundExpression, ...]
) -> list[tuple[str, Type]]:
    if name == "JSON_TUPLE":
        return [(f"c{index}", STRING) for index in range(max(len(arguments) - 1, 1))]
    if name == "STACK":
        return _stack(select, node, arguments)
    elements = _elements(select, node, arguments[:1])
    inline = name.startswith("INLINE")
    if not inline and arguments and arguments[0].type.name == "ARRAY":
        elements = [("col", arguments[0].type.arguments[0])]
    return [("pos", INT), *elements] if name.startswith("POSEXPLODE") else elements


def _stack(select: SelectBinder, node: exp.Expr, arguments: tuple[BoundExpression, ...]) -> list[tuple[str, Type]]:
    count = arguments[0].tree if arguments else None
    if not isinstance(count, exp.Literal) or not count.name.isdecimal() or int(count.name) < 1:
        select.refuse(
            "wrong-arguments", "STACK begins with the number of rows", node, "STACK(2, a, b, c, d) gives two rows"
        )
        return [("col0", UNKNOWN)]
    width = -(-(len(arguments) - 1) // int(count.name)) or 1
    return [
        (f"col{index}", arguments[1 + index].type if 1 + index < len(arguments) else types.NULL)
        for index in range(width)
    ]


def _named(select: SelectBinder, node: exp.Expr, elements: list[tuple[str, Type]], names: list[str]) -> Schema:
    if names and len(names) != len(elements) and all(kind.is_known for _, kind in elements):
        message = f"{len(names)} names for {len(elements)} columns"
        hint = "columns: " + ", ".join(name for name, _ in elements)
        select.refuse("wrong-arguments", message, node, hint)
    shown = names or [name for name, _ in elements]
    kinds = [kind for _, kind in elements] + [UNKNOWN] * max(0, len(shown) - len(elements))
    return Schema(tuple(Column(name, kind) for name, kind in zip(shown, kinds, strict=False)))
