"""The columns of a stream or table, in order. Names are found in any letter case, as Spark finds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from velostream.positions import Span
from velostream.types import Type


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name as declared, its type, where it stands."""

    name: str
    type: Type
    nullable: bool = True
    key: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """Columns in order. An open schema belongs to a source whose columns are known only when it runs."""

    columns: tuple[Column, ...]
    is_open: bool = False

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def find(self, name: str) -> Column | None:
        """The column of that name in any letter case."""
        folded = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == folded), None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in order."""
        return tuple(column.name for column in self.columns)
