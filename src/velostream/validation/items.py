"""The select list: stars, names, keys, headers, and the columns that come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.catalog import system_columns
from velostream.catalog.schema import Column, Schema
from velostream.sql.nodes import KeyItem
from velostream.sql.spans import span_of
from velostream.validation.aliases import Aliases
from velostream.validation.bound import BoundExpression, BoundItem
from velostream.validation.expressions.access import field_node
from velostream.validation.grouping import has_aggregate
from velostream.validation.outer_aggregates import outside_of
from velostream.validation.scope import Found, Scope, ScopeInput

if TYPE_CHECKING:
    from velostream.validation.select import SelectBinder

_SETTERS = ("SET_HEADER", "REMOVE_HEADER")


def bind_items(select: SelectBinder, node: exp.Select, aliases: Aliases) -> tuple[BoundItem, ...]:
    """The items of the select list, stars expanded."""
    bound: list[BoundItem] = []
    for item in node.expressions:
        if _star(item) is not None:
            bound += _expanded(select, item)
        else:
            bound.append(_item(select, item, aliases, bound))
    if not select.context.positional:
        _refuse_duplicates(select, bound)
    return tuple(bound)


def _star(item: exp.Expr) -> exp.Star | None:
    if isinstance(item, exp.Star):
        return item
    if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
        return item.this
    return None


def _expanded(select: SelectBinder, item: exp.Expr) -> list[BoundItem]:
    """`*` and `t.*`, without system columns; EXCEPT leaves columns out."""
    star = _star(item)
    members = select.scope.inputs
    if isinstance(item, exp.Column):
        member = select.scope.input_named(item.table)
        if member is None:
            hint = "inputs: " + ", ".join(other.alias for other in members)
            select.refuse("unknown-stream", f"'{item.table}' is not read by this query", item, hint)
            return []
        members = [member]
    if not members:
        select.refuse("syntax", "'*' needs a FROM", item, "name the values")
    assert star is not None
    for key in ("replace", "rename"):
        if star.args.get(key):
            select.refuse("unsupported", f"* {key.upper()} is not supported", item, "name the columns")
    left_out = _left_out(select, star, members)
    span = span_of(item)
    result: list[BoundItem] = []
    for member in members:
        for column in member.schema:
            shared = select.scope.merged.get(column.name.casefold())
            if column.name.casefold() in left_out or (
                shared is not None and shared != member.alias and len(members) > 1
            ):
                continue
            found = Found(f"{member.alias}.{column.name}", column.type)
            tree = field_node(found)
            tree.meta.update(item.meta)
            result.append(BoundItem(column.name, BoundExpression(tree, column.type, span), span))
    return result


def _left_out(select: SelectBinder, star: exp.Star, members: list[ScopeInput]) -> set[str]:
    names = set()
    for part in star.args.get("except_") or []:
        if not any(member.schema.is_open or member.schema.find(part.name) for member in members):
            select.refuse("unknown-column", f"EXCEPT names '{part.name}', which is not there", part, "remove it")
        names.add(part.name.casefold())
    return names


def _item(select: SelectBinder, item: exp.Expr, aliases: Aliases, before: list[BoundItem]) -> BoundItem:
    key = isinstance(item, KeyItem)
    inner = item.this if isinstance(item, KeyItem) else item
    value = inner.this if isinstance(inner, exp.Alias) else inner
    alias = inner.alias if isinstance(inner, exp.Alias) else ""
    span = span_of(inner)
    tree = _with_earlier_aliases(select, value, aliases, alias)
    expression = select.rows.bind(tree)
    if alias.casefold() == "_event_time" and not (
        isinstance(value, exp.Column) and value.name.casefold() == "_event_time"
    ):
        return _event_time(select, expression, span)
    if alias and system_columns.is_reserved(alias) and not _is_itself(value, alias):
        hint = f"choose another name, such as '{alias.lstrip('_')}'"
        select.context.findings.error("reserved-column", f"'{alias}' is the name of a system column", span, hint=hint)
    name = alias or _name(value, before)
    return BoundItem(name, expression, span, key=key, visible=bool(alias) or not _sets_header(value))


def _with_earlier_aliases(select: SelectBinder, value: exp.Expr, aliases: Aliases, own: str) -> exp.Expr:
    """Spark lets an item use the alias of an earlier one where no input has such a column."""
    unknown = [
        column
        for column in value.find_all(exp.Column)
        if len(column.parts) == 1 and not isinstance(select.scope.resolve(column.name), Found)
    ]
    return aliases.substituted(value, select.scope, (), before=own.casefold()) if unknown else value


def _is_itself(value: exp.Expr, alias: str) -> bool:
    column = system_columns.find(value.name) if isinstance(value, exp.Column) else None
    return column is not None and column.name == alias.casefold()


def _event_time(select: SelectBinder, expression: BoundExpression, span: object) -> BoundItem:
    if expression.type.is_known and not expression.type.is_time:
        hint = "cast it, or turn epoch numbers with TIMESTAMP_MILLIS(n)"
        message = f"AS _event_time needs a TIMESTAMP, not {expression.type}"
        select.context.findings.error("type-mismatch", message, expression.span, hint=hint)
    return BoundItem("_event_time", expression, expression.span, visible=False, sets_event_time=True)


def _sets_header(value: exp.Expr) -> bool:
    return isinstance(value, exp.Anonymous) and str(value.this).upper() in _SETTERS


def _name(value: exp.Expr, before: list[BoundItem]) -> str:
    """A name for an item without one: the column's, `avg_price` for AVG(price), `count` for COUNT(*), else `col_3`."""
    while isinstance(value, (exp.Paren, exp.Cast, exp.Filter, exp.Window, exp.WithinGroup)):
        value = value.this
    name = f"col_{len(before) + 1}"
    if isinstance(value, exp.Column):
        system = system_columns.find(value.name)
        name = value.name if system is None or not value.name.startswith("$") else system.name
    elif isinstance(value, (exp.Dot, exp.Bracket)) or value.key == "fieldaccess":
        name = value.args["expression"].name if value.args.get("expression") is not None else name
    elif isinstance(value, exp.Anonymous):
        arguments = [part.name for part in value.find_all(exp.Column)]
        name = "_".join([str(value.this).casefold(), *(arguments if len(arguments) == 1 else [])])
    taken = {item.name.casefold() for item in before}
    number, candidate = 2, name
    while candidate.casefold() in taken and not isinstance(value, exp.Column):
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def _refuse_duplicates(select: SelectBinder, bound: list[BoundItem]) -> None:
    seen: dict[str, BoundItem] = {}
    for item in bound:
        if not item.visible:
            continue
        if item.name.casefold() in seen:
            hint = f"rename one: … AS {item.name}_2"
            select.context.findings.error(
                "duplicate-name", f"two columns are named '{item.name}'", item.span, hint=hint
            )
        seen[item.name.casefold()] = item


def implicit_grouping(
    select: SelectBinder, bound: tuple[BoundItem, ...], *, windowed: bool
) -> tuple[BoundExpression, ...]:
    """With WINDOW and no GROUP BY the plain columns of the select list are the grouping."""
    if not windowed:
        return ()
    library = select.context.library
    grouping = []
    for item in bound:
        tree = item.expression.tree
        own = [name for name in item.expression.fields if "." in name]
        aggregates = has_aggregate(tree, library) or next(outside_of(tree), None) is not None
        if own and not aggregates and not item.sets_event_time and not tree.find(exp.Window):
            grouping.append(item.expression)
    if grouping:
        names = ", ".join(item.name for item in bound if item.expression in grouping)
        select.context.findings.note(
            "implicit-grouping", f"grouped by {names}", grouping[0].span, hint="GROUP BY says so in words"
        )
    return tuple(grouping)


def schema_of(bound: tuple[BoundItem, ...], scope: Scope, *, aggregated: bool) -> Schema:
    """The columns that come out."""
    columns = tuple(
        Column(item.name, item.expression.type, key=item.key, span=item.span) for item in bound if item.visible
    )
    return Schema(columns, is_open=scope.is_open and not aggregated and not columns)
