"""INSERT INTO: rows take the columns of their target, in its order and with its types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.catalog.relation import Relation
from velostream.catalog.schema import Schema
from velostream.plan.build.outcome import Keyed
from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression, column, reads
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes import Column, Node, Project, Values
from velostream.sql.statements import InsertInto
from velostream.types import Type
from velostream.validation.bound import BoundStatement
from velostream.validation.coercion import common_of
from velostream.validation.units import name_of

if TYPE_CHECKING:
    from velostream.functions.library import Library


def insert_of(statement: BoundStatement) -> InsertInto | None:
    """The INSERT that a statement is, also inside START JOB and the like."""
    tree = statement.parsed.tree
    return None if tree is None else tree.find(InsertInto)


def plan_values(statement: BoundStatement, relations: Mapping[str, Relation], library: Library) -> Keyed | None:
    """`INSERT INTO x VALUES …`; None for any other statement."""
    insert = insert_of(statement)
    if insert is None or not isinstance(insert.args["query"], exp.Values):
        return None
    rows = [_row(each, library) for each in insert.args["query"].expressions]
    named = [each.name for each in insert.args.get("columns") or []]
    target = relations.get(name_of(insert.this).casefold())
    known = [each.name for each in target.schema] if target is not None else []
    names = named or known or [f"col_{place + 1}" for place in range(len(rows[0]))]
    kinds = [common_of([row[place].type for row in rows]) for place in range(len(names))]
    columns = tuple(
        Field(name, kind or rows[0][place].type) for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
    )
    return Keyed(Values(columns, tuple(rows)))


def fitted(keyed: Keyed, statement: BoundStatement, relations: Mapping[str, Relation]) -> Keyed:
    """The rows as the columns of the target; a column that was not given is NULL."""
    insert = insert_of(statement)
    target = relations.get(name_of(insert.this).casefold()) if insert is not None else None
    if target is None or target.schema.is_open or not target.schema.columns:
        return keyed
    node = keyed.node
    given = {member.name.casefold(): member for member in node.fields.visible}
    shown = tuple(_fitted(each.name, each.type, given.get(each.name.casefold())) for each in target.schema)
    if _fits(shown, node, target.schema):
        return keyed
    taken = {each.name for each in shown}
    system = (f for f in node.fields if (f.system or f.name in keyed.key) and f.name not in taken)
    hidden = tuple(Column(f.name, reads(f.name, f.type), system=True) for f in system)
    return Keyed(Project(node, (*shown, *hidden), node.time), keyed.key)


def _row(tree: exp.Expr, library: Library) -> tuple[Expression, ...]:
    values = tree.expressions if isinstance(tree, exp.Tuple) else [tree]
    return tuple(typed(value, Fields(), library) for value in values)


def _fits(shown: tuple[Column, ...], node: Node, schema: Schema) -> bool:
    same = all(each.is_carried for each in shown)
    return same and [member.name for member in node.fields.visible] == list(schema.names)


def _fitted(name: str, kind: Type, given: Field | None) -> Column:
    if given is not None and given.type in (kind, Type("UNKNOWN")):
        return Column(name, reads(given.name, kind))
    value: exp.Expr = exp.Null() if given is None else column(given.name)
    return Column(name, Expression(exp.Cast(this=value, to=exp.DataType.build(str(kind), dialect="spark")), kind))
