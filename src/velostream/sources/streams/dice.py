"""Random numbers by index: the n-th is the same in every run, on every machine, and whatever is asked before it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Bits = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
WORD = 1 << 64


@dataclass(frozen=True, slots=True)
class Dice:
    """A die of its own for each seed and purpose, so that one more column changes no other."""

    seed: int
    purpose: str

    def bits(self, ids: Ids) -> Bits:
        """64 random bits for each index: the mixing function of SplitMix64 over the index."""
        digest = blake2b(f"{self.seed}/{self.purpose}".encode(), digest_size=8).digest()
        mixed = (ids.view(np.uint64) + np.uint64(1)) * _STEP + np.frombuffer(digest, np.uint64)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
        return np.asarray(mixed ^ (mixed >> np.uint64(31)))

    def fractions(self, ids: Ids) -> NDArray[np.float64]:
        """Numbers from 0 up to 1, without 1."""
        return (self.bits(ids) >> np.uint64(11)).astype(np.float64) / float(1 << 53)

    def whole(self, ids: Ids, least: int, most: int) -> Ids:
        """Whole numbers of 64 bits from `least` to `most`, both included."""
        span = most - least + 1
        bits = self.bits(ids)
        within = bits if span >= WORD else bits % np.uint64(span)
        return (within + np.uint64(least % WORD)).view(np.int64)

    def letters(self, ids: Ids, length: int, alphabet: bytes) -> NDArray[np.uint8]:
        """`length` letters for each index, one index after another."""
        words = -(-length // 8)
        wide = (ids[:, None] * words + np.arange(words)[None, :]).ravel()
        drawn = self.bits(wide).view(np.uint8).reshape(len(ids), words * 8)[:, :length]
        return np.frombuffer(alphabet, np.uint8)[drawn.ravel() % len(alphabet)]

    def inside(self, part: str) -> Dice:
        """A die for a part of what this one is for."""
        return Dice(self.seed, f"{self.purpose}.{part}")
