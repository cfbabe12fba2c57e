"""What a sink is: its options, what it guarantees, and how it takes corrections. Writing comes with execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from velostream.config.kinds import Choice
from velostream.config.property import Family, Property
from velostream.config.rule import Rule
from velostream.config.settings import Settings
from velostream.formats import Format


class Guarantee(Enum):
    """How often a result is there after a failure."""

    EXACTLY_ONCE = "exactly once"
    IDEMPOTENT = "at least once, with keys that make repetitions harmless"
    AT_LEAST_ONCE = "at least once"


class WriteMode(Enum):
    """How a correction is written: as a further row that says so, or over the row of its key."""

    APPEND = "append"
    UPSERT = "upsert"


@dataclass(frozen=True, slots=True)
class Sink:
    """A connector that writes.

    `guarantee` tells by the job's mode (simple, transactional, adaptive) and the sink's settings. `write_modes`: what
    it can do, the default first. `needs_jar`: what must be there beside Velostream for it to work.
    """

    name: str
    doc: str
    options: tuple[Property, ...]
    guarantee: Callable[[str, Settings], Guarantee]
    write_modes: tuple[WriteMode, ...] = (WriteMode.APPEND,)
    formats: tuple[Format, ...] = ()
    families: tuple[Family, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    rules: tuple[Rule, ...] = ()
    aliases: tuple[str, ...] = ()
    system: str = ""
    """What addresses call it: `kafka` of `kafka://host:9092/topic`."""
    keyed: bool = False
    """True where records have a message key with a format of its own."""
    headers: bool = False
    """True where records carry headers."""
    needs_jar: str = ""

    def write_mode(self, settings: Settings) -> WriteMode:
        """How this sink writes with these settings."""
        if len(self.write_modes) == 1:
            return self.write_modes[0]
        return WriteMode(settings.text("write.mode"))

    def meets(self, mode: str, settings: Settings) -> bool:
        """False where the settings ask for exactly once (`delivery.guarantee`) and the job's mode does not give it."""
        asked = settings.values.get("delivery.guarantee")
        if asked is None or asked.value != "exactly_once":
            return True
        return self.guarantee(mode, settings) is Guarantee.EXACTLY_ONCE


DELIVERY_GUARANTEE = Property(
    "delivery.guarantee",
    Choice(("at_least_once", "exactly_once")),
    "what the sink must guarantee; the job's mode gives it, and checking refuses a mode that does not",
    "exactly_once",
    aliases=("sink.delivery-guarantee", "sink.semantic"),
)


def write_mode_property(*modes: WriteMode) -> Property:
    """The option `write.mode` of a sink that can do both; the first is the default."""
    return Property(
        "write.mode",
        Choice(tuple(mode.value for mode in modes)),
        "append writes corrections as further rows, upsert replaces the row of the key",
        modes[-1].value,
        default=modes[0].value,
    )


def always(guarantee: Guarantee) -> Callable[[str, Settings], Guarantee]:
    """A guarantee that depends on nothing."""
    return lambda mode, settings: guarantee
