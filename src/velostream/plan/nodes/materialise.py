"""Materialise: CREATE TABLE, the newest row per key, kept where joins and lookups find it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from velostream.plan.fields import Fields
from velostream.plan.nodes.base import EMISSION, REVISION, Node


@dataclass(frozen=True)
class Materialise(Node):
    """A table made by a statement. `version` is the field that orders versions of a row: its event time."""

    input: Node
    table: str
    key: tuple[str, ...]
    version: str = ""
    settings: Any = field(default=None, compare=False)

    def check(self) -> None:
        """There is a key among the columns."""
        if not self.key:
            raise self.refuse(f"table '{self.table}' has no key", "mark a select item with PRIMARY KEY, or GROUP BY")
        self.require_fields(self.input.fields, *self.key, *((self.version,) if self.version else ()))

    def derive(self) -> Fields:
        """Those of the input."""
        return self.input.fields

    @property
    def needs(self) -> tuple[str, ...]:
        """All columns, the key, and what corrections are told by."""
        found = [member.name for member in self.input.fields.visible]
        found += [*self.key, *((self.version,) if self.version else ())]
        if self.input.revises:
            found += [name for name in (EMISSION, REVISION) if name in self.input.fields]
        return tuple(dict.fromkeys(found))
