"""Columns, fields of structs, elements of arrays and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.registry import did_you_mean
from velostream.types import STRING, UNKNOWN, Type
from velostream.validation import coercion
from velostream.validation.scope import Found, Missing

if TYPE_CHECKING:
    from velostream.validation.expressions.binder import ExpressionBinder
    from velostream.validation.scope import Scope


def column(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`name`, `alias.name`, `name.field`, `alias.name.field`: replaced by the field that it means."""
    if node.meta.get("field"):
        return UNKNOWN
    if isinstance(node.this, exp.Star):
        binder.refuse("syntax", "'*' is not a value", node, "name the columns; COUNT(*) counts rows")
        return UNKNOWN
    assert isinstance(node, exp.Column)
    parts = list(node.parts)
    found, used = resolve_parts(binder.scope, [part.name for part in parts])
    if isinstance(found, Missing):
        place = parts[min(used, len(parts) - 1)] if found.code != "unknown-stream" else parts[0]
        whole = node if len(parts) == 1 or found.code != "unknown-stream" else place
        binder.refuse(found.code, found.message, whole, found.hint)
        return UNKNOWN
    target: exp.Expr = _event_time(binder.scope, found) if len(parts) == 1 else field_node(found)
    kind = found.type
    for part in parts[used:]:
        kind = field_type(binder, kind, part)
        target = exp.Dot(this=target, expression=part.copy())
    if target is not node:
        target.meta["system_time"] = bool(found.system and found.type.is_time and used == len(parts))
        binder.replace(node, target)
    return kind


def resolve_parts(scope: Scope, names: list[str]) -> tuple[Found | Missing, int]:
    """What a dotted name means, and how many of its parts name the column; the others are fields of a struct."""
    if len(names) == 1:
        return scope.resolve(names[0]), 1
    qualified = scope.resolve(names[1], names[0])
    if isinstance(qualified, Found):
        return qualified, 2
    plain = scope.resolve(names[0])
    if isinstance(plain, Found) and (plain.type.name in ("STRUCT", "MAP", "UNKNOWN", "VARIANT")):
        return plain, 1
    return qualified, 1 if qualified.code == "unknown-stream" else 2


def _event_time(scope: Scope, found: Found) -> exp.Expr:
    """A field that is named without an input: the event time of a row is that of the side which it has."""
    times = [other for alias in scope.times if isinstance(other := scope.resolve("_event_time", alias), Found)]
    if found.system is None or found.system.name != "_event_time" or not found.alias or found.outer or not times:
        return field_node(found)
    return exp.Anonymous(this="COALESCE", expressions=[field_node(each) for each in (found, *times)])


def field_node(found: Found) -> exp.Expr:
    """A reference to a field."""
    node = exp.Column(this=exp.Identifier(this=found.field, quoted=True))
    node.meta["field"] = True
    return node


def field_type(binder: ExpressionBinder, owner: Type, part: exp.Expr) -> Type:
    """The type of a struct's field, or of a map's value."""
    if not owner.is_known or owner.name == "VARIANT":
        return UNKNOWN
    if owner.name == "MAP":
        return owner.arguments[1]
    if owner.name == "ARRAY" and owner.arguments[0].name == "STRUCT":
        from velostream.types import array

        return array(field_type(binder, owner.arguments[0], part))
    if owner.name != "STRUCT":
        binder.refuse("type-mismatch", f"{owner} has no field '{part.name}'", part, "only a STRUCT or MAP has fields")
        return UNKNOWN
    for name, kind in owner.fields:
        if name.casefold() == part.name.casefold():
            return kind
    hint = did_you_mean(part.name, [name for name, _ in owner.fields], "fields")
    binder.refuse("unknown-column", f"the struct has no field '{part.name}'", part, hint)
    return UNKNOWN


def dot(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`expression.field`."""
    return field_type(binder, binder.visit(node.this), node.expression)


def field_access(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """ksqlDB's `a->b`, which Spark writes as `a.b`."""
    owner = binder.visit(node.this)
    kind = field_type(binder, owner, node.expression)
    binder.replace(node, exp.Dot(this=node.this.copy(), expression=node.expression.copy()))
    return kind


def bracket(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`array[0]`, `map['k']`."""
    owner = binder.visit(node.this)
    keys = binder.visit_all(node.expressions)
    if owner.name == "ARRAY":
        if keys and keys[0].is_known and not keys[0].is_integral:
            binder.refuse(
                "type-mismatch", f"an array's index is a whole number, not {keys[0]}", node, "arrays count from 0"
            )
        return owner.arguments[0]
    if owner.name == "MAP":
        if keys and not coercion.comparable(owner.arguments[0], keys[0]):
            message = f"the keys of the map are {owner.arguments[0]}, not {keys[0]}"
            binder.refuse("type-mismatch", message, node.expressions[0], "use a key of the map's own type")
        return owner.arguments[1]
    if owner.name == "STRUCT" and len(node.expressions) == 1 and keys[0] == STRING:
        return UNKNOWN
    if owner.is_known and owner.name != "VARIANT":
        binder.refuse("type-mismatch", f"{owner} has no elements", node, "[ ] takes an ARRAY or a MAP")
    return UNKNOWN


def lambda_variable(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """A variable of a lambda, or a bare word that is part of a function's syntax."""
    answer = binder.scope.resolve(node.name)
    return answer.type if isinstance(answer, Found) and answer.alias == "<lambda>" else UNKNOWN
