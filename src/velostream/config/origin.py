"""Where a value comes from. The higher its layer, the more it counts; errors and explain show its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from velostream.positions import Span


class Layer(IntEnum):
    """The layers of settings, weakest first."""

    DEFAULT = 0
    PRESET = 1
    CONFIG = 2
    """YAML named for the whole job: `'config_file' = 'app.yaml'`."""
    OWN_CONFIG = 3
    """YAML named for one source or sink: `'trades.config_file' = 'trades.yaml'`."""
    SESSION = 4
    """`SET 'key' = 'value'`."""
    STATEMENT = 5
    """WITH, an annotation, or the address of a source written as a URI."""
    ENVIRONMENT = 6
    """`VELO_TRADES_TOPIC`."""
    COMMAND = 7
    """`--set key=value`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A layer and a place in it: `span` in the SQL text, or `place` in words (`prod.yaml:12`, `VELO_TRADES_TOPIC`).

    What comes from a file that SQL names has both, and `span` is where the SQL names it.
    """

    layer: Layer
    place: str = ""
    span: Span | None = None

    def __str__(self) -> str:
        if self.place:
            return self.place
        return f"line {self.span.line}" if self.span else self.layer.name.casefold().replace("_", " ")


DEFAULT = Origin(Layer.DEFAULT, "default")


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key = value` as written. `items` holds the members where it was written as a list."""

    key: str
    text: str
    origin: Origin
    items: tuple[str, ...] = ()


def written(key: str, text: str, span: Span | None = None) -> Entry:
    """An entry of WITH, or of an annotation that is a property."""
    return Entry(key, text, Origin(Layer.STATEMENT, span=span))


def session(key: str, text: str, span: Span | None = None) -> Entry:
    """An entry of `SET 'key' = 'value'`."""
    return Entry(key, text, Origin(Layer.SESSION, span=span))


def command(key: str, text: str) -> Entry:
    """An entry of `--set key=value`."""
    return Entry(key, text, Origin(Layer.COMMAND, f"--set {key}"))
