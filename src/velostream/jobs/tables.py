"""The tables of a run: loaded before the jobs that read them start, refreshed while these run.

No job starts before all tables that it needs are ready, and nothing lets it: results without their enrichment would
look like results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from velostream.durations import SECOND
from velostream.errors import VeloError
from velostream.jobs.deriving import Deriving
from velostream.jobs.home import Home
from velostream.jobs.loading import FIRST_PAUSE, LONGEST_PAUSE, Loading, knows, setting
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Materialise, TableScan
from velostream.plan.versions import versioned
from velostream.spark.failures import translate
from velostream.spark.loading import source_of
from velostream.spark.loading.derived import DerivedTable
from velostream.tables.events import TableEvents
from velostream.tables.loading import NONE, Loader
from velostream.tables.materialised import MaterialisedTable, columns_of
from velostream.tables.pins import PINS, Pins
from velostream.tables.progress import FAILED, READY, REFRESHING, Progress
from velostream.tables.store import TableStore
from velostream.tables.view import TableView
from velostream.tables.writer import TableWriter

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARALLEL = 4
DEFAULT_TIMEOUT = 60 * SECOND


class Tables:
    """All tables that the jobs of an application read or make."""

    def __init__(self, plan: ApplicationPlan, spark: SparkSession, checkpoint: Path, folder: Path) -> None:
        self.plan = plan
        self.spark = spark
        self.checkpoint = checkpoint
        self.progress: dict[str, Progress] = {}
        self.events = TableEvents(lambda: list(self.progress.values()))
        """What happens to them, for whoever wants to follow."""
        self.made: dict[str, MaterialisedTable] = {}
        self.pins: list[Pins] = []
        self.versioned = versioned(plan)
        """The tables whose past is kept."""
        self.declared = {table.name: table for table in plan.tables}
        loaders: dict[str, Loader] = {}
        for table in plan.tables:
            columns = [(member.name, str(member.type)) for member in table.columns]
            writer, about = self._opened(table.name, table.key, columns, setting(table, "retention"))
            writer.ordered = True
            loaders[table.name] = Loader(writer, source_of(table, spark, folder, writer.store.folder), about)
        for job in plan.jobs:
            if isinstance(job.root, Materialise):
                root = job.root
                keeps = root.settings.get("retention") if knows(root.settings, "retention") else None
                opened = self._opened(root.table, root.key, columns_of(root), keeps)
                self.made[root.table] = MaterialisedTable(root, *opened)
        self.loading = Loading(self.declared, loaders, self.events, checkpoint, self._timeout)
        self.lock = Lock()
        """Held while a job goes over to other versions, and while old ones are deleted."""
        self.deriving = Deriving({job.made.table: job for job in plan.derived}, self.events, checkpoint, self.lock)
        self.deriving.computed = self.forget
        for name, job in self.deriving.derived.items():
            self._derive(name, job)

    def _derive(self, name: str, job: Job) -> None:
        """Has a table computed from others."""
        columns = {each: self._described(each)[1] for each in (name, *job.tables)}
        writer, about = self._opened(name, job.made.key, columns[name], None)
        chosen = partial(self.deriving.versions, name)
        rows = DerivedTable(job, self.spark, self.checkpoint, self.plan.functions_by_name, columns, chosen, writer.past)
        self.deriving.add(name, Loader(writer, rows, about, until=rows.known_until))

    def _opened(
        self, name: str, key: tuple[str, ...], columns: Iterable[tuple[str, str]], keeps: Any
    ) -> tuple[TableWriter, Progress]:
        self.progress[name] = Progress(name)
        store, past = TableStore(self.checkpoint, name), name in self.versioned
        writer = TableWriter(store, key, keeps, past=past, columns=tuple(columns))
        return writer, self.progress[name]

    def load(self, stopping: Event | None = None) -> bool:
        """Loads all tables that come from outside, several at once, and then those that are made of them alone; the
        first that fails is an error. False where a stop came."""
        if not self.loading.load(self._parallelism, self._failed, stopping or Event()):
            return False
        at_once = [name for name in self.deriving.derived if self.deriving.roots(name) <= self.declared.keys()]
        self.deriving.load(at_once, self._failed, self._parallelism)
        return True

    def finish(self) -> None:
        """Computes tables once more whose tables have changed since; where one cannot be, that is an error."""
        self.deriving.load(self.deriving.derived, self._failed, self._parallelism)
        self.events.look()

    @property
    def _parallelism(self) -> int:
        told = [each.settings for each in self.plan.statements if each.settings is not None]
        asked = [settings.get("tables.load.parallelism") for settings in told]
        return max((int(str(each)) for each in asked if each is not None), default=PARALLEL)

    def _failed(self, name: str, failure: BaseException) -> VeloError:
        """Why a table is not there, how far it was, and who waits for it."""
        error = translate(failure) if not isinstance(failure, VeloError) else failure
        self.progress[name].fail(error.message)
        message = f"table '{name}' is not ready ({self.progress[name]}): {error.message}; {self._waiting(name)}"
        return VeloError(message, hint=error.hint, span=error.span, code=error.error_code)

    def _waiting(self, name: str) -> str:
        """Who cannot go on without a table: tables that are made of it, and jobs that read it or one of these."""
        tables = self.deriving.readers(name)
        jobs = [job.name for job in self.plan.jobs if {name, *tables} & set(job.tables)]
        shown = [
            f"{kind}{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))}"
            for kind, names in (("table", tables), ("job", jobs))
            if names
        ]
        if not shown:
            return "nothing else waits for it"
        return f"{' and '.join(shown)} {'waits' if len(tables) + len(jobs) == 1 else 'wait'} for it"

    def _timeout(self, name: str) -> int:
        """How long a table is waited for: as jobs say that read it, else as is set for it, else for these jobs."""
        readers = [job for job in self.plan.jobs if name in job.tables]
        scans = [node for job in readers for node in job.root.walk() if isinstance(node, TableScan)]
        maker, table = self.plan.makers.get(name), self.declared.get(name)
        told = (
            [scan.settings for scan in scans if scan.table == name],
            [maker.made.settings] if maker is not None else [table.settings] if table is not None else [],
            [job.settings for job in readers],
        )
        for asked in told:
            set_ = [each.find("wait.timeout") for each in asked if knows(each, "wait.timeout")]
            values = [int(str(value.value)) for value in set_ if value is not None]
            if values:
                return max(values)
        return DEFAULT_TIMEOUT

    def open(self, job: Job, home: Home, *, bounded: bool = False) -> Pins:
        """What a job sees of its tables. Those from outside do not change while bounded input is read."""
        views = {
            name: TableView(
                home.folder / "tables" / name,
                *self._described(name),
                changes=name not in self.declared or not (bounded or self.loading.mode(name) == NONE),
            )
            for name in job.tables
        }
        for view in views.values():
            view.folder.mkdir(parents=True, exist_ok=True)
            newest = view.store.newest()
            if newest is not None:
                view.show(newest.number)
        found = Pins(home.folder / PINS, views)
        self.pins.append(found)
        return found

    def _described(self, name: str) -> tuple[TableStore, list[tuple[str, str]], tuple[str, ...]]:
        maker = self.plan.makers.get(name)
        if maker is not None:
            return TableStore(self.checkpoint, name), columns_of(maker.made), maker.made.key
        table = self.declared[name]
        columns = [(member.name, str(member.type)) for member in table.columns]
        return self.loading.loaders[name].writer.store, columns, table.key

    def is_ready(self, job: Job) -> bool:
        """True where all tables that a job needs are there."""
        return all(self.progress[name].state in (READY, REFRESHING) for name in job.tables)

    def wait(self, job: Job, made: Callable[[str], bool], stopping: Event) -> bool:
        """Waits for the tables that other jobs make; `made` tells whether one is there. Tables that are made of these
        are computed then. False where a stop came."""
        for name in job.tables:
            for root in sorted(self.deriving.roots(name)):
                if not self._waited(root, made, stopping, by=name):
                    return False
            if name in self.deriving.derived and self.progress[name].state not in (READY, REFRESHING):
                self.deriving.load(self.deriving.chain(name), self._failed, self._parallelism)
        return True

    def _waited(self, name: str, made: Callable[[str], bool], stopping: Event, *, by: str) -> bool:
        """Waits for a table as long as is set for the one that is made of it."""
        pause = FIRST_PAUSE / 10
        ends = time.monotonic() + self._timeout(by) / SECOND
        while self.progress[name].state != READY and not made(name):
            if stopping.wait(pause):
                return False
            pause = min(2 * pause, LONGEST_PAUSE / 16)
            if time.monotonic() > ends:
                raise self._late(name, by)
        self.progress[name].state = READY
        return True

    def _late(self, name: str, by: str) -> VeloError:
        from velostream.durations import show

        told = f"table '{name}' is not ready after {show(self._timeout(by))} ({self.progress[name]})"
        hint = f"'{by}.wait.timeout' = '5m' waits longer"
        self.progress[name].state = FAILED
        return VeloError(f"{told}; {self._waiting(name)}", hint=hint, code="table-not-ready")

    @contextmanager
    def kept_fresh(self) -> Iterator[None]:
        """Inside, newer rows of tables from outside are looked for, and tables made of others follow these."""
        with self.loading.kept_fresh(), self.deriving.kept_fresh():
            yield
        self.events.close()

    def forget(self) -> None:
        """Deletes versions that no micro-batch can ask for any more; what those of jobs ask for that are not open yet
        nobody knows."""
        if len(self.pins) < len(self.plan.jobs):
            return
        for name in self.progress:
            held = [*(pins.held.get(name, set()) for pins in self.pins), self.deriving.held_of(name)]
            TableStore(self.checkpoint, name).forget(set().union(*held))

    def report(self) -> list[dict[str, Any]]:
        """The state of every table."""
        breakers = self.loading.breakers
        return [
            {
                **about.report(),
                **({"circuit_breaker": breakers[name].report()} if name in breakers else {}),
                **({"made_of": self.deriving.made_of(name)} if name in self.deriving.derived else {}),
            }
            for name, about in self.progress.items()
        ]
