"""A property: its name, kind, default, doc and example. Checking, help and the reference page all come from here."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from velostream.config.keys import fold, setting
from velostream.config.kinds import Boolean, Choice, Condition, Duration, Integer, Kind, Names, Number, Size, Text
from velostream.config.rule import Rule
from velostream.errors import InvalidProperty, VeloError

__all__ = [
    "Boolean",
    "Choice",
    "Condition",
    "Duration",
    "Family",
    "Integer",
    "Kind",
    "Known",
    "Names",
    "Number",
    "Property",
    "Scope",
    "Size",
    "Text",
]


class Scope(Enum):
    """Whose setting it is. One that is the job's and a source's holds for all sources of the job that do not set it."""

    JOB = "job"
    SOURCE = "source"
    STREAM = "stream"
    """A stream that another statement makes, as the one that reads it sees it."""
    TABLE = "table"
    SINK = "sink"


@dataclass(frozen=True, slots=True)
class Property:
    """One setting, declared once.

    `name` may hold one `*` behind its first dot, for a name that the user chooses: `fields.*.min`, `headers.*`.
    `scopes` is empty for the options of connectors and formats: they are where their connector or format is. `client`
    means that the value goes to the client library as it is, under this name.
    """

    name: str
    kind: Kind
    doc: str
    example: str
    default: str | None = None
    aliases: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    required: bool = False
    client: bool = False
    secret: bool = False

    def __post_init__(self) -> None:
        for text in (self.example, self.default):
            if text is not None:
                self.read(text)

    def read(self, text: str, key: str = "") -> object:
        """The value that a text means, or an error that names the property (as `key`) and shows an example."""
        try:
            return self.kind.parse(text)
        except VeloError as error:
            hint = error.hint or f"for example {setting(self.name, self.example)}"
            message = error.message.replace(text, "****") if self.secret and text else error.message
            raise InvalidProperty(f"property '{key or self.name}': {message}", hint=hint) from None

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and its aliases."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class Family:
    """Settings of a client library that pass through: every key that begins with `prefix`.

    With `strips`, the prefix is ours and not part of the client's name (`properties.linger.ms` is `linger.ms`).
    `refused` names what must not be set, each with the reason.
    """

    prefix: str
    doc: str
    example: tuple[str, str]
    strips: bool = True
    refused: tuple[tuple[str, str], ...] = ()
    scopes: tuple[Scope, ...] = ()

    def client_name(self, key: str) -> str | None:
        """The client's name of a key of this family, None for a key of another."""
        if not key.casefold().startswith(self.prefix) or len(key) == len(self.prefix):
            return None
        return key[len(self.prefix) :] if self.strips else key

    def refusal(self, client_name: str) -> str:
        """Why this must not be set; empty where it may."""
        return next((why for name, why in self.refused if fold(name) == fold(client_name)), "")


@dataclass(frozen=True, slots=True)
class Known:
    """All keys that one owner (or the job) may have. `one_of`: of each group exactly one must be set."""

    properties: tuple[Property, ...]
    families: tuple[Family, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    rules: tuple[Rule, ...] = ()
    _folded: dict[str, Property] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        folded: dict[str, Property] = {}
        for declared in self.properties:
            for spelling in dict.fromkeys(map(fold, declared.spellings)):
                if spelling in folded:
                    raise ValueError(f"'{spelling}' is both '{folded[spelling].name}' and '{declared.name}'")
                folded[spelling] = declared
        object.__setattr__(self, "_folded", folded)

    def find(self, key: str) -> tuple[Property, str] | None:
        """The property that a key means and the name that stands for its `*` (empty without one)."""
        plain = self._folded.get(fold(key))
        if plain is not None and "*" not in plain.name:
            return plain, ""
        parts = key.strip().split(".", 2)
        if len(parts) == 3:
            starred = self._folded.get(fold(f"{parts[0]}.*.{parts[2]}"))
            if starred is not None:
                return starred, parts[1]
        head, _, label = key.strip().partition(".")
        trailing = self._folded.get(fold(f"{head}.*")) if label else None
        return (trailing, label) if trailing is not None else None

    def passes(self, key: str) -> tuple[Family, str] | None:
        """The family that a key belongs to and the client's name of it."""
        for family in self.families:
            name = family.client_name(key.strip())
            if name is not None:
                return family, name
        return None

    @property
    def keys(self) -> list[str]:
        """Every key by its own name, for hints."""
        return [declared.name for declared in self.properties] + [f"{family.prefix}*" for family in self.families]

    def union(self, other: Known) -> Known:
        """What either knows; where both declare a name, this one's declaration holds."""
        mine = {declared.name for declared in self.properties}
        added = tuple(declared for declared in other.properties if declared.name not in mine)
        prefixes = {family.prefix for family in self.families}
        families = tuple(family for family in other.families if family.prefix not in prefixes)
        one_of = tuple(dict.fromkeys((*self.one_of, *other.one_of)))
        rules = tuple(dict.fromkeys((*self.rules, *other.rules)))
        return Known((*self.properties, *added), (*self.families, *families), one_of, rules)
