"""Rows for every column of the catalogue: seeded random ones, and groups made of the values that go wrong elsewhere."""

import random
import struct
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
from tests.windows.accumulators.catalogue import KEEP, schema

NAN = float("nan")
ODD_NAN: float = struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_0001))[0]
FLOATS = (NAN, ODD_NAN, -0.0, 0.0, 1.5, -1.5, 1e-300, 0.1, 3.0, 3.0)
INFINITE = (float("inf"), float("-inf"))
TEXTS = ("", "a", "ab", "Z", "é", "ß", "𝄞", "\uffff", "日本", "a\u0301", "trailing ")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def row(rng: random.Random, group: int, offset: int, *, infinite: bool) -> dict[str, Any]:
    """One random row; about every sixth value is NULL."""
    floats = (*FLOATS, *INFINITE) if infinite else FLOATS
    values: dict[str, Any] = {
        "flag": rng.random() < 0.7,
        "tiny": rng.choice((-64, 63, 0, 1, 5)),
        "small": rng.choice((-(2**14), 2**14 - 1, 0, 1, 7)),
        "i": rng.choice((-(2**30), 2**30 - 1, 0, 1, 1, rng.randint(-9, 9))),
        "j": rng.choice((-(2**58), 2**58, 0, rng.randint(-9, 9), 2**53 + 1)),
        "x": rng.choice((*floats, rng.gauss(1e6, 1))),
        "y": rng.gauss(-50, 10),
        "r": struct.unpack("<f", struct.pack("<f", rng.choice((*FLOATS, rng.gauss(0, 1)))))[0],
        "d": Decimal(rng.randint(-(10**10) + 1, 10**10 - 1)).scaleb(-2),
        "e": Decimal(rng.choice((rng.randint(-(10**32), 10**32), 1, -1, 0))).scaleb(-6),
        "s": rng.choice(TEXTS),
        "z": rng.choice((b"", b"\x00", b"\xff", b"ab", b"\x7f\x80")),
        "day": date(1970, 1, 1) + timedelta(days=rng.randint(-30_000, 30_000)),
        "at": EPOCH + timedelta(microseconds=rng.randint(-(10**15), 10**15)),
        "span": timedelta(microseconds=rng.randint(-(10**12), 10**12)),
        "many": [rng.randint(0, 2) for _ in range(rng.randint(0, 3))],
        "pair": {"a": rng.randint(0, 2), "b": rng.choice(TEXTS)},
    }
    holes = {name: None if rng.random() < 0.16 else value for name, value in values.items()}
    keep = rng.choice((True, True, False, None))
    time, partition = rng.randint(-5, 5), rng.randint(0, 2)
    where = {"_event_time": time, "_source": rng.choice("ab"), "_partition": partition, "_offset": offset}
    return {"g": group, **holes, KEEP: keep, **where}


def constant(group: int, offset: int, value: float) -> dict[str, Any]:
    """A row of a group whose values are all equal, where deviations must vanish exactly."""
    numbers = {
        "tiny": 3,
        "small": 3,
        "i": 3,
        "j": 3,
        "x": value,
        "y": value,
        "d": Decimal("0.10"),
        "e": Decimal("0.10"),
    }
    where = {"_event_time": 0, "_source": "a", "_partition": 0, "_offset": offset}
    return {"g": group, **numbers, "r": value, "s": "same", "flag": True, KEEP: True, **where}


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows as a frame; what a row does not say is NULL."""
    columns = schema()
    return pl.DataFrame({name: [one.get(name) for one in rows] for name in columns}, schema=columns)


def sample(seed: int = 7) -> pl.DataFrame:
    """Groups 0–15 random and growing, 20–23 with infinities, 30 all NULL, 31 a single row, 32–34 of equal values."""
    rng = random.Random(seed)
    rows = [row(rng, group, offset, infinite=False) for group in range(16) for offset in range(1 + group * group // 2)]
    rows += [row(rng, group, offset, infinite=True) for group in range(20, 24) for offset in range(12)]
    rows += [{"g": 30, KEEP: True, "_event_time": 1, "_source": "a", "_partition": 0, "_offset": n} for n in range(3)]
    rows += [constant(31, 0, 0.1)]
    rows += [constant(32, offset, 0.1) for offset in range(7)] + [
        constant(33, offset, 1e15 + 0.3) for offset in range(3)
    ]
    rows += [constant(34, 0, 5.0), constant(34, 1, 5.0)]
    rng.shuffle(rows)
    return frame(rows)
