"""Project: columns computed from the fields of a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import Node


@dataclass(frozen=True, slots=True)
class Column:
    """A column and what it is computed from. A `system` one travels with the row and is not part of a result."""

    name: str
    expression: Expression
    system: bool = False

    @property
    def is_carried(self) -> bool:
        """True where a field goes through under its own name."""
        return self.expression.is_field and self.expression.name == self.name

    @property
    def is_renamed(self) -> bool:
        """True where it is a field, under this or another name."""
        return self.expression.is_field


@dataclass(frozen=True)
class Project(Node):
    """A select list, or the step that computes what the node above needs.

    `event_time` names the column that is the event time from here on; empty where it is the input's under its new
    name. With `star` it also has all columns of a source whose columns are known only at its first start.
    """

    input: Node
    columns: tuple[Column, ...]
    event_time: str = ""
    star: bool = False

    def check(self) -> None:
        """Every column reads fields of the input."""
        self.require(self.input.fields, *self.expressions)
        if self.event_time and all(column.name != self.event_time for column in self.columns):
            raise self.refuse(f"it has no column '{self.event_time}' for the event time")

    def derive(self) -> Fields:
        """One field for each column."""
        return Fields(tuple(Field(c.name, c.expression.type, c.system) for c in self.columns))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """What the columns are computed from."""
        return tuple(column.expression for column in self.columns)

    @property
    def is_open(self) -> bool:
        """True with a star."""
        return self.star

    @cached_property
    def outputs(self) -> dict[str, str]:
        """The name under which each field of the input goes on, where it does."""
        found: dict[str, str] = {}
        for column in self.columns:
            if column.is_renamed:
                found.setdefault(column.expression.name, column.name)
        return found

    @property
    def identity(self) -> tuple[str, ...]:
        """That of the input, under its new names; empty where a part of it is left out."""
        return self._kept(self.input.identity)

    @property
    def time(self) -> str:
        """The column that is said to be it, else that of the input under its new name."""
        return self.event_time or self.outputs.get(self.input.time, "")

    @property
    def sets_time(self) -> bool:
        """True where the event time is computed here, or is another column than that of the input: `AS _event_time`."""
        column = next((column for column in self.columns if column.name == self.time), None)
        return column is not None and not (column.is_renamed and column.expression.name == self.input.time)

    @property
    def position(self) -> tuple[str, ...]:
        """That of the input, under its new names."""
        return self._kept(self.input.position)

    def _kept(self, names: tuple[str, ...]) -> tuple[str, ...]:
        outputs = self.outputs
        return tuple(outputs[name] for name in names) if all(name in outputs for name in names) else ()
