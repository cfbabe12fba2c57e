"""ReadStream: the rows of another statement's stream, until they are fused in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import EVENT_TIME, WINDOW_START, Node


@dataclass(frozen=True)
class ReadStream(Node):
    """A stream that a statement of the application makes, under an alias. `read_early` lets early rows through."""

    stream: str
    alias: str
    columns: tuple[Field, ...]
    read_early: bool = False
    may_revise: bool = False
    key: tuple[str, ...] = ()
    ends: bool = False
    settings: Any = field(default=None, compare=False)

    branches: ClassVar[tuple[str, ...]] = ()

    def check(self) -> None:
        """Fields belong to the alias."""
        for member in self.columns:
            if not member.name.startswith(f"{self.alias}."):
                raise self.refuse(f"field '{member.name}' does not belong to '{self.alias}'")

    def derive(self) -> Fields:
        """The columns as they are."""
        return Fields(self.columns)

    @property
    def revises(self) -> bool:
        """As the stream does."""
        return self.may_revise

    @property
    def identity(self) -> tuple[str, ...]:
        """The key of the stream, and the window where its rows have one."""
        wanted = [f"{self.alias}.{name}" for name in (*self.key, WINDOW_START)]
        return tuple(name for name in wanted if any(member.name == name for member in self.columns))

    @property
    def time(self) -> str:
        """The event time of the stream's rows."""
        name = f"{self.alias}.{EVENT_TIME}"
        return name if any(member.name == name for member in self.columns) else ""

    @property
    def bounded(self) -> bool:
        """As the stream is."""
        return self.ends

    @property
    def windowed(self) -> bool:
        """True where the stream's rows belong to windows."""
        return any(member.name == f"{self.alias}.{WINDOW_START}" for member in self.columns)
