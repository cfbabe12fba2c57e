"""What lowering needs beside the plan: the session, the run, and names that Spark can quote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.plan.nodes import Node, Scan, TableScan
from velostream.plan.nodes.scan import label_among
from velostream.spark.stateful.layout import JOINED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation, SparkSession

    from velostream.functions.base import Function
    from velostream.tables.prepared import Prepared
    from velostream.tables.view import TableView

SLOT = "_slot"
"""The column by which rows without a key are shared between versions of a job (velostream.spark.lower.slots)."""
CARRIED = (
    *(JOINED, SLOT),
    *("_status", "_detail", "_mark", "_record", "_place", "_late", "_punctuation", "_expanded"),
    *("_replayed", "_passed", "_counted", "_kind", "_origin", "_origin_revision", "_origin_gone", "_previous"),
    *("_of_window", "_of_events"),
)
"""Columns that rows may have beside the fields of the plan: what is wrong with a row, the record that it was, where it
stood, whether it may come late, whether it carries the watermark, whether it is one more row of its record, or comes
again; behind a stateful node what that said beside rows, that it has counted a row, as what it said it, what a row is
known by when it is corrected, what it said before, which window it is about, and of how many records that was."""


@dataclass(frozen=True)
class Run:
    """One start of a job: where its files are, whether its input ends, over which buckets its state is spread."""

    job: str
    checkpoint: Path
    folder: Path
    bounded: bool
    buckets: tuple[int, ...]
    hot_size: int = 0
    """How many bytes of decoded state each stateful node may keep in shared memory."""
    hot_ttl: float = 0.0
    """How long, in seconds, without being used."""
    stateful: bool = True
    """False where rows go out as they came, in the order of their partition."""
    replays: bool = False
    """True where dead letters have been handed back to the job, which come again beside its sources."""
    slots: bool = False
    """True where another version of the job writes some of its rows, which have no key."""
    spread: int | None = None
    """Over how many tasks records are dealt out in turn as they are read; None leaves them where they are."""


@dataclass(frozen=True)
class JoinCount:
    """What a join counts in one micro-batch: of which table, by which strategy, and whom to ask."""

    table: str
    strategy: str
    observation: Observation


@dataclass
class Lowering:
    """The session and the run, and the stateful nodes that have been lowered so far, by number."""

    spark: SparkSession
    run: Run
    stages: list[Node] = field(default_factory=list)
    timed: set[int] = field(default_factory=set)
    """Aggregates without a window, by their identity, whose rows are put into windows: a correction may move them."""
    since_flush: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """By the identity of a stateful node, the fields that its rows have had only since a flush."""
    labels: dict[int, str] = field(default_factory=dict)
    """What each scan is called as a source, by its identity: one that is read twice has two names."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    """What users wrote in Python, by name."""
    apart: frozenset[str] = frozenset()
    """Fields that are computed also of records that something else is wrong with: what rows of the job are known by."""
    tables: Mapping[str, TableView] = field(default_factory=dict)
    """The tables that the job reads, by name."""
    joined: list[tuple[str, str]] = field(default_factory=list)
    """Table and missing-data strategy of joins whose rows carry what they met, in order."""
    observed: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Table and missing-data strategy of joins, by the names under which Spark reports what they counted."""

    followers: list[Any] = field(default_factory=list)
    """What the driver follows while the query runs, such as the partitions of Kafka topics."""
    counting: list[JoinCount] = field(default_factory=list)
    """What joins over the rows of the micro-batch at hand count, to be asked when these were computed."""

    early: dict[str, Any] = field(default_factory=dict)
    """What routes the plain records of a source before Spark decodes the others, by what the scan is called."""
    prepared: list[Prepared] = field(default_factory=list)
    """What joins find of tables in Python, to be made for every version that the job takes."""
    first_bytes: int = 0
    """Bytes of files that a first micro-batch is likely to read."""
    aside: list[DataFrame] | None = None
    """Where it is given, rows of tables whose expressions fail are put there (velostream.spark.lower.aside)."""

    def is_small(self, node: Node) -> bool:
        """True where what a static node reads is sent to every task."""
        read = (one.table for one in node.walk() if isinstance(one, TableScan))
        return all(self.tables[name].small for name in read)

    def is_users(self, function: str) -> bool:
        """True for a function that a user wrote."""
        return function in self.functions

    def number(self, node: Node) -> int:
        """Numbers a stateful node: from below, in an order that does not change from start to start."""
        self.stages.append(node)
        return len(self.stages)

    def stage_of(self, node: Node) -> int:
        """The number of a stateful node."""
        return next(number for number, each in enumerate(self.stages, start=1) if each is node)

    def label(self, scan: Scan) -> str:
        """What a scan is called: its source, with a number where another scan of the same source came before."""
        if id(scan) not in self.labels:
            self.labels[id(scan)] = label_among(scan.source, self.labels.values())
        return self.labels[id(scan)]

    def refuse(self, node: Node) -> VeloError:
        """The error for a node that cannot be run yet."""
        name = type(node).__name__
        return VeloError(
            f"a plan with {name} cannot be run yet", hint="velo explain shows the plan", code="unsupported"
        )


def quoted(name: str) -> str:
    """A field's name as Spark's SQL text has it."""
    return "`" + name.replace("`", "``") + "`"


def column(name: str) -> Column:
    """A field as a column."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.col(quoted(name))
