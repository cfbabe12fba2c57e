"""What fields are computed with that has another value each time it is asked: the clock, chance, where a task runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlglot import exp

from velostream.functions import find
from velostream.plan.expression import Expression
from velostream.plan.nodes import Aggregate, Node, Project, Union

_CLOCK = "clock"
_STEADY = ("CURRENT_TIMEZONE",)
_WITHOUT_ARGUMENTS = ("UNIX_TIMESTAMP",)
"""Functions that tell the time where they are given none."""


def varying_call(node: Node, names: Collection[str], users: Mapping[str, Any]) -> str:
    """The first function that gives one of these fields of a node another value each time, as it is written; empty
    where none does. `users` are the functions of the user by name."""
    for expression in _made_of(node, frozenset(names)):
        for call in expression.tree.find_all(exp.Anonymous):
            if _varies(call, users):
                return f"{str(call.this).upper()}()"
    return ""


def behind(node: Node, names: Collection[str]) -> frozenset[str]:
    """These fields of a node, and all fields below it that they are made of."""
    read = (name for expression in _made_of(node, frozenset(names)) for name in expression.fields)
    return frozenset((*names, *read))


def _varies(call: exp.Anonymous, users: Mapping[str, Any]) -> bool:
    name = str(call.this).upper()
    function = find(name) or users.get(name)
    if function is None:
        return False
    tells_time = function.family == _CLOCK and function.name not in _STEADY
    return not function.deterministic or tells_time or (name in _WITHOUT_ARGUMENTS and not call.expressions)


def _made_of(node: Node, names: frozenset[str]) -> Iterator[Expression]:
    """The expressions that fields of a node are made of, down to the sources."""
    if not names:
        return
    if isinstance(node, Union):
        for each in node.inputs:
            shown = zip(node.fields, each.fields.visible, strict=False)
            yield from _made_of(each, frozenset(theirs.name for mine, theirs in shown if mine.name in names))
        return
    passed = {name for name in names if any(name in child.fields for child in node.children)}
    found = list(_own(node, names if isinstance(node, Project | Aggregate) else names - passed))
    if isinstance(node, Project | Aggregate):
        passed = set()
    yield from found
    below = passed | {name for expression in found for name in expression.fields}
    for child in node.children:
        yield from _made_of(child, frozenset(name for name in below if name in child.fields))


def _own(node: Node, names: Collection[str]) -> Iterator[Expression]:
    """What the node itself makes these fields of; of nodes that make few, all that they ask of rows."""
    if isinstance(node, Project):
        yield from (column.expression for column in node.columns if column.name in names)
    elif isinstance(node, Aggregate):
        yield from (key.expression for key in node.keys if key.name in names)
        yield from (each for call in node.calls if call.name in names for each in call.arguments)
    elif names:
        yield from node.expressions
