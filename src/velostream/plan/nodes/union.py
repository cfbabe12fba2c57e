"""Union: the rows of several inputs, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import EVENT_TIME, Node
from velostream.plan.nodes.project import Project
from velostream.types import INT
from velostream.validation.coercion import common

BRANCH = "_branch"
"""Which input of a union a row comes from, counted from 0: part of what a row is known by."""


def _texts(side: Node) -> dict[int, str]:
    """The columns of a side that are a text in every row, by place."""
    if not isinstance(side, Project):
        return {}
    shown = [column.expression.tree for column in side.columns if not column.system]
    return {place: tree.this for place, tree in enumerate(shown) if isinstance(tree, exp.Literal) and tree.is_string}


@dataclass(frozen=True)
class Union(Node):
    """`UNION ALL`. Columns are matched by place and named by the first input; system columns are matched by name."""

    inputs: tuple[Node, ...]

    branches: ClassVar[tuple[str, ...]] = ("inputs",)

    def check(self) -> None:
        """All inputs have as many columns, of types that meet."""
        if len(self.inputs) < 2:
            raise self.refuse("it needs two inputs")
        first = self.inputs[0].fields.visible
        for other in self.inputs[1:]:
            if len(other.fields.visible) != len(first):
                raise self.refuse(f"one side has {len(first)} columns, another {len(other.fields.visible)}")
            for mine, theirs in zip(first, other.fields.visible, strict=True):
                if common(mine.type, theirs.type) is None:
                    raise self.refuse(f"column '{mine.name}' is {mine.type} on one side and {theirs.type} on another")

    def derive(self) -> Fields:
        """The first input's columns with the types that all share, and the system columns that all have."""
        first = self.inputs[0].fields
        columns = []
        for place, member in enumerate(first.visible):
            kind = member.type
            for other in self.inputs[1:]:
                kind = common(kind, other.fields.visible[place].type) or kind
            columns.append(Field(member.name, kind))
        shared = [f for f in first if f.system and all(f.name in other.fields for other in self.inputs)]
        names = {BRANCH, *(column.name for column in columns)}
        kept = [member for member in shared if member.name not in names]
        return Fields((*columns, *kept, Field(BRANCH, INT, system=True)))

    @property
    def identity(self) -> tuple[str, ...]:
        """The same on all sides, with the side; empty where sides differ."""
        shared = {self._known_by(each) for each in self.inputs}
        only = shared.pop()
        fit = not shared and only and all(name in self.fields for name in only)
        return (*only, BRANCH) if fit else ()

    def _known_by(self, side: Node) -> tuple[str, ...]:
        """What the rows of a side are known by, under the names that its columns have here."""
        places = zip(side.fields.visible, self.inputs[0].fields.visible, strict=False)
        names = {theirs.name: mine.name for theirs, mine in places}
        return tuple(names.get(name, name) for name in side.identity)

    @property
    def marks(self) -> tuple[str, ...]:
        """The columns that hold a text on each side, and another one on each: they tell from which side a row is."""
        texts = [_texts(side) for side in self.inputs]
        found = []
        for place, member in enumerate(self.inputs[0].fields.visible):
            said = [held.get(place) for held in texts]
            if None not in said and len(set(said)) == len(said):
                found.append(member.name)
        return tuple(found)

    @property
    def time(self) -> str:
        """The event time, where all sides have it."""
        return EVENT_TIME if EVENT_TIME in self.fields else ""

    @property
    def position(self) -> tuple[str, ...]:
        """The same on all sides; empty where sides differ."""
        first = self.inputs[0].position
        same = all(each.position == first for each in self.inputs)
        return first if same and all(name in self.fields for name in first) else ()
