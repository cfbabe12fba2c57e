"""A specification: an application, the records it is given, and what is to come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from velostream.positions import Text
from velostream.testing.document import Items, Place, Table

DAY = "2024-01-01"
"""The day of a time of day, unless a case says another one."""
NEVER = 0


@dataclass(frozen=True)
class Given:
    """The records of one source: rows by micro-batch, or the settings of a source that reads or makes them."""

    place: Place
    batches: tuple[Items, ...] = ()
    known: tuple[int, ...] | None = None
    """The partitions that are known from the start; None for all those that the rows name."""
    settings: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Expected:
    """What one job is to give. None is not looked at."""

    place: Place
    rows: Items | None = None
    count: int | None = None
    ordered: bool = False
    exact: bool = False
    newest: tuple[str, ...] | None = None
    letters: Items | None = None
    report: Table | None = None


@dataclass(frozen=True)
class Findings:
    """What checking is to find, each as `code line:column`. None is not looked at."""

    refuses: tuple[str, ...] = ()
    warns: tuple[str, ...] | None = None
    notes: tuple[str, ...] | None = None
    hints: tuple[str, ...] = ()
    columns: Mapping[str, str] | None = None
    explains: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One case. `before` is SQL that stands before its own; positions of findings count from its own first line."""

    name: str
    file: Path
    place: Place
    sql: str
    sql_name: str
    folder: Path
    before: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    preset: str = ""
    variables: Mapping[str, str] | None = None
    findings: Findings = field(default_factory=Findings)
    day: str = DAY
    given: Mapping[str, Given] = field(default_factory=dict)
    clocks: tuple[int, ...] = ()
    """The processing time of each micro-batch, where a case gives it."""
    expected: Mapping[str, Expected] | Expected | None = None
    fails: Table | None = None
    printed: Items | None = None
    stop: int | None = None
    """After how many micro-batches the second run stops: NEVER for no second run, None for the middle."""

    @property
    def runs(self) -> bool:
        """True where it is run, not only checked."""
        return bool(self.given) or self.expected is not None or self.fails is not None or self.printed is not None

    @property
    def whole(self) -> str:
        """All of its SQL."""
        return self.before + self.sql

    @property
    def text(self) -> Text:
        """The specification that it stands in."""
        return self.place.text
