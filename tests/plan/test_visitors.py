"""Every visitor knows every node, and every node can be taken apart and put together again."""

from __future__ import annotations

from typing import Any

import pytest
from tests.plan.making import stream, value

from velostream.errors import InvalidPlan
from velostream.plan.fields import Fields
from velostream.plan.nodes import NODES, Filter, Node, Scan
from velostream.plan.visitor import Visitor
from velostream.plan.visitors import VISITORS


def subclasses(kind: type[Node]) -> set[type[Node]]:
    return {each for child in kind.__subclasses__() for each in (child, *subclasses(child))}


def test_every_class_of_node_is_listed() -> None:
    ours = {kind for kind in subclasses(Node) if kind.__module__.startswith("velostream.")}
    assert ours == set(NODES)


@pytest.mark.parametrize("visitor", VISITORS, ids=[visitor.name for visitor in VISITORS])
def test_every_visitor_knows_every_node(visitor: Visitor[Any]) -> None:
    assert visitor.known == set(NODES)


@pytest.mark.parametrize("kind", NODES, ids=[kind.__name__ for kind in NODES])
def test_every_node_names_the_attributes_that_hold_its_children(kind: type[Node]) -> None:
    annotations = {name for base in kind.__mro__ for name in getattr(base, "__annotations__", {})}
    assert set(kind.branches) <= annotations
    holders = {name for name, text in kind.__annotations__.items() if text in ("Node", "tuple[Node, ...]")}
    assert set(kind.branches) == holders


def test_a_visitor_refuses_a_node_that_it_does_not_know() -> None:
    visitor: Visitor[str] = Visitor("names")

    @visitor.on(Scan)
    def _scan(node: Scan) -> str:
        return node.source

    assert visitor(stream()) == "trades"
    with pytest.raises(InvalidPlan, match="visitor 'names' does not know Filter"):
        visitor(Filter(stream(), value("t.price > 1")))


def test_a_visitor_knows_a_class_once() -> None:
    visitor: Visitor[None] = Visitor("twice")
    visitor.on(Scan)(lambda node: None)
    with pytest.raises(ValueError, match="knows Scan already"):
        visitor.on(Scan)(lambda node: None)


def test_fields_follow_from_the_children() -> None:
    node = Filter(stream(), value("t.price > 1"))
    assert isinstance(node.fields, Fields)
    assert node.fields == node.input.fields
