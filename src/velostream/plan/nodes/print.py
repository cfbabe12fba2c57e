"""Print: a SELECT without a sink shows its rows."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.plan.fields import Fields
from velostream.plan.nodes.base import EMISSION, REVISION, Node


@dataclass(frozen=True)
class Print(Node):
    """Rows on the terminal; where they may be corrected, with what they correct."""

    input: Node

    def check(self) -> None:
        """There is a column to show."""
        if not self.input.fields.visible and not self.input.is_open:
            raise self.refuse("there is no column")

    def derive(self) -> Fields:
        """Those of the input."""
        return self.input.fields

    @property
    def needs(self) -> tuple[str, ...]:
        """All columns, and what corrections are told by."""
        found = [member.name for member in self.input.fields.visible]
        if self.input.revises:
            found += [name for name in (EMISSION, REVISION) if name in self.input.fields]
        return tuple(dict.fromkeys(found))
