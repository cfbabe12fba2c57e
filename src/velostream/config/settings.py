"""Resolved settings of one owner: values that are read already, defaults, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from velostream.config.origin import DEFAULT, Origin
from velostream.config.property import Known, Property, Scope
from velostream.config.secrets import masked

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Value:
    """A value in force: as written, as read, and where it comes from."""

    declared: Property
    key: str
    """The property's name, with the user's name for its `*`; for what a client gets, the client's name."""
    text: str
    value: object
    origin: Origin

    @property
    def shown(self) -> str:
        """The text as it may be shown: passwords and the like are masked."""
        return "****" if self.declared.secret else masked(self.key, self.text)


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for one owner (`owner` is empty for the job).

    A property that its owner does not set and that the job may set too falls back to the job's value, then to its
    default. Asking for a name that is not declared for this owner is a defect of the program, and a KeyError.
    """

    owner: str
    known: Known
    values: Mapping[str, Value] = field(default_factory=dict)
    """What is set, by the property's name (`fields.symbol.min` for `fields.*.min`)."""
    client: Mapping[str, Value] = field(default_factory=dict)
    """What passes through, by the client's name."""
    job: Settings | None = None

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None

    def __iter__(self) -> Iterator[Value]:
        yield from self.values.values()
        yield from self.client.values()

    def find(self, name: str) -> Value | None:
        """The value that is set here, or for the whole job; None where only a default is left."""
        own = self.values.get(name)
        if own is not None or self.job is None or Scope.JOB not in self._declared(name).scopes:
            return own
        return self.job.values.get(name)

    def value(self, name: str) -> Value | None:
        """The value in force with its origin, which may be the default; None where there is neither."""
        declared = self._declared(name)
        found = self.find(name)
        if found is not None or declared.default is None:
            return found
        return Value(declared, name, declared.default, declared.read(declared.default), DEFAULT)

    def get(self, name: str) -> object:
        """What is in force: what was set, else the default, else None."""
        value = self.value(name)
        return None if value is None else value.value

    def text(self, name: str) -> str:
        """A text or a choice; there must be one: a default, or one that is required."""
        return self._of(name, str)

    def integer(self, name: str) -> int:
        """A whole number."""
        return self._of(name, int)

    def number(self, name: str) -> float:
        """A number or a share."""
        return self._of(name, float)

    def boolean(self, name: str) -> bool:
        """True or false."""
        return self._of(name, bool)

    def duration(self, name: str) -> int:
        """Microseconds."""
        return self._of(name, int)

    def size(self, name: str) -> int:
        """Bytes."""
        return self._of(name, int)

    def names(self, name: str) -> tuple[str, ...]:
        """A list of names; empty where it is not set."""
        return () if self.get(name) is None else self._of(name, tuple)

    def labelled(self, name: str) -> dict[str, Value]:
        """The values of a property with a `*`, by the name that the user chose."""
        head, tail = name.split("*")
        return {
            value.key[len(head) : len(value.key) - len(tail)]: value
            for value in self.values.values()
            if value.declared.name == name
        }

    def under(self, values: Mapping[str, Value]) -> Settings:
        """These settings with others that hold unless something of a higher layer is set: those of a named window."""
        lower = {
            name: value
            for name, value in values.items()
            if name not in self.values or self.values[name].origin.layer <= value.origin.layer
        }
        return replace(self, values={**self.values, **lower})

    def _of(self, name: str, kind: type[T]) -> T:
        value = self.get(name)
        if not isinstance(value, kind):
            raise LookupError(f"'{name}' of '{self.owner or 'the job'}' is {value!r}, not {kind.__name__}")
        return value

    def _declared(self, name: str) -> Property:
        found = self.known.find(name)
        if found is None:
            raise KeyError(f"'{name}' is not declared for '{self.owner or 'the job'}'")
        return found[0]
