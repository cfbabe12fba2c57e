"""Headers: SET_HEADER and REMOVE_HEADER, applied to the headers that a sink writes."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.header_calls import HEADERS
from velostream.plan.nodes.base import Node

EDITED = "_edited_headers"


@dataclass(frozen=True, slots=True)
class HeaderEdit:
    """Set `key` to `value`, or remove it where `value` is None. Edits are applied in order: the last SET wins."""

    key: Expression
    value: Expression | None = None


@dataclass(frozen=True)
class Headers(Node):
    """Makes the headers to write from those of the row (`base`, empty where it has none) and the edits.

    They are a field of their own, so that what reads headers beside it still sees those of the row.
    """

    input: Node
    edits: tuple[HeaderEdit, ...]
    base: str = ""

    def check(self) -> None:
        """There are edits, over fields of the input."""
        if not self.edits:
            raise self.refuse("there is nothing to set or remove")
        self.require(self.input.fields, *self.expressions)
        if self.base:
            self.require_fields(self.input.fields, self.base)

    def derive(self) -> Fields:
        """The input's fields, and the headers to write."""
        return self.input.fields.plus((Field(EDITED, SYSTEM_COLUMNS[HEADERS].type, system=True),))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Keys and values."""
        return tuple(part for edit in self.edits for part in (edit.key, edit.value) if part is not None)

    @property
    def needs(self) -> tuple[str, ...]:
        """The headers that are edited."""
        return (self.base,) if self.base else ()
