"""Where rows stand by their keys: an index that is made once for a version, and asked about many keys at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import polars as pl


_MOST_BITS = 26


@dataclass(frozen=True)
class Positions:
    """The hashes of keys in order, which row each belongs to, and where those begin that have the same first bits. Keys
    are compared too: hashes may be alike."""

    keys: pl.DataFrame
    hashes: np.ndarray[Any, Any]
    places: np.ndarray[Any, Any]
    starts: np.ndarray[Any, Any]
    shift: int

    @classmethod
    def of(cls, keys: pl.DataFrame) -> Positions:
        """The index over keys, each of which stands once."""
        import numpy as np

        hashes = keys.hash_rows().to_numpy()
        places = np.argsort(hashes, kind="stable")
        ordered = hashes[places]
        bits = min(max(1, keys.height.bit_length()), _MOST_BITS)
        shift = 64 - bits
        firsts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(shift)
        return cls(keys, ordered, places, np.searchsorted(ordered, firsts), shift)

    def find(self, asked: pl.DataFrame) -> pl.Series:
        """The place of each key; NULL where there is none. A NULL equals a NULL."""
        import numpy as np
        import polars as pl

        wanted = asked.hash_rows().to_numpy() if asked.height else np.zeros(0, np.uint64)
        at = self._first(wanted)
        found = np.full(len(wanted), -1, np.int64)
        left = self._alike(np.arange(len(wanted)), at, wanted)
        while left.size:
            candidates = self.places[at[left]]
            same = self._same(asked[left], self.keys[candidates])
            found[left[same]] = candidates[same]
            left = left[~same]
            at[left] += 1
            left = self._alike(left, at, wanted)
        return pl.Series(found).set(pl.Series(found < 0), None)

    def _first(self, wanted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Where the first hash stands that is not smaller than each that is wanted. Numbers alone are compared here: to
        take keys out of their columns at each step would be most of the time."""
        import numpy as np

        at: np.ndarray[Any, Any] = self.starts[wanted >> np.uint64(self.shift)]
        behind = np.arange(len(wanted))
        while behind.size:
            behind = behind[at[behind] < len(self.hashes)]
            behind = behind[self.hashes[at[behind]] < wanted[behind]]
            at[behind] += 1
        return at

    def _alike(
        self, left: np.ndarray[Any, Any], at: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """Of those that are left the ones whose hash stands where they are."""
        inside: np.ndarray[Any, Any] = left[at[left] < len(self.hashes)]
        alike: np.ndarray[Any, Any] = inside[self.hashes[at[inside]] == wanted[inside]]
        return alike

    @staticmethod
    def _same(asked: pl.DataFrame, held: pl.DataFrame) -> np.ndarray[Any, Any]:
        import polars as pl

        alike = (asked[name].eq_missing(held[name]) for name in asked.columns)
        return pl.DataFrame(alike).select(pl.all_horizontal(pl.all())).to_series().to_numpy()
