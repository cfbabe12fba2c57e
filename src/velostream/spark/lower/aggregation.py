"""What an aggregation asks of the window operator: the names of keys, arguments and values, and its settings."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Any

from velostream.plan.expression import Expression
from velostream.plan.nodes import Aggregate
from velostream.types import BIGINT
from velostream.windows.accumulators.base import Call, Sort
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.emission import emission
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.settings import Fill, OperatorSettings

NEWEST = "newest"
"""The newest event time of a group without a window, which is the event time of its rows."""
_CONDITION = "c0"


class Names:
    """The short names under which keys, arguments and values travel.

    State is kept under the names of arguments and values: they say what is computed, not where it stands in the
    statement, so that an aggregate can be added before others without mixing their states up.
    """

    def __init__(self, node: Aggregate) -> None:
        self.wanted: list[tuple[str, Expression]] = []
        self.keys: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self.arguments: dict[Expression, str] = {}
        for index, key in enumerate(node.keys):
            self.keys[key.name] = f"k{index}"
            self.wanted.append((f"k{index}", key.expression))
        self.calls = [self._call(index, call) for index, call in enumerate(node.calls)]
        if node.window is None:
            self.calls.append(Call(NEWEST, "max", ("_event_time",), (BIGINT,)))
        if node.emission.condition is not None:
            self.wanted.append((_CONDITION, node.emission.condition))

    def _call(self, index: int, call: Any) -> Call:
        order = tuple(
            Sort(self._argument(term.expression), term.expression.type, term.descending, term.nulls_first)
            for term in call.order
        )
        made = Call(
            "",
            call.accumulator,
            tuple(self._argument(each) for each in call.arguments),
            tuple(each.type for each in call.arguments),
            call.parameters,
            call.distinct,
            call.ignore_nulls,
            order,
            self._argument(call.where) if call.where is not None else "",
        )
        constants = tuple(each.__name__ if callable(each) else each for each in made.parameters)
        name = _named("v", replace(made, parameters=constants))
        self.values[call.name] = f"v{index}" if name in self.values.values() else name
        return replace(made, result=self.values[call.name])

    def _argument(self, expression: Expression) -> str:
        if expression not in self.arguments:
            name = _named("a", (expression.spark, expression.type))
            if name not in self.arguments.values():
                self.wanted.append((name, expression))
            self.arguments[expression] = name
        return self.arguments[expression]


def _named(kind: str, what: object) -> str:
    return kind + blake2b(repr(what).encode(), digest_size=6).hexdigest()


def settings_of(node: Aggregate, names: Names | None = None) -> OperatorSettings:
    """What the operator of an aggregation goes by; what it cannot do is refused."""
    names = names or Names(node)
    asked = node.emission
    changes = asked.mode == "CHANGES"
    return OperatorSettings(
        tuple(names.keys.values()),
        tuple(names.calls),
        node.window.assigner if node.window is not None else Unbounded(),
        emission(
            asked.mode,
            windowed=node.windowed,
            granularity=asked.granularity if changes else None,
            early=asked.early,
            on=_CONDITION if asked.condition is not None else None,
            count=asked.every_count,
            fallback=asked.fallback,
            accumulation=asked.accumulation,
        ),
        lateness=Lateness(node.lateness.allowed, LateStrategy(node.lateness.strategy)),
        ttl=node.state_ttl,
        fill=None if node.fill == "none" else Fill(node.fill),
        meanings={name: str(expression) for name, expression in names.wanted},
    )
