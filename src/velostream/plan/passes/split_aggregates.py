"""Split aggregates: what is computed before the operator, what the operator merges, and what comes after it.

Before: arguments, keys, filters and times become plain fields, which Spark computes. Merge: whether the router may fold
rows into partial results before they are sent. After: arithmetic on results and HAVING stand above already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from velostream.plan.emission import CHANGES
from velostream.plan.expression import Expression, reads
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import (
    Aggregate,
    AggregateCall,
    Column,
    Combining,
    Deduplicate,
    JoinStreams,
    KeyPair,
    Node,
    Order,
    Project,
    RowCall,
    RowWindows,
    TopN,
)
from velostream.plan.passes.walking import each_root, from_below


def split_aggregates(plan: ApplicationPlan) -> ApplicationPlan:
    """Every stateful node reads plain fields."""
    return each_root(plan, lambda root: from_below(root, _split))


def _split(node: Node) -> Node:
    if isinstance(node, Aggregate):
        return _aggregate(node)
    if isinstance(node, RowWindows):
        calls = tuple(_row_call(call) for call in node.calls)
        below = _computed(node.input, node.expressions)
        return replace(node, input=below, calls=calls, partition=_fields(node.partition), order=_order(node.order))
    if isinstance(node, TopN):
        below = _computed(node.input, node.expressions)
        return replace(node, input=below, partition=_fields(node.partition), order=_order(node.order))
    if isinstance(node, Deduplicate):
        return replace(node, input=_computed(node.input, node.keys), keys=_fields(node.keys))
    if isinstance(node, JoinStreams):
        left = _computed(node.left, [pair.left for pair in node.keys])
        right = _computed(node.right, [pair.right for pair in node.keys])
        keys = tuple(KeyPair(_field(pair.left), _field(pair.right)) for pair in node.keys)
        return replace(node, left=left, right=right, keys=keys)
    return node


def _aggregate(node: Aggregate) -> Aggregate:
    window = None if node.window is None else replace(node.window, time=_field(node.window.time))
    condition = node.emission.condition
    emission = node.emission if condition is None else replace(node.emission, condition=_field(condition))
    return replace(
        node,
        input=_computed(node.input, node.expressions),
        keys=tuple(Column(key.name, _field(key.expression), key.system) for key in node.keys),
        calls=tuple(_call(call) for call in node.calls),
        window=window,
        emission=emission,
        combining=_combining(node),
    )


def _combining(node: Aggregate) -> Combining:
    """Whether rows may be folded before they are sent to their bucket."""
    slow = [call.name for call in node.calls if not call.merges]
    window = node.window
    reasons: list[tuple[Callable[[], bool], str]] = [
        (lambda: node.static, "a table is aggregated as a whole"),
        (lambda: bool(slow), f"{', '.join(slow)} needs the rows themselves"),
        (lambda: node.input.revises, "rows of the input may be replaced"),
        (lambda: node.emission.mode == CHANGES and node.emission.granularity == "record", "a row for each record"),
        (lambda: node.emission.every_count is not None, "rows are counted one by one"),
        (lambda: node.emission.condition is not None, "each record is asked the condition of EMIT"),
        (lambda: node.emission.accumulation == "discarding", "discarding tells what came since"),
        (lambda: node.lateness.strategy == "update_previous", "late records go to the window before"),
        (lambda: window is None and node.state_ttl is not None, "groups live by the time of each record"),
        (lambda: getattr(window and window.assigner, "max", None) is not None, "MAX cuts sessions by single events"),
    ]
    for holds, reason in reasons:
        if holds():
            return Combining(before_shuffle=False, reason=reason)
    return Combining(before_shuffle=True, reason="all aggregates merge")


def _computed(node: Node, expressions: Iterable[Expression]) -> Node:
    """The node, with what is not a plain field computed over it."""
    wanted = {each.name: each for each in expressions if not each.is_field and each.name not in node.fields}
    if not wanted:
        return node
    carried = (Column(f.name, reads(f.name, f.type), f.system) for f in node.fields)
    added = (Column(name, each, system=True) for name, each in wanted.items())
    return Project(node, (*carried, *added))


def _field(expression: Expression) -> Expression:
    return expression if expression.is_field else reads(expression.name, expression.type, expression.span)


def _fields(expressions: Iterable[Expression]) -> tuple[Expression, ...]:
    return tuple(map(_field, expressions))


def _order(terms: Iterable[Order]) -> tuple[Order, ...]:
    return tuple(replace(term, expression=_field(term.expression)) for term in terms)


def _call(call: AggregateCall) -> AggregateCall:
    where = None if call.where is None else _field(call.where)
    return replace(call, arguments=_fields(call.arguments), order=_order(call.order), where=where)


def _row_call(call: RowCall) -> RowCall:
    where = None if call.where is None else _field(call.where)
    return replace(call, arguments=_fields(call.arguments), where=where)
