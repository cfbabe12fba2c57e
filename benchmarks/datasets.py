"""The generated input of a scenario: Parquet files in order of arrival, two for every micro-batch.

A last file holds one record that lies days ahead. It closes every window by the watermark, so that engines that know no
end of input have to do the same work; checks leave its key out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FILES_PER_BATCH = 2
"""So that both cores of the smallest machine have something to read."""
BATCHES = 10
TAIL = "~tail"
MINUTE = 60_000_000
HOUR = 60 * MINUTE
START = 1_704_067_200_000_000
"""2024-01-01, in microseconds."""
FAR = 30 * 24 * HOUR
PER_MINUTE = 300_000
SCHEMA = pa.schema(
    [
        ("symbol", pa.string()),
        ("price", pa.float64()),
        ("quantity", pa.int32()),
        ("traded_at", pa.timestamp("us", tz="UTC")),
    ]
)

Columns = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Dataset:
    """Input by name: how many records it has, and how they are made, a micro-batch at a time."""

    name: str
    records: int
    batches: Callable[[], Iterator[Columns]]
    tail: bool = True

    def write(self, folder: Path) -> tuple[Path, list[int]]:
        """The folder with its files, made if need be, and the records of each micro-batch but the tail's."""
        target = folder / self.name
        done = target / "_DONE"
        if done.exists():
            return target, json.loads(done.read_text())
        target.mkdir(parents=True, exist_ok=True)
        number, sizes = 0, []
        for columns in self.batches():
            sizes.append(len(columns["traded_at"]))
            for part in np.array_split(np.arange(len(columns["traded_at"])), FILES_PER_BATCH):
                number = _file(target, number, {name: values[part] for name, values in columns.items()})
        if self.tail:
            _file(target, number, _tail())
        done.write_text(json.dumps(sizes))
        return target, sizes


def _file(folder: Path, number: int, columns: Columns) -> int:
    keys = np.array([f"K{key:07d}" if key >= 0 else TAIL for key in np.unique(columns["symbol"])], dtype=object)
    places = np.searchsorted(np.unique(columns["symbol"]), columns["symbol"])
    arrays = [
        pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), pa.array(keys, pa.string())).cast(pa.string()),
        pa.array(columns["price"], pa.float64()),
        pa.array(columns["quantity"], pa.int32()),
        pa.array(columns["traded_at"], pa.int64()).cast(pa.timestamp("us", tz="UTC")),
    ]
    path = folder / f"{number:05d}.parquet"
    pq.write_table(pa.table(arrays, schema=SCHEMA), path)
    # Spark takes files by the time of their last change, Velostream by name: both orders have to be the same.
    os.utime(path, (START / 1e6 + 10 * number,) * 2)
    return number + 1


def _tail() -> Columns:
    return {
        "symbol": np.array([-1]),
        "price": np.zeros(1),
        "quantity": np.zeros(1, int),
        "traded_at": np.array([START + FAR]),
    }


def _values(rng: np.random.Generator, keys: int, at: np.ndarray[Any, Any]) -> Columns:
    count = len(at)
    return {
        "symbol": rng.integers(0, keys, count),
        "price": np.round(rng.uniform(10, 500, count), 2),
        "quantity": rng.integers(1, 100, count),
        "traded_at": at,
    }


def trades(
    records: int,
    keys: int,
    *,
    per_minute: int = PER_MINUTE,
    minutes: int = 10,
    disorder: int = 4,
    batches: int = BATCHES,
) -> Dataset:
    """Records in order of time, shuffled within `disorder` seconds; `minutes` at least, whatever their number."""
    rate = max(1, min(per_minute, records // minutes))
    step = MINUTE // rate

    def made() -> Iterator[Columns]:
        rng = np.random.default_rng(4)
        at = START + np.arange(records, dtype=np.int64) * step
        if disorder:
            at = at[np.argsort(at + rng.integers(0, disorder * 1_000_000, records), kind="stable")]
        whole = _values(rng, keys, at)
        for part in np.array_split(np.arange(records), batches):
            yield {name: values[part] for name, values in whole.items()}

    return Dataset(f"trades-{records}-{keys}-{rate}-{disorder}-{batches}", records, made)


def partitioned(records: int, keys: int) -> Dataset:
    """The records of `trades`, dealt to files that each cover all of the time, and arrive one after another."""
    files = BATCHES * FILES_PER_BATCH
    whole = records - records % files

    def made() -> Iterator[Columns]:
        parts = list(trades(whole, keys).batches())
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        for first in range(0, files, FILES_PER_BATCH):
            picked = np.concatenate([np.arange(first + file, whole, files) for file in range(FILES_PER_BATCH)])
            yield {name: values[picked] for name, values in columns.items()}

    return Dataset(f"partitioned-{whole}-{keys}", whole, made)


def sessions(records: int) -> Dataset:
    """Sessions of 10 records, 20 for every key; a tenth have a hole that a record bridges which comes 6 hours late."""
    count = max(20, records // 10)
    keys = max(1, count // 20)

    def made() -> Iterator[Columns]:
        rng = np.random.default_rng(5)
        number = np.arange(count)
        begin = (number // keys) * 160 * MINUTE + rng.integers(0, 10 * MINUTE, count)
        holed = rng.random(count) < 0.1
        plain = np.arange(10) * 10 * MINUTE
        bridged = np.array([0, 10, 20, 30, 40, 65, 90, 95, 100, 105]) * MINUTE
        at = (START + begin[:, None] + np.where(holed[:, None], bridged, plain)).ravel()
        late = np.zeros((count, 10), dtype=np.int64)
        late[holed, 5] = 6 * HOUR
        order = np.argsort(at + late.ravel(), kind="stable")
        whole = _values(rng, keys, at[order]) | {"symbol": np.repeat(number % keys, 10)[order]}
        for part in np.array_split(np.arange(count * 10), BATCHES):
            yield {name: values[part] for name, values in whole.items()}

    return Dataset(f"sessions-{count * 10}", count * 10, made)


def retained(keys: int, *, batches: int = 20, size: int = 10_000) -> Dataset:
    """Every key once, then batches of `size` records of any of them."""

    def made() -> Iterator[Columns]:
        rng = np.random.default_rng(6)
        yield _values(rng, keys, START + np.arange(keys)) | {"symbol": rng.permutation(keys)}
        for batch in range(batches):
            yield _values(rng, keys, START + keys + batch * size + np.arange(size))

    return Dataset(f"retained-{keys}-{batches}-{size}", keys + batches * size, made, tail=False)
