"""Things with names: a dict from a tuple of members, and the nearest names to one that nobody knows."""

import difflib
from collections.abc import Iterable
from typing import Protocol, TypeVar


class Named(Protocol):
    """Anything that carries its SQL name."""

    @property
    def name(self) -> str:
        """The name by which SQL speaks of it."""
        ...


T = TypeVar("T", bound=Named)


def by_name(members: Iterable[T]) -> dict[str, T]:
    """Members by name; two of one name are a programming error."""
    table: dict[str, T] = {}
    for member in members:
        if member.name in table:
            raise ValueError(f"two members are named '{member.name}'")
        table[member.name] = member
    return table


def nearest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that look like `word`, best first; letter case does not matter."""
    spelled: dict[str, str] = {}
    for name in known:
        spelled.setdefault(name.casefold(), name)
    folded = word.casefold()
    close = difflib.get_close_matches(folded, spelled, n=most, cutoff=0.6)
    if len(folded) >= 3:
        parts = (name for name in sorted(spelled) if len(name) >= 3 and (folded in name or name in folded))
        close += [name for name in parts if name not in close]
    return [spelled[name] for name in close[:most]]


def did_you_mean(word: str, known: Iterable[str], what: str = "") -> str:
    """A hint that names the nearest, and all where they are few: `did you mean 'price'? columns: symbol, price`."""
    names = list(dict.fromkeys(known))
    close = nearest(word, names)
    parts = []
    if close:
        parts.append("did you mean " + " or ".join(f"'{name}'" for name in close) + "?")
    if what and names:
        shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
        parts.append(f"{what}: {shown}")
    return " ".join(parts)
