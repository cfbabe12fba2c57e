"""Rules between settings of one owner: what needs something else, what has no effect beside something else, and what
must not be above something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream import sizes
from velostream.config.keys import setting
from velostream.config.memory import cache_size, hot_size
from velostream.config.origin import Layer

if TYPE_CHECKING:
    from velostream.config.settings import Settings, Value


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that is broken: the code, what is wrong, what to do, and the value at whose place it is shown."""

    code: str
    message: str
    hint: str
    value: Value | None


Rule = Callable[["Settings"], Broken | None]


@dataclass(frozen=True, slots=True)
class Needs:
    """Where `name` is set (to `value`, if one is given), `other` must be set too.

    With `written`, only where the statement itself says it of this owner: a preset or SET may speak of what is not
    there.
    """

    name: str
    other: str
    value: str = ""
    written: bool = False

    def __call__(self, settings: Settings) -> Broken | None:
        """The rule as broken by these settings, None where they keep it."""
        found = _written(settings, self.name) if self.written else settings.find(self.name)
        if found is None or (self.value and found.value != self.value) or self.other in settings:
            return None
        equals = f" = '{self.value}'" if self.value else ""
        message = f"'{self.name}'{equals} needs '{self.other}'"
        declared = settings.known.find(self.other)
        example = declared[0].example if declared else "…"
        return Broken("missing-property", message, f"add {setting(self.other, example)}", found)


@dataclass(frozen=True, slots=True)
class OnlyWith:
    """What the statement itself says of `name` has an effect only where `other`, if it is set, is `value` or `also`."""

    name: str
    other: str
    value: str
    also: str = ""

    def __call__(self, settings: Settings) -> Broken | None:
        """The rule as broken by these settings, None where they keep it."""
        found, chosen = _written(settings, self.name), settings.find(self.other)
        if found is None or chosen is None or chosen.value in (self.value, self.also):
            return None
        message = f"'{self.name}' has no effect with '{self.other}' = '{chosen.text}'"
        hint = f"remove it, or set '{self.other}' = '{self.value}'"
        return Broken("conflicting-properties", message, hint, found)


def _written(settings: Settings, name: str) -> Value | None:
    """The value that the statement itself gives to this owner."""
    found = settings.values.get(name)
    return found if found is not None and found.origin.layer is Layer.STATEMENT else None


@dataclass(frozen=True, slots=True)
class NotAbove:
    """`smaller` must not be above `larger`."""

    smaller: str
    larger: str

    def __call__(self, settings: Settings) -> Broken | None:
        """The rule as broken by these settings, None where they keep it."""
        low, high = settings.value(self.smaller), settings.value(self.larger)
        if low is None or high is None or not isinstance(low.value, int) or not isinstance(high.value, int):
            return None
        if low.value <= high.value:
            return None
        message = f"'{self.smaller}' = '{low.text}' is above '{self.larger}' = '{high.text}'"
        place = max(low, high, key=lambda value: value.origin.layer)
        return Broken("conflicting-properties", message, "change one of them", place)


def memory_budget(settings: Settings) -> Broken | None:
    """The hot tier and the cache of the warm one must fit into the budget for all of them."""
    total = settings.size("state.memory.total")
    hot, warm = hot_size(settings), cache_size(settings)
    if hot + warm <= total:
        return None
    message = (
        f"'state.hot.max_size' and 'state.warm.cache_size' are {sizes.show(hot + warm)} together, "
        f"above 'state.memory.total' = '{sizes.show(total)}'"
    )
    names = ("state.hot.max_size", "state.warm.cache_size", "state.memory.total")
    place = max((value for name in names if (value := settings.value(name))), key=lambda value: value.origin.layer)
    return Broken("conflicting-properties", message, "raise state.memory.total, or lower one of the others", place)
