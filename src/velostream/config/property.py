"""A property: its name, type, default, doc and example. Checking, help and the reference page all come from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from velostream import durations, sizes
from velostream.errors import InvalidProperty, VeloError


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
class Integer:
    """A whole number within bounds."""

    least: int | None = None
    most: int | None = None
    name: str = "integer"

    def parse(self, text: str) -> object:
        """The number."""
        digits = text.strip().replace("_", "")
        if not digits.removeprefix("-").isdecimal():
            raise InvalidProperty(f"'{text}' is not a whole number")
        value = int(digits)
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            bounds = (("at least", self.least), ("at most", self.most))
            hint = " and ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
            raise InvalidProperty(f"'{text}' is out of bounds", hint=hint)
        return value


@dataclass(frozen=True, slots=True)
class Number:
    """A number with or without a fraction, within bounds."""

    least: float | None = None
    most: float | None = None
    name: str = "number"

    def parse(self, text: str) -> object:
        """The number."""
        try:
            value = float(text)
        except ValueError:
            raise InvalidProperty(f"'{text}' is not a number") from None
        inside = (self.least is None or value >= self.least) and (self.most is None or value <= self.most)
        if not inside or value != value:
            raise InvalidProperty(f"'{text}' is out of bounds", hint=f"between {self.least} and {self.most}")
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
    """A length of time; the value is microseconds."""

    name: str = "duration"

    def parse(self, text: str) -> object:
        """Microseconds."""
        return durations.parse(text)


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of bytes."""

    name: str = "size"

    def parse(self, text: str) -> object:
        """Bytes."""
        return sizes.parse(text)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words; letter case does not matter, the value is the word as declared."""

    words: tuple[str, ...]
    name: str = "choice"

    def parse(self, text: str) -> object:
        """The word."""
        for word in self.words:
            if word.casefold() == text.strip().casefold():
                return word
        words = ", ".join(self.words)
        raise InvalidProperty(f"'{text}' is not one of {words}", hint=f"use one of {words}")


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names, separated by commas."""

    name: str = "names"

    def parse(self, text: str) -> object:
        """The names as a tuple."""
        names = tuple(part.strip() for part in text.split(","))
        if not all(names):
            raise InvalidProperty(f"'{text}' has an empty name")
        return names


@dataclass(frozen=True, slots=True)
class Condition:
    """A SQL condition; it is parsed and bound like one in the statement."""

    name: str = "condition"

    def parse(self, text: str) -> object:
        """The text; validation binds it."""
        return Text().parse(text)


@dataclass(frozen=True, slots=True)
class Property:
    """One setting, declared once."""

    name: str
    kind: Kind
    doc: str
    example: str
    default: str | None = None
    aliases: tuple[str, ...] = ()
    required: bool = False
    passes_through: bool = False
    """True for a family of client settings: `name` ends in `.` and every key that begins with it goes to the client."""

    def __post_init__(self) -> None:
        for text in (self.example, self.default):
            if text is not None:
                self.read(text)

    def read(self, text: str) -> object:
        """The value that a text means, or an error that names the property and shows an example."""
        try:
            return self.kind.parse(text)
        except VeloError as error:
            hint = error.hint or f"for example '{self.name}' = '{self.example}'"
            message = f"property '{self.name}' takes a {self.kind.name}: {error.message}"
            raise InvalidProperty(message, hint=hint) from None
