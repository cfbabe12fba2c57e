"""What a node of a plan is: frozen, checked when made, with fields that follow from its input."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, ClassVar, Self

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.errors import InvalidPlan
from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.registry import did_you_mean
from velostream.types import BOOLEAN, NULL

EVENT_TIME = "_event_time"
WINDOW_START = "_window_start"
WINDOW_END = "_window_end"
EMISSION = "_emission"
REVISION = "_revision"


@dataclass(frozen=True)
class Node(ABC):
    """A step of a plan: rows come from its children, change, and go on with `fields`."""

    fields: Fields = field(init=False, repr=False, compare=False)
    """What its rows have."""

    branches: ClassVar[tuple[str, ...]] = ("input",)
    """The attributes that hold its children: a node, or a tuple of nodes."""
    stateful: ClassVar[bool] = False
    """True where it remembers rows, so that those of a stream are routed to it by key through a router."""

    def __post_init__(self) -> None:
        self.check()
        object.__setattr__(self, "fields", self.derive())

    @abstractmethod
    def derive(self) -> Fields:
        """The fields of its rows."""

    @abstractmethod
    def check(self) -> None:
        """Refuse to exist where something does not fit."""

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes that it reads."""
        found: list[Node] = []
        for name in self.branches:
            value = getattr(self, name)
            found += value if isinstance(value, tuple) else (value,)
        return tuple(found)

    def with_children(self, children: Sequence[Node]) -> Self:
        """The same node over other children."""
        own = self.children
        if len(children) == len(own) and all(map(is_, children, own)):
            return self
        rest = list(children)
        changed: dict[str, Any] = {}
        for name in self.branches:
            value = getattr(self, name)
            if isinstance(value, tuple):
                changed[name] = tuple(rest[: len(value)])
                rest = rest[len(value) :]
            else:
                changed[name] = rest.pop(0)
        return replace(self, **changed)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All expressions that it computes from its children's fields."""
        return ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields that it reads beside its expressions: times, keys, identities."""
        return ()

    @property
    def revises(self) -> bool:
        """True where a row may replace or withdraw an earlier one."""
        return any(child.revises for child in self.children)

    @property
    def identity(self) -> tuple[str, ...]:
        """The fields by which a row is known again when it is revised; empty where nothing says so."""
        return self.children[0].identity if self.children else ()

    @property
    def time(self) -> str:
        """The field that holds the event time; empty where there is none."""
        return self.children[0].time if self.children else ""

    @property
    def position(self) -> tuple[str, ...]:
        """The fields (source, partition, offset) that order records of one event time; empty after an aggregation."""
        return self.children[0].position if self.children else ()

    @property
    def bounded(self) -> bool:
        """True where the rows end."""
        return all(child.bounded for child in self.children)

    @property
    def static(self) -> bool:
        """True where all that it reads is tables and values, so that it is answered anew for each version of them."""
        return bool(self.children) and all(child.static for child in self.children)

    @property
    def keeps_state(self) -> bool:
        """True where it remembers rows of a stream."""
        return self.stateful and not self.static

    @property
    def spread(self) -> tuple[str, ...]:
        """The fields whose hash says which bucket a row goes to; empty where all rows go to one."""
        return self.route

    @property
    def route(self) -> tuple[str, ...]:
        """Those of them that no correction of a row changes: where it changes one, the row before is withdrawn in the
        bucket where it was."""
        return ()

    @property
    def windowed(self) -> bool:
        """True where rows belong to a time window."""
        return any(child.windowed for child in self.children)

    @property
    def is_open(self) -> bool:
        """True where more columns will be known at the first start."""
        return any(child.is_open for child in self.children)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()

    def refuse(self, message: str, hint: str = "") -> InvalidPlan:
        """The error of a node that cannot exist: a defect, since validation lets no such node come up."""
        return InvalidPlan(f"{type(self).__name__}: {message}", hint=hint)

    def require(self, fields: Fields, *expressions: Expression) -> None:
        """Refuse expressions that read what is not there."""
        for expression in expressions:
            if expression.has_subquery:
                raise self.refuse(f"'{expression}' still holds a subquery")
            for name in expression.fields:
                if name not in fields:
                    message = f"'{expression}' reads '{name}', which its input does not have"
                    raise self.refuse(message, did_you_mean(name, fields.names, "fields"))

    def require_fields(self, fields: Fields, *names: str) -> None:
        """Refuse names of fields that are not there."""
        for name in names:
            if name not in fields:
                message = f"it needs '{name}', which its input does not have"
                raise self.refuse(message, did_you_mean(name, fields.names, "fields"))

    def require_condition(self, fields: Fields, condition: Expression) -> None:
        """Refuse a condition that is none."""
        self.require(fields, condition)
        if condition.type not in (BOOLEAN, NULL) and condition.type.is_known:
            raise self.refuse(f"'{condition}' is {condition.type} and no condition")


def replaces(node: Node) -> tuple[str, ...]:
    """The fields by which a stateful node over `node` finds the row that a revision replaces."""
    return node.identity if node.revises else ()


def route_by(keys: Iterable[Expression], node: Node) -> tuple[str, ...]:
    """The keys; where rows are revised only those that no revision changes."""
    names = tuple(key.name for key in keys)
    known = replaces(node)
    return tuple(name for name in names if name in known) if known else names


def needs_for_state(node: Node) -> tuple[str, ...]:
    """What every stateful node reads of a stream: event time, order of arrival, and what revisions go by."""
    if node.static:
        return ()
    revision = [name for name in (EMISSION, REVISION) if node.revises]
    marks = [found for suffix in revision if (found := system_field(node, suffix))]
    return tuple(dict.fromkeys([name for name in (node.time, *node.position, *replaces(node), *marks) if name]))


def window_bounds(node: Node) -> tuple[str, ...]:
    """The fields that tell which window a row belongs to."""
    return tuple(found for name in (WINDOW_START, WINDOW_END) if (found := system_field(node, name)))


def revision_fields(*inputs: Node) -> tuple[Field, ...]:
    """The fields by which a stateful node tells that its own rows are corrected."""
    names = [name for name in (EMISSION, REVISION) if not any(name in node.fields for node in inputs)]
    return tuple(Field(name, SYSTEM_COLUMNS[name].type, system=True) for name in names)


def system_field(node: Node, name: str) -> str:
    """The field that is the system column `name`: plain, or under an alias; empty where there is none."""
    if name in node.fields:
        return name
    return next((member.name for member in node.fields if member.system and member.name.endswith(f".{name}")), "")
