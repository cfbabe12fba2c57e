"""The fields of rows between two nodes of a plan: names, types, and which of them are system columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from velostream.errors import InvalidPlan
from velostream.registry import did_you_mean
from velostream.types import Type


@dataclass(frozen=True, slots=True)
class Field:
    """One field. A `system` field travels with the rows and is written to a sink only where a column is made of it."""

    name: str
    type: Type
    system: bool = False


@dataclass(frozen=True)
class Fields:
    """Fields in order; no two have one name."""

    members: tuple[Field, ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for member in self.members:
            if member.name in seen:
                raise InvalidPlan(f"two fields are named '{member.name}'", hint="give one of them another alias")
            seen.add(member.name)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in order."""
        return tuple(member.name for member in self.members)

    @property
    def visible(self) -> tuple[Field, ...]:
        """What a user selected: all but system fields."""
        return tuple(member for member in self.members if not member.system)

    def find(self, name: str) -> Field | None:
        """The field of that name."""
        return next((member for member in self.members if member.name == name), None)

    def of(self, name: str) -> Field:
        """The field of that name, which must be there."""
        found = self.find(name)
        if found is None:
            hint = did_you_mean(name, self.names, "fields")
            raise InvalidPlan(f"there is no field '{name}'", hint=hint)
        return found

    def only(self, names: Iterable[str]) -> Fields:
        """Those of the given names, in the order they stand here."""
        kept = set(names)
        return Fields(tuple(member for member in self.members if member.name in kept))

    def plus(self, others: Iterable[Field]) -> Fields:
        """These and others after them."""
        return Fields((*self.members, *others))
