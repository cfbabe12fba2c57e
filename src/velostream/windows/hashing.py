"""Spark's xxhash64 of the keys of a row, so that a row goes to the same bucket whoever routes it.

It is computed once for each distinct value and remembered: keys come again and again.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

SEED = 42
_MASK = (1 << 64) - 1
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_REMEMBERED = 1_000_000
_known: dict[tuple[bool, ...], dict[Any, int]] = {}
"""By which of the keys are wide: the hashes of values, or of several together."""


def hashable(kind: str) -> bool:
    """True for the types (SQL names) whose hash is known here."""
    return kind in ("STRING", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DATE")


def hashes(rows: pl.DataFrame, keys: Sequence[str]) -> pl.Series:
    """The hash of each row's keys, as a signed 64-bit number."""
    wide = [rows.schema[name] == pl.Int64 for name in keys]
    plain = rows.select(pl.col(name).cast(pl.Int32) if rows.schema[name] == pl.Date else pl.col(name) for name in keys)
    known = _known.setdefault(tuple(wide), {})
    if len(known) > _REMEMBERED:
        known.clear()
    values = plain.to_series().to_list() if len(wide) == 1 else plain.rows()
    new = set(values).difference(known)
    known.update((value, _hash((value,) if len(wide) == 1 else value, wide)) for value in new)
    return pl.Series("_hash", list(map(known.__getitem__, values)), dtype=pl.Int64)


def _hash(values: Sequence[Any], wide: Sequence[bool]) -> int:
    state = SEED
    for value, is_long in zip(values, wide, strict=True):
        if value is None:
            continue
        if isinstance(value, str):
            state = of_bytes(value.encode(), state)
        else:
            state = of_long(int(value), state) if is_long else of_int(int(value), state)
    return state - (1 << 64) if state >> 63 else state


def of_long(value: int, seed: int) -> int:
    """Of eight bytes."""
    state = (seed + _P5 + 8) & _MASK
    state ^= _rotated(value * _P2 & _MASK, 31) * _P1 & _MASK
    return _mixed((_rotated(state, 27) * _P1 + _P4) & _MASK)


def of_int(value: int, seed: int) -> int:
    """Of four bytes."""
    state = (seed + _P5 + 4) & _MASK
    state ^= (value & 0xFFFFFFFF) * _P1 & _MASK
    return _mixed((_rotated(state, 23) * _P2 + _P3) & _MASK)


def of_bytes(data: bytes, seed: int) -> int:
    """Of a text's bytes."""
    length, place = len(data), 0
    if length >= 32:
        lanes = [(seed + _P1 + _P2) & _MASK, (seed + _P2) & _MASK, seed, (seed - _P1) & _MASK]
        while place <= length - 32:
            for lane, word in enumerate(struct.unpack_from("<4Q", data, place)):
                lanes[lane] = _rotated((lanes[lane] + word * _P2) & _MASK, 31) * _P1 & _MASK
            place += 32
        state = sum(_rotated(lane, turn) for lane, turn in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
        for lane in lanes:
            state ^= _rotated(lane * _P2 & _MASK, 31) * _P1 & _MASK
            state = (state * _P1 + _P4) & _MASK
    else:
        state = (seed + _P5) & _MASK
    state = (state + length) & _MASK
    while place <= length - 8:
        (word,) = struct.unpack_from("<Q", data, place)
        state ^= _rotated(word * _P2 & _MASK, 31) * _P1 & _MASK
        state = (_rotated(state, 27) * _P1 + _P4) & _MASK
        place += 8
    if place <= length - 4:
        (word,) = struct.unpack_from("<I", data, place)
        state ^= word * _P1 & _MASK
        state = (_rotated(state, 23) * _P2 + _P3) & _MASK
        place += 4
    for byte in data[place:]:
        state ^= byte * _P5 & _MASK
        state = _rotated(state, 11) * _P1 & _MASK
    return _mixed(state)


def _rotated(value: int, turns: int) -> int:
    return (value << turns | value >> (64 - turns)) & _MASK


def _mixed(state: int) -> int:
    state ^= state >> 33
    state = state * _P2 & _MASK
    state ^= state >> 29
    state = state * _P3 & _MASK
    return state ^ state >> 32
