"""What tables were at earlier times: which are asked for it, and of which that are made of others it can be told.

A row that is made of one row of a table, and of one of each table that this is joined with, has versions as these have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from velostream.functions import find
from velostream.plan.expression import Expression
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Filter, JoinTable, Materialise, Project, TableScan

_ROW_WISE = (Materialise, TableScan, Filter, Project, JoinTable)
_JOINS = {"INNER": ("skip_record", "use_defaults"), "LEFT": ("skip_record", "emit_with_nulls", "use_defaults")}
"""The joins whose rows have versions, and what may be set to become of those without a match."""
_KINDS = {
    "Aggregate": "GROUP BY",
    "Distinct": "DISTINCT",
    "Union": "UNION",
    "OrderLimit": "LIMIT",
    "SubqueryCheck": "a subquery",
    "Unnest": "UNNEST",
    "Values": "a list of values",
}


def asked_versions(job: Job) -> set[str]:
    """The tables that a job asks what they were at a time."""
    joins = (node for node in job.root.walk() if isinstance(node, JoinTable) and node.as_of is not None)
    return {scan.table for join in joins for scan in join.right.walk() if isinstance(scan, TableScan)}


def versioned(plan: ApplicationPlan) -> set[str]:
    """All tables whose past is kept: those that jobs ask for, and those that such ones are made of."""
    makers = {each.made.table: each for each in plan.derived}
    found: set[str] = set()
    open_ = [name for job in plan.jobs for name in asked_versions(job)]
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += makers[name].tables if name in makers else ()
    return found


def untold(maker: Job, functions: Mapping[str, Any]) -> Iterator[str]:
    """Why nobody can tell what the rows of a table were that is made of others; nothing where it can be told."""
    for node in maker.root.walk():
        if not isinstance(node, _ROW_WISE):
            yield f"{_KINDS.get(type(node).__name__, 'its query')} makes a row of many"
        elif isinstance(node, JoinTable) and node.missing.strategy not in _JOINS.get(node.kind, ()):
            yield f"its {node.kind} JOIN with {node.missing.strategy} does not tell versions of a row"
        elif isinstance(node, JoinTable) and not (node.meets_one and node.left.identity):
            yield "its JOIN does not name the whole key of each table"
        elif any(_is_unsteady(one, functions) for one in node.expressions):
            yield "its query says something else whenever it is asked"
    made = maker.made
    if not made.input.identity or not set(made.key).issuperset(made.input.identity):
        yield "its key is not the one of the table that it is made of"


def _is_unsteady(expression: Expression, functions: Mapping[str, Any]) -> bool:
    """True where an expression calls something that depends on more than what it is given."""
    for call in expression.tree.find_all(exp.Func):
        name = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
        function = functions.get(name) or find(name)
        if function is not None and (not function.deterministic or function.family in ("clock", "random")):
            return True
    return False


def is_row_wise(maker: Job, functions: Mapping[str, Any]) -> bool:
    """True where each row of a table is made of one row of one other table, whose key is its own key."""
    made, nodes = maker.made, list(maker.made.input.walk())
    plain = all(isinstance(node, Filter | Project | TableScan) for node in nodes)
    return plain and set(made.key) == set(made.input.identity) and not any(untold(maker, functions))
