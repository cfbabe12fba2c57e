"""What a source is: its options, and the facts that checking and explain need. Reading comes with execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from velostream.config.property import Family, Property
from velostream.config.rule import Rule
from velostream.config.settings import Settings
from velostream.formats import Format

RECORD_COLUMNS = ("_timestamp", "_event_time", "_processing_time")
"""System columns that records of every source have."""


class Extent(Enum):
    """Whether a source comes to an end."""

    BOUNDED = "bounded"
    """It ends by itself."""
    EITHER = "either"
    """It is watched for more, unless the run is `--until-done` or the statement needs an end of its input."""
    UNBOUNDED = "unbounded"


@dataclass(frozen=True, slots=True)
class Source:
    """A connector that reads.

    `record_time`: True where `_timestamp` is the time of the record, False where it is the time of reading. `columns`:
    the system columns that its records have beside the times. `extent` tells by the settings whether it ends. `one_of`:
    of each group one option must be set. `aliases`: what the connector is called elsewhere (`connector = 'kafka'`).
    """

    name: str
    doc: str
    options: tuple[Property, ...]
    extent: Callable[[Settings], Extent]
    formats: tuple[Format, ...] = ()
    families: tuple[Family, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    rules: tuple[Rule, ...] = ()
    aliases: tuple[str, ...] = ()
    system: str = ""
    """What addresses call it: `kafka` of `kafka://host:9092/topic`."""
    columns: tuple[str, ...] = ()
    record_time: bool = False
    keyed: bool = False
    """True where records have a message key with a format of its own."""

    @property
    def record_columns(self) -> tuple[str, ...]:
        """All system columns of its records."""
        return (*RECORD_COLUMNS, *self.columns)


def always(extent: Extent) -> Callable[[Settings], Extent]:
    """An extent that does not depend on settings."""
    return lambda settings: extent
