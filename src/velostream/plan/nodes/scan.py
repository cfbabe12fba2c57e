"""Scan: the records of a stream outside, with their event time and watermark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar

from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import EVENT_TIME, Node
from velostream.plan.time import EventTime, Watermark

SOURCE = "_source"
"""The name of the source that a record comes from: part of its position, beside partition and offset."""
POSITION = (SOURCE, "_partition", "_offset")


def label_among(source: str, taken: Iterable[str]) -> str:
    """What a scan of a source is called: the source, with a number where scans before it have taken the name."""
    known = set(taken)
    names = (source if number == 1 else f"{source}_{number}" for number in count(1))
    return next(name for name in names if name not in known)


@dataclass(frozen=True, slots=True)
class ScanWay:
    """How a scan is run: by Spark's own source, by ours yielding rows, by ours yielding routed payloads, or by either
    of the first two with what is plain routed in a worker before Spark decodes the rest ("mixed")."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class WrittenBy:
    """The job and the sink of this application whose rows a scan reads back.

    With `early` its early rows flow on. `lateness` is how late corrections of its rows may come.
    """

    job: str
    sink: str
    early: bool = False
    lateness: int = 0
    settings: Any = field(default=None, compare=False)
    """Those of the sink."""


@dataclass(frozen=True)
class Scan(Node):
    """An external stream under an alias; its fields are `alias.column` and `alias._system`.

    `infers` is True where the columns are known only at the first start, when the plan is made anew. `declared` are
    all columns of a record, which decoding goes by, whatever part of them is read. `read_back` is set where another
    job of the application writes what is read; where that one corrects rows, they are changes.
    """

    source: str
    alias: str
    connector: str
    columns: tuple[Field, ...]
    event_time: EventTime
    watermark: Watermark
    settings: Any = field(default=None, compare=False)
    ends: bool = False
    infers: bool = False
    changelog: bool = False
    key: tuple[str, ...] = ()
    way: ScanWay | None = None
    declared: tuple[Field, ...] = field(default=(), compare=False)
    read_back: WrittenBy | None = None

    branches: ClassVar[tuple[str, ...]] = ()

    def check(self) -> None:
        """Event time and keys are columns that the source has."""
        prefix = f"{self.alias}."
        for member in self.columns:
            if not member.name.startswith(prefix):
                raise self.refuse(f"field '{member.name}' does not belong to '{self.alias}'")
        if self.way is not None and self.way.kind not in ("spark", "source", "worker", "mixed"):
            raise self.refuse(f"'{self.way.kind}' is not a way to scan")

    def derive(self) -> Fields:
        """The columns as they are."""
        return Fields(self.columns)

    @property
    def revises(self) -> bool:
        """A changelog replaces and withdraws rows."""
        return self.changelog

    @property
    def identity(self) -> tuple[str, ...]:
        """The key of a changelog, else the position of the record."""
        return self._fields(self.key) if self.changelog else self.position

    @property
    def time(self) -> str:
        """The event time."""
        return next(iter(self._fields((EVENT_TIME,))), "")

    @property
    def position(self) -> tuple[str, ...]:
        """Source, partition and offset, as far as the source has them."""
        return self._fields(POSITION)

    @property
    def bounded(self) -> bool:
        """True where the source ends."""
        return self.ends

    @property
    def is_open(self) -> bool:
        """True where columns are inferred at the first start."""
        return self.infers

    def _fields(self, names: tuple[str, ...]) -> tuple[str, ...]:
        wanted = [f"{self.alias}.{name}" for name in names]
        return tuple(name for name in wanted if any(member.name == name for member in self.columns))
