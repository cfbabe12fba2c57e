"""A stream or table that statements can read: where its rows come from and what columns they have."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from velostream.catalog.schema import Schema
from velostream.positions import Span


class RelationKind(Enum):
    """How rows come: a stream has events, a table has the newest row per key."""

    STREAM = "stream"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class ReadBack:
    """What a stream is read from that is not computed along with its reader: a sink of the statement that makes it."""

    job: str
    """The statement that writes it."""
    sink: str
    settings: Any = field(default=None, compare=False)
    """Those of the sink."""

    @property
    def is_timed(self) -> bool:
        """True where the records of the sink have the event time of their rows."""
        known = self.settings.known.find("message.time") is not None
        return known and self.settings.text("message.time") == "event_time"


@dataclass(frozen=True, slots=True)
class Relation:
    """Something in FROM.

    `statement` names the statement whose query makes it; empty for one that is read from outside, which then has a
    `connector` (a declaration of velostream.sources) and its `settings`. `record_columns` are the system columns that
    its rows have. `revises` is True where a newer row may replace an older one (windows with lateness, retractions).
    `read_back` is set where a statement makes it, and a reader has it read from the sink of that statement.
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
    read_back: ReadBack | None = None
    window_times: tuple[tuple[str, int, int], ...] = ()
    """The columns from which the event time of its rows lies a known way: each with the least and the most of it."""

    @property
    def is_table(self) -> bool:
        """True for a table."""
        return self.kind is RelationKind.TABLE

    @property
    def is_external(self) -> bool:
        """True where a connector reads it, False where a statement makes it."""
        return not self.statement
