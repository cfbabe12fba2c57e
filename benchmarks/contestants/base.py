"""What a contestant is asked to do, what it answers, and how its results are summed up."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from benchmarks.datasets import TAIL
from benchmarks.scenario import Scenario


@dataclass(frozen=True)
class Task:
    """One scenario for one contestant, on as many cores as all others have."""

    scenario: str
    contestant: str
    data: Path
    work: Path
    cores: int
    profile: Path | None = None


@dataclass
class Measured:
    """One run: how long it took from the first line of the program to the last row, and what it gave."""

    seconds: float
    batches: list[dict[str, Any]] = field(default_factory=list)
    """Of each micro-batch: its rows, its milliseconds, and the parts that Spark divides them into."""
    prints: dict[str, float] = field(default_factory=dict)
    state: dict[str, float] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


class Contestant(Protocol):
    """Starts once, then runs as often as it is asked to."""

    def start(self, task: Task) -> None:
        """Everything that is paid once: the session."""
        ...

    def run(self, scenario: Scenario, task: Task, number: int) -> Measured:
        """One whole run, into a folder of its own."""
        ...

    def stop(self) -> None:
        """Ends what start began."""
        ...


def summed(folder: Path, columns: dict[str, str]) -> dict[str, float]:
    """The fingerprint of the rows in a folder of Parquet files, those of the tail left out."""
    import duckdb

    if not columns:
        return {}
    files = [str(path) for path in sorted(folder.rglob("*.parquet"))]
    chosen = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
    with duckdb.connect() as connection:
        reader = "SELECT * FROM read_parquet(?, hive_partitioning = false)"
        row = connection.execute(f"SELECT {chosen} FROM ({reader}) AS out WHERE symbol <> '{TAIL}'", [files]).fetchone()
    assert row is not None
    return {name: float(value or 0) for name, value in zip(columns, row, strict=True)}
