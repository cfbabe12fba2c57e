"""A stream or table that statements can read: where its rows come from and what columns they have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from velostream.catalog.schema import Schema
from velostream.positions import Span


class RelationKind(Enum):
    """How rows come: a stream has events, a table has the newest row per key."""

    STREAM = "stream"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Relation:
    """Something in FROM.

    `statement` names the statement whose query makes it; empty for one that is read from outside, which then has a
    `connector` (a declaration of velostream.sources) and its `settings`. `record_columns` are the system columns that
    its rows have. `revises` is True where a newer row may replace an older one (windows with lateness, retractions).
    """

    name: str
    kind: RelationKind
    schema: Schema
    statement: str = ""
    connector: Any = None
    settings: Any = None
    record_columns: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    bounded: bool = False
    revises: bool = False
    windowed: bool = False
    span: Span | None = None

    @property
    def is_table(self) -> bool:
        """True for a table."""
        return self.kind is RelationKind.TABLE

    @property
    def is_external(self) -> bool:
        """True where a connector reads it, False where a statement makes it."""
        return not self.statement
