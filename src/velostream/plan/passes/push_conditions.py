"""Push conditions: what filters rows is done as near to the sources as it means the same there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from velostream.plan.expression import Expression, all_of, parts_of
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import (
    Aggregate,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    Node,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowWindows,
    Scan,
    Sinks,
    SubqueryCheck,
    TableScan,
    TopN,
    Union,
    Unnest,
    Values,
)
from velostream.plan.nodes.filter import REMOVE
from velostream.plan.passes.determinism import is_deterministic
from velostream.plan.passes.walking import each_root
from velostream.plan.visitor import Visitor


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on its way down, and the clause that it stands in, which decides how its rows are counted."""

    expression: Expression
    origin: str

    def reads_only(self, names: object) -> bool:
        """True where it reads something, and only of these fields."""
        fields = self.expression.fields
        return bool(fields) and all(name in names for name in fields)  # type: ignore[operator]

    def given(self, values: dict[str, Expression]) -> Condition:
        """The same over what the fields stand for."""
        return replace(self, expression=self.expression.given(values))


Conditions = list[Condition]
PUSH: Visitor[Node] = Visitor("push conditions")
"""`PUSH(node, conditions)`: the node with conditions over its fields applied at it or below."""


def push_conditions(plan: ApplicationPlan) -> ApplicationPlan:
    """Conditions go through projections, to a side of a join, and below groups where they read keys only."""
    return each_root(plan, lambda root: PUSH(root, []))


def _filtered(node: Node, conditions: Conditions) -> Node:
    """The conditions as filters over a node, those of one clause together."""
    for origin in dict.fromkeys(condition.origin for condition in conditions):
        parts = [condition.expression for condition in conditions if condition.origin == origin]
        node = Filter(node, all_of(parts), origin=origin)
    return node


def _split(conditions: Conditions, passes: Callable[[Condition], bool]) -> tuple[Conditions, Conditions]:
    below = [condition for condition in conditions if passes(condition) and is_deterministic(condition.expression)]
    return below, [condition for condition in conditions if condition not in below]


def _through(node: Node, conditions: Conditions, passes: Callable[[Condition], bool]) -> Node:
    """Those conditions that pass go below the only (or first) child, the others stay over the node."""
    below, above = _split(conditions, passes)
    first, *others = node.children
    return _filtered(node.with_children([PUSH(first, below), *(PUSH(other, []) for other in others)]), above)


@PUSH.on(Scan, TableScan, ReadStream, Values)
def _leaf(node: Node, conditions: Conditions) -> Node:
    return _filtered(node, conditions)


@PUSH.on(Sinks, Materialise, Print)
def _root(node: Node, conditions: Conditions) -> Node:
    return node.with_children([PUSH(child, []) for child in node.children])


@PUSH.on(Filter)
def _filter(node: Filter, conditions: Conditions) -> Node:
    if node.mode != REMOVE:
        return _through(node, conditions, lambda condition: True)
    own = [Condition(part, node.origin) for part in parts_of(node.condition)]
    return PUSH(node.input, [*own, *conditions])


@PUSH.on(Project)
def _project(node: Project, conditions: Conditions) -> Node:
    values = {column.name: column.expression for column in node.columns if is_deterministic(column.expression)}
    below, above = _split(conditions, lambda condition: condition.reads_only(values))
    moved = [condition.given(values) for condition in below]
    return _filtered(node.with_children([PUSH(node.input, moved)]), above)


@PUSH.on(Unnest)
def _unnest(node: Unnest, conditions: Conditions) -> Node:
    return _through(node, conditions, lambda condition: condition.reads_only(node.input.fields))


@PUSH.on(SubqueryCheck)
def _subquery_check(node: SubqueryCheck, conditions: Conditions) -> Node:
    return _through(node, conditions, lambda condition: condition.reads_only(node.input.fields))


@PUSH.on(Headers)
def _headers(node: Headers, conditions: Conditions) -> Node:
    return _through(node, conditions, lambda condition: condition.reads_only(node.input.fields))


@PUSH.on(JoinTable)
def _join_table(node: JoinTable, conditions: Conditions) -> Node:
    """Conditions on the stream go to it. One on the table stays: below, its rows would count as unmatched."""
    right_too = node.left.static and node.kind in ("INNER", "CROSS")
    left, rest = _split(conditions, lambda c: node.kind not in ("RIGHT", "FULL") and c.reads_only(node.left.fields))
    right, above = _split(rest, lambda c: right_too and c.reads_only(node.right.fields))
    return _filtered(node.with_children([PUSH(node.left, left), PUSH(node.right, right)]), above)


@PUSH.on(JoinStreams)
def _join_streams(node: JoinStreams, conditions: Conditions) -> Node:
    """Not below the side that an outer join fills with NULLs."""
    keeps_left, keeps_right = node.kind in ("INNER", "CROSS", "LEFT"), node.kind in ("INNER", "CROSS", "RIGHT")
    left, rest = _split(conditions, lambda c: keeps_left and c.reads_only(node.left.fields))
    right, above = _split(rest, lambda c: keeps_right and c.reads_only(node.right.fields))
    return _filtered(node.with_children([PUSH(node.left, left), PUSH(node.right, right)]), above)


@PUSH.on(Deduplicate)
def _deduplicate(node: Deduplicate, conditions: Conditions) -> Node:
    """The first record of a key wins, whatever it holds: only the key may be looked at before."""
    keys = {key.name for key in node.keys if key.is_field}
    return _through(node, conditions, lambda condition: condition.reads_only(keys))


@PUSH.on(Union)
def _union(node: Union, conditions: Conditions) -> Node:
    shared = [name for name in node.fields.names if name != "_branch"]
    below, above = _split(conditions, lambda condition: condition.reads_only(shared))
    branches = []
    for branch in node.inputs:
        places = zip(node.fields.visible, branch.fields.visible, strict=False)
        names = {mine.name: theirs.name for mine, theirs in places}
        moved = [replace(condition, expression=condition.expression.over(names)) for condition in below]
        branches.append(PUSH(branch, moved))
    return _filtered(node.with_children(branches), above)


@PUSH.on(Aggregate)
def _aggregate(node: Aggregate, conditions: Conditions) -> Node:
    """A condition on keys leaves out whole groups, so it may as well leave out their records."""
    keys = {key.name: key.expression for key in node.keys}
    below, above = _split(conditions, lambda condition: condition.reads_only(keys))
    moved = [condition.given(keys) for condition in below]
    return _filtered(node.with_children([PUSH(node.input, moved)]), above)


@PUSH.on(RowWindows, TopN)
def _row_windows(node: RowWindows | TopN, conditions: Conditions) -> Node:
    """A condition on the partition leaves out whole partitions."""
    keys = {key.name for key in node.partition if key.is_field}
    return _through(node, conditions, lambda condition: condition.reads_only(keys))


@PUSH.on(Distinct)
def _distinct(node: Distinct, conditions: Conditions) -> Node:
    return _through(node, conditions, lambda condition: condition.reads_only(node.keys))


@PUSH.on(OrderLimit)
def _order_limit(node: OrderLimit, conditions: Conditions) -> Node:
    return _through(node, conditions, lambda condition: node.limit is None)
