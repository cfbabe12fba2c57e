"""Tables that scenarios join with: generated rows in a Parquet file beside the stream's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Reference:
    """A table by name: so many rows, each with a key. `keys` says what the keys are: symbols, numbers or sectors."""

    name: str
    rows: int
    keys: str = "symbol"

    @property
    def columns(self) -> dict[str, str]:
        """Its columns and their types, the key first."""
        of_key = {"symbol": "STRING", "quantity": "INT", "sector": "STRING"}[self.keys]
        return {self.keys: of_key, **_VALUES[self.keys]}

    def file(self, data: Path) -> Path:
        """Where it is, beside the folder of a stream."""
        return data.parent / f"{self.name}-{self.rows}.parquet"

    def write(self, data: Path) -> Path:
        """Its file, made if need be."""
        file = self.file(data)
        if not file.exists():
            made = file.with_suffix(".part")
            pq.write_table(rows_of(self), made, row_group_size=250_000)
            made.replace(file)
        return file


_VALUES = {
    "symbol": {"sector": "STRING", "lot": "INT", "rate": "DOUBLE"},
    "quantity": {"fee": "DOUBLE"},
    "sector": {"desk": "STRING", "weight": "DOUBLE"},
}
SECTORS = 20


def rows_of(reference: Reference, version: int = 0, *, first: int = 0) -> pa.Table:
    """The rows from number `first` on; another version has other values under the same keys."""
    numbers = np.arange(first, first + reference.rows)
    rng = np.random.default_rng(7 + version)
    values: dict[str, Any] = {
        "sector": pa.array([f"S{number}" for number in range(SECTORS)]).take(pa.array(numbers % SECTORS)),
        "lot": pa.array(1 + (numbers + version) % 10, pa.int32()),
        "rate": pa.array(np.round(rng.uniform(0.5, 2, len(numbers)), 3)),
        "fee": pa.array(np.round(rng.uniform(0, 1, len(numbers)), 3)),
        "desk": pa.array([f"D{number % 4}" for number in range(SECTORS)]).take(pa.array(numbers % SECTORS)),
        "weight": pa.array(np.round(rng.uniform(0.5, 2, len(numbers)), 3)),
    }
    keys = {
        "symbol": lambda: pa.array(np.char.mod("K%07d", numbers)),
        "quantity": lambda: pa.array(numbers, pa.int32()),
        "sector": lambda: pa.array([f"S{number}" for number in numbers]),
    }
    return pa.table({reference.keys: keys[reference.keys]()} | {name: values[name] for name in _VALUES[reference.keys]})
