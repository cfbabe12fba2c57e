"""In a grouped SELECT every column is grouped or inside an aggregate."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.spans import span_of
from velostream.validation.bound import BoundSelect, BoundStatement
from velostream.validation.grouping import is_aggregate_call
from velostream.validation.rules.base import Look
from velostream.validation.walk import all_selects_of, streams


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses columns of the input that a group has many values of."""
    for select in all_selects_of(statement.query):
        ungrouped = not select.grouping and not select.windowed
        if not select.aggregated or (ungrouped and streams(select)):
            continue  # that there is no grouping at all is another finding
        trees = [item.expression.tree for item in select.items]
        trees += [select.having.tree] if select.having is not None else []
        trees += [term.expression.tree for term in select.order]
        for tree in trees:
            _look_into(tree, select, look)


def _look_into(tree: exp.Expr, select: BoundSelect, look: Look) -> None:
    grouped = [expression.tree for expression in select.grouping]
    aliases = {member.alias for member in select.inputs}
    pending = [tree]
    while pending:
        node = pending.pop()
        if node in grouped or is_aggregate_call(node, look.library):
            continue
        if isinstance(node, exp.Anonymous) and look.library.find(str(node.this)) is None:
            continue  # it may be an aggregate: that it is unknown has been said
        if isinstance(node, exp.Filter):
            pending.append(node.this)
            continue
        if isinstance(node, exp.WithinGroup):
            continue
        if isinstance(node, exp.Column) and not node.table and "." in node.name:
            if node.name.split(".", 1)[0] in aliases:  # a subquery may read the row around it
                _refuse(node, select, look)
            continue
        pending += [part for part in node.iter_expressions() if isinstance(part, exp.Expr)]


def _refuse(node: exp.Column, select: BoundSelect, look: Look) -> None:
    name = node.name.split(".", 1)[1]
    grouped = ", ".join(field.split(".", 1)[-1] for expression in select.grouping for field in expression.fields)
    hint = f"add it to GROUP BY, or use an aggregate such as MAX({name}) or LAST_VALUE({name})"
    if grouped:
        hint += f"; grouped: {grouped}"
    look.findings.error("not-grouped", f"column '{name}' is neither grouped nor aggregated", span_of(node), hint=hint)
