"""What a scenario is: the input, our SQL, the peer's query, the batch query, and how results are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.datasets import Dataset
from benchmarks.references import Reference

VELO, ROCKSDB, MEMORY, DUCKDB = "velostream", "spark-rocksdb", "spark-memory", "duckdb"
CONTESTANTS = (VELO, ROCKSDB, MEMORY, DUCKDB)


@dataclass(frozen=True)
class Scenario:
    """One race.

    `data` makes the input for RECORDS. `select` is our statement, up to INTO. `peer` names the hand-written query.
    `batch` is DuckDB's query over `trades`. `print_of` are the columns of a fingerprint of the results (`out`), and
    `batch_print` those that the batch query can have too: where both say something, it has to be the same.
    """

    name: str
    title: str
    data: Callable[[int], Dataset]
    select: str
    peer: str
    batch: str
    print_of: Mapping[str, str]
    batch_print: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, str] = field(default_factory=dict)
    job: Mapping[str, str] = field(default_factory=dict)
    delay: str = "5 seconds"
    """How far the peer's watermark stays behind."""
    floor: int = 0
    """Records per second and core that SPEC J1 asks for."""
    holds: bool = False
    """True where the state holds the records that are in no result yet: its size can be judged by their number."""
    aims: Mapping[str, float] = field(default_factory=dict)
    """Of each peer: how many times its rate ours should be."""
    contestants: tuple[str, ...] = CONTESTANTS
    tables: tuple[Reference, ...] = ()
    """What it joins with. Tables are loaded by the first run, as by an application before it reads a record."""
    streams: tuple[str, ...] = ("trades",)
    """The names of its streams, each of which has the same records."""
    kafka: bool = False
    """True where records come as JSON from a topic, and rows go as JSON to another."""


@dataclass(frozen=True)
class Comparison:
    """Two scenarios of ours, one against the other: `measure` of `of` divided by that of `to`."""

    name: str
    title: str
    of: str
    to: str
    measure: str
    least: float | None = None
    most: float | None = None

    def holds(self, ratio: float) -> bool:
        """Whether the aim is met."""
        return (self.least is None or ratio >= self.least) and (self.most is None or ratio <= self.most)

    @property
    def aim(self) -> str:
        """The aim in words."""
        return f"≥ {self.least}" if self.least is not None else f"≤ {self.most}"
