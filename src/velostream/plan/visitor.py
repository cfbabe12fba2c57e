"""Visitors: one function for each class of node, found by the class. A node that one does not know is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from velostream.errors import InvalidPlan
from velostream.plan.nodes import Node

R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])


class Visitor(Generic[R]):
    """A reader of plans: `VISITOR(node, …)` calls the function that was registered for the node's class."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._functions: dict[type[Node], Callable[..., R]] = {}

    def on(self, *kinds: type[Node]) -> Callable[[F], F]:
        """Registers the decorated function for these classes."""

        def register(function: F) -> F:
            for kind in kinds:
                if kind in self._functions:
                    raise ValueError(f"visitor '{self.name}' knows {kind.__name__} already")
                self._functions[kind] = function
            return function

        return register

    def __call__(self, node: Node, *arguments: Any) -> R:
        """What the function for the node's class answers."""
        function = self._functions.get(type(node))
        if function is None:
            raise InvalidPlan(f"visitor '{self.name}' does not know {type(node).__name__}")
        return function(node, *arguments)

    @property
    def known(self) -> frozenset[type[Node]]:
        """The classes that it knows."""
        return frozenset(self._functions)
