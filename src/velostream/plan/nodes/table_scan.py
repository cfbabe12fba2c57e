"""TableScan: the newest row per key of a table, in one version per batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import EVENT_TIME, Node

BROADCAST = 16 * 1024 * 1024
"""Tables of up to so many bytes of Parquet are sent to every task that joins them."""


@dataclass(frozen=True)
class TableScan(Node):
    """A table under an alias. `statement` names the statement that makes it; else `connector` loads it.

    `version_time` is the column that orders versions for as-of joins; empty means the record time.
    """

    table: str
    alias: str
    columns: tuple[Field, ...]
    key: tuple[str, ...] = ()
    statement: str = ""
    connector: str = ""
    settings: Any = field(default=None, compare=False)
    version_time: str = ""
    refresh: str = ""
    size: int | None = field(default=None, compare=False)
    """Its bytes, where somebody has looked."""

    branches: ClassVar[tuple[str, ...]] = ()

    def check(self) -> None:
        """Fields belong to the alias; the table comes from somewhere."""
        for member in self.columns:
            if not member.name.startswith(f"{self.alias}."):
                raise self.refuse(f"field '{member.name}' does not belong to '{self.alias}'")
        if bool(self.statement) == bool(self.connector):
            raise self.refuse(f"table '{self.table}' needs a statement or a connector, and not both")

    def derive(self) -> Fields:
        """The columns as they are."""
        return Fields(self.columns)

    @property
    def identity(self) -> tuple[str, ...]:
        """The table's key; a part of it is none."""
        wanted = tuple(f"{self.alias}.{name}" for name in self.key)
        known = {member.name for member in self.columns}
        return wanted if known.issuperset(wanted) else ()

    @property
    def time(self) -> str:
        """The time of a row, where the table keeps one."""
        name = f"{self.alias}.{EVENT_TIME}"
        return name if any(member.name == name for member in self.columns) else ""

    @property
    def bounded(self) -> bool:
        """One version of a table ends."""
        return True

    @property
    def static(self) -> bool:
        """Always."""
        return True
