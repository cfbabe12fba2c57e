"""Rows that share the largest value that was read: others with the same value may still come, and are told apart.

A time that counts whole seconds is the same for rows of several transactions. How many rows had the largest value is
kept, and a mark of each, so that one that comes later is read, and none twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

MOST = 10_000
"""Of more rows than this no marks are kept."""


@dataclass(frozen=True)
class Ties:
    """How many rows of the largest value were read, and their marks; None where there are too many of them."""

    count: int
    marks: tuple[str, ...] | None = None

    @classmethod
    def of(cls, count: int, texts: Iterable[str]) -> Ties:
        """Of rows as texts."""
        return cls(count, tuple(map(mark, texts)) if count <= MOST else None)

    def without(self, texts: Sequence[str]) -> list[str]:
        """The texts that are not of these rows, each as often as it is there more often."""
        left, found = Counter(self.marks or ()), []
        for text in texts:
            told = mark(text)
            if left[told]:
                left[told] -= 1
            else:
                found.append(text)
        return found

    def since(self, before: Ties | None) -> Ties:
        """Those that are not among the ones before."""
        if before is None:
            return self
        left = Counter(self.marks or ()) - Counter(before.marks or ())
        return Ties(self.count - before.count, tuple(left.elements()))

    def chosen(self, texts: Sequence[str]) -> list[str]:
        """The texts of these rows. In place of one that has been changed meanwhile stands one that is not known."""
        unknown = self.without(texts)
        others = Counter(unknown)
        known = [text for text in texts if not _taken(others, text)]
        return known + unknown[: self.count - len(known)]


def mark(text: str) -> str:
    """A few letters that tell a row from others of its value."""
    return blake2b(text.encode(), digest_size=6).hexdigest()


def _taken(counts: Counter[str], text: str) -> bool:
    if not counts[text]:
        return False
    counts[text] -= 1
    return True
