"""The kinds of values that properties take. Each reads a text strictly: anything doubtful is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from velostream import durations, sizes
from velostream.config.keys import squeeze
from velostream.errors import InvalidProperty
from velostream.registry import did_you_mean

_WHOLE = re.compile(r"-?[0-9]+(_[0-9]+)*")
_DECIMAL = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Kind(Protocol):
    """What values a property takes."""

    @property
    def name(self) -> str:
        """How help calls it."""
        ...

    def parse(self, text: str) -> object:
        """The value that a text means; anything doubtful is refused."""
        ...


@dataclass(frozen=True, slots=True)
class Text:
    """Any text but an empty one."""

    name: str = "text"

    def parse(self, text: str) -> object:
        """The text itself."""
        if not text.strip():
            raise InvalidProperty("the value is empty")
        return text


@dataclass(frozen=True, slots=True)
class Letter:
    """A single character; `\\t` is a tab."""

    name: str = "character"

    def parse(self, text: str) -> object:
        """The character."""
        letter = "\t" if text == "\\t" else text
        if len(letter) != 1:
            raise InvalidProperty(f"'{text}' is not one character")
        return letter


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number within bounds; `1_000` is a thousand."""

    least: int | None = None
    most: int | None = None
    name: str = "integer"

    def parse(self, text: str) -> object:
        """The number."""
        if not _WHOLE.fullmatch(text.strip()):
            raise InvalidProperty(f"'{text}' is not a whole number")
        value = int(text)
        _within(text, value, self.least, self.most)
        return value


@dataclass(frozen=True, slots=True)
class Number:
    """A number with or without a fraction, within bounds."""

    least: float | None = None
    most: float | None = None
    name: str = "number"

    def parse(self, text: str) -> object:
        """The number."""
        if not _DECIMAL.fullmatch(text.strip()):
            raise InvalidProperty(f"'{text}' is not a number")
        value = float(text)
        _within(text, value, self.least, self.most)
        return value


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, between 0 and 1: `0.5` or `50%`."""

    name: str = "share"

    def parse(self, text: str) -> object:
        """The fraction."""
        stripped = text.strip()
        percent = stripped.endswith("%")
        number = stripped.removesuffix("%").rstrip()
        if not _DECIMAL.fullmatch(number):
            raise InvalidProperty(
                f"'{text}' is not a share", hint="write a fraction such as 0.5, or a percentage such as 50%"
            )
        value = float(number) / 100 if percent else float(number)
        _within(text, value, 0.0, 1.0)
        return value


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`, nothing else."""

    name: str = "boolean"

    def parse(self, text: str) -> object:
        """The truth value."""
        if text.strip().casefold() not in ("true", "false"):
            raise InvalidProperty(f"'{text}' is neither true nor false", hint="write true or false")
        return text.strip().casefold() == "true"


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time; the value is microseconds. With `off`, the word `off` is a value too and reads as None."""

    off: bool = False
    positive: bool = False
    name: str = "duration"

    def parse(self, text: str) -> object:
        """Microseconds, or None for `off`."""
        if self.off and text.strip().casefold() == "off":
            return None
        micros = durations.parse(text)
        if self.positive and not micros:
            raise InvalidProperty(f"'{text}' is no time at all", hint="write a length of time above zero")
        return micros


@dataclass(frozen=True, slots=True)
class Instant:
    """A point in time as ISO 8601 or epoch milliseconds; without a zone it is UTC. The value is epoch microseconds."""

    name: str = "time"

    def parse(self, text: str) -> object:
        """Microseconds since 1970."""
        stripped = text.strip()
        if stripped.isascii() and stripped.isdecimal():
            return int(stripped) * 1_000
        try:
            read = datetime.fromisoformat(stripped)
        except ValueError:
            hint = "write 2026-01-31T12:00:00Z or epoch milliseconds"
            raise InvalidProperty(f"'{text}' is not a point in time", hint=hint) from None
        aware = read if read.tzinfo else read.replace(tzinfo=UTC)
        return (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of bytes."""

    name: str = "size"

    def parse(self, text: str) -> object:
        """Bytes."""
        return sizes.parse(text)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words, in any letter case and with `-`, `_` or nothing between their parts.

    `also` holds the words that users of other engines type, each with the word it means here. The value is the word as
    declared.
    """

    words: tuple[str, ...]
    also: tuple[tuple[str, str], ...] = ()
    name: str = "choice"

    def __post_init__(self) -> None:
        for other, word in self.also:
            if word not in self.words:
                raise ValueError(f"'{other}' stands for '{word}', which is not a choice")

    def parse(self, text: str) -> object:
        """The word."""
        meant = {squeeze(word): word for word in self.words} | {squeeze(other): word for other, word in self.also}
        word = meant.get(squeeze(text.strip()))
        if word is None:
            raise InvalidProperty(f"'{text}' is not one of its values", hint=did_you_mean(text, self.words, "values"))
        return word


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names, separated by commas; in YAML also a list. With `repeats` one may stand there more than once."""

    repeats: bool = False
    name: str = "names"

    def parse(self, text: str) -> object:
        """The names as a tuple."""
        names = tuple(part.strip() for part in text.split(","))
        if not all(names):
            raise InvalidProperty(f"'{text}' has an empty name")
        if not self.repeats and len(set(names)) != len(names):
            raise InvalidProperty(f"'{text}' has a name twice")
        return names


@dataclass(frozen=True, slots=True)
class Condition:
    """A SQL condition; it is parsed and bound like one in the statement."""

    name: str = "condition"

    def parse(self, text: str) -> object:
        """The text; validation binds it."""
        return Text().parse(text)


def _within(text: str, value: float, least: float | None, most: float | None) -> None:
    if (least is not None and value < least) or (most is not None and value > most):
        bounds = (("at least", least), ("at most", most))
        hint = " and ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
        raise InvalidProperty(f"'{text}' is out of bounds", hint=hint)
