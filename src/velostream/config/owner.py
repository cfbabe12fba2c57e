"""Who has settings: a source, sink, table or stream of a statement, and how to find out which keys it may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from velostream.config.origin import Entry
from velostream.config.property import Known, Scope
from velostream.config.settings import Settings
from velostream.positions import Span

Look = Callable[..., str]
"""`look("type", "connector")`: the text of the first of these keys that the owner is given, empty without one."""

Choose = Callable[[Look], Known]
"""All keys that an owner may have. They depend on some of its values: its type, its formats."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A source, sink, table or stream of a statement: it owns the keys that begin with its name and a dot.

    `choose` tells the keys it may have (see velostream.catalog.properties). `base` is what its own declaration
    (`CREATE STREAM x (…) WITH (…)`) says, where another statement reads it. `given` are entries of its own that stand
    elsewhere than in WITH, with keys without the prefix: what its address (`kafka://host/topic`) says.
    """

    name: str
    scope: Scope
    choose: Choose
    span: Span | None = None
    base: Settings | None = None
    given: tuple[Entry, ...] = ()
