"""A job and a whole application, as plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from velostream.errors import InvalidPlan
from velostream.plan.expression import Expression
from velostream.plan.fields import Field
from velostream.plan.nodes import Materialise, Node, Print, ReadStream, Scan, Sinks, SinkTarget, TableScan

HASH, STICKY, ROUNDROBIN, FANIN, SMART = "hash", "sticky", "roundrobin", "fanin", "smart"


@dataclass(frozen=True, slots=True)
class PlannedMetric:
    """A @metric over the rows of a job: its declaration, and what it reads of the output columns."""

    metric: Any
    condition: Expression | None = None
    field: Expression | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedLog:
    """A @log line over the rows of a job: its declaration, and what it reads of the output columns."""

    line: Any
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """How rows are spread: `buckets` None takes one for each partition of Spark's state, fixed at the first start."""

    strategy: str = HASH
    buckets: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One streaming query: a statement with a sink, a table, or a SELECT that prints.

    `kind` is query, stream, table, insert, or explain for one that is only to be shown. `definitions` are the streams
    that were fused into it. `line` is where the statement stands.
    """

    name: str
    root: Node
    kind: str = "query"
    mode: str = "simple"
    placement: Placement = field(default_factory=Placement)
    settings: Any = field(default=None, compare=False)
    metrics: tuple[PlannedMetric, ...] = ()
    logs: tuple[PlannedLog, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)
    definitions: tuple[str, ...] = ()
    line: int = 0
    kept: tuple[str, ...] = ()
    """System columns that its rows keep for whoever runs it, although nothing is written of them."""
    since_flush: tuple[frozenset[str], ...] = ()
    """Where it goes on after a flush, of each node that keeps state the fields that rows have had only since then."""

    def __post_init__(self) -> None:
        if not isinstance(self.root, Sinks | Materialise | Print):
            raise InvalidPlan(f"job '{self.name}' ends in {type(self.root).__name__}: its rows go nowhere")
        for metric in self.metrics:
            read = [part for part in (metric.condition, metric.field) if part is not None]
            self.root.require(self.root.fields, *read)
            self.root.require_fields(self.root.fields, *metric.labels)
        for log in self.logs:
            self.root.require(self.root.fields, *([log.condition] if log.condition is not None else []))

    @property
    def scans(self) -> tuple[Scan, ...]:
        """The streams that it reads from outside."""
        return tuple(node for node in self.root.walk() if isinstance(node, Scan))

    @property
    def keeping(self) -> tuple[Node, ...]:
        """The nodes that keep state."""
        return tuple(node for node in self.root.walk() if node.keeps_state)

    @property
    def reads_back(self) -> tuple[str, ...]:
        """The jobs whose sinks it reads back."""
        return tuple(dict.fromkeys(scan.read_back.job for scan in self.scans if scan.read_back is not None))

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that must be ready before it starts."""
        return tuple(dict.fromkeys(node.table for node in self.root.walk() if isinstance(node, TableScan)))

    @property
    def made(self) -> Materialise:
        """The table that it makes; only to be asked of one that does."""
        assert isinstance(self.root, Materialise), f"'{self.name}' makes no table"
        return self.root

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams of other statements that it reads, before these are fused into it."""
        return tuple(dict.fromkeys(node.stream for node in self.root.walk() if isinstance(node, ReadStream)))

    @property
    def stateful(self) -> bool:
        """True where it keeps state."""
        return any(node.keeps_state for node in self.root.walk())


@dataclass(frozen=True, slots=True)
class Definition:
    """A stream's query, to be fused into those that read it. `targets` are the sinks that it is also written to."""

    name: str
    root: Node
    targets: tuple[SinkTarget, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A table that a connector loads: no job makes it, but jobs wait for it."""

    name: str
    connector: str
    columns: tuple[Field, ...]
    key: tuple[str, ...] = ()
    settings: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ApplicationPlan:
    """All jobs of a file in an order in which each comes after what it reads; definitions by name; tables to load."""

    name: str
    jobs: tuple[Job, ...]
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    tables: tuple[LoadedTable, ...] = ()
    functions: tuple[Any, ...] = field(default=(), compare=False)
    """The functions that its user wrote in Python."""
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """The columns that streams from outside are declared with, read or not."""
    derived: tuple[Job, ...] = ()
    """The statements that make tables of other tables alone, each after those that it reads. No query runs for them:
    they are computed when a table that they read has changed."""

    def __post_init__(self) -> None:
        names = [job.name for job in self.statements]
        for name in names:
            if names.count(name) > 1:
                raise InvalidPlan(f"two jobs are named '{name}'", hint="name one with -- @name:")

    def __iter__(self) -> Iterator[Job]:
        return iter(self.jobs)

    def job(self, name: str) -> Job | None:
        """The job of that name in any letter case."""
        return next((job for job in self.jobs if job.name.casefold() == name.casefold()), None)

    @property
    def statements(self) -> tuple[Job, ...]:
        """All that is computed: tables made of other tables, and jobs."""
        return (*self.derived, *self.jobs)

    @property
    def functions_by_name(self) -> dict[str, Any]:
        """The functions of its user, by each name that they are called by."""
        return {name: each for each in self.functions for name in (each.name, *each.aliases)}

    @property
    def makers(self) -> dict[str, Job]:
        """The statements that make tables, by the table."""
        return {each.root.table: each for each in self.statements if isinstance(each.root, Materialise)}

    def statement(self, name: str) -> Job | None:
        """The job of that name in any letter case, or what makes the table of that name of other tables."""
        return next((each for each in self.statements if each.name.casefold() == name.casefold()), None)

    @property
    def connectors(self) -> tuple[str, ...]:
        """The connectors of all that is read and written."""
        scans = [scan.connector for job in self.jobs for scan in job.scans]
        sinks = [
            target.connector
            for job in self.jobs
            for node in job.root.walk()
            if isinstance(node, Sinks)
            for target in node.targets
        ]
        return tuple(dict.fromkeys([*scans, *sinks, *(table.connector for table in self.tables)]))

    @property
    def table_order(self) -> tuple[tuple[str, ...], ...]:
        """The tables in rounds: those of one round can load side by side, each after the rounds before it."""
        waits = {table.name: set[str]() for table in self.tables}
        waits |= {name: set(maker.tables) - {name} for name, maker in self.makers.items()}
        rounds: list[tuple[str, ...]] = []
        while waits:
            ready = tuple(name for name, needed in waits.items() if not needed & waits.keys())
            if not ready:
                raise InvalidPlan(f"tables wait for each other: {', '.join(waits)}")
            rounds.append(ready)
            waits = {name: needed for name, needed in waits.items() if name not in ready}
        return tuple(rounds)
