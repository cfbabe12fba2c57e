"""The tables of a run: loaded before the jobs that read them start, refreshed while these run.

No job starts before all tables that it needs are ready, and nothing lets it: results without their enrichment would
look like results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from velostream.durations import SECOND
from velostream.errors import VeloError
from velostream.jobs.home import Home
from velostream.jobs.loading import FIRST_PAUSE, LONGEST_PAUSE, Loading, knows, setting
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import JoinTable, Materialise
from velostream.spark.failures import translate
from velostream.spark.loading import source_of
from velostream.spark.lower.join_table import tables_of
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

    def _opened(
        self, name: str, key: tuple[str, ...], columns: Iterable[tuple[str, str]], keeps: Any
    ) -> tuple[TableWriter, Progress]:
        self.progress[name] = Progress(name)
        past = any(name in versioned(job) for job in self.plan.jobs)
        writer = TableWriter(TableStore(self.checkpoint, name), key, keeps, past=past, columns=tuple(columns))
        return writer, self.progress[name]

    def load(self) -> None:
        """Loads all tables that come from outside, several at once; the first that fails is an error."""
        self.loading.load(self._parallelism, self._failed)

    @property
    def _parallelism(self) -> int:
        asked = [job.settings.get("tables.load.parallelism") for job in self.plan.jobs if job.settings is not None]
        return max((int(str(each)) for each in asked if each is not None), default=PARALLEL)

    def _failed(self, name: str, failure: BaseException) -> VeloError:
        """Why a table is not there, how far it was, and who waits for it."""
        error = translate(failure) if not isinstance(failure, VeloError) else failure
        self.progress[name].fail(error.message)
        message = f"table '{name}' is not ready ({self.progress[name]}): {error.message}; {self._waiting(name)}"
        return VeloError(message, hint=error.hint, span=error.span, code=error.error_code)

    def _waiting(self, name: str) -> str:
        jobs = [job.name for job in self.plan.jobs if name in job.tables]
        shown = ", ".join(f"'{job}'" for job in jobs)
        return f"job {shown} waits for it" if len(jobs) == 1 else f"jobs {shown} wait for it"

    def _timeout(self, name: str) -> int:
        """How long a table is waited for: as it is set for it, or by any job that reads it."""
        own = setting(self.declared.get(name), "wait.timeout")
        if own is not None:
            return int(own)
        made = self.made.get(name)
        asked = [made.node.settings] if made is not None else []
        asked += [job.settings for job in self.plan.jobs if name in job.tables]
        told = [each for each in asked if each is not None and knows(each, "wait.timeout")]
        values = [int(str(each.get("wait.timeout"))) for each in told]
        return max(values, default=DEFAULT_TIMEOUT)

    def open(self, job: Job, home: Home, *, bounded: bool = False) -> Pins:
        """What a job sees of its tables. Those from outside do not change while bounded input is read."""
        views = {
            name: TableView(
                home.folder / "tables" / name,
                *self._described(name),
                changes=name in self.made or not (bounded or self.loading.mode(name) == NONE),
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
        if name in self.made:
            made = self.made[name]
            return made.store, made.columns, made.node.key
        table = self.declared[name]
        columns = [(member.name, str(member.type)) for member in table.columns]
        return self.loading.loaders[name].writer.store, columns, table.key

    def is_ready(self, job: Job) -> bool:
        """True where all tables that a job needs are there."""
        return all(self.progress[name].state in (READY, REFRESHING) for name in job.tables)

    def wait(self, job: Job, made: Callable[[str], bool], stopping: Event) -> bool:
        """Waits for the tables that other jobs make; `made` tells whether one is there. False where a stop came."""
        pause = FIRST_PAUSE / 10
        for name in job.tables:
            ends = time.monotonic() + self._timeout(name) / SECOND
            while self.progress[name].state != READY and not made(name):
                if stopping.wait(pause):
                    return False
                pause = min(2 * pause, LONGEST_PAUSE / 16)
                if time.monotonic() > ends:
                    raise self._late(name)
            self.progress[name].state = READY
        return True

    def _late(self, name: str) -> VeloError:
        from velostream.durations import show

        told = f"table '{name}' is not ready after {show(self._timeout(name))} ({self.progress[name]})"
        hint = f"'{name}.wait.timeout' = '5m' waits longer"
        self.progress[name].state = FAILED
        return VeloError(f"{told}; {self._waiting(name)}", hint=hint, code="table-not-ready")

    @contextmanager
    def kept_fresh(self) -> Iterator[None]:
        """Inside, newer rows of tables from outside are looked for."""
        with self.loading.kept_fresh():
            yield
        self.events.close()

    def forget(self) -> None:
        """Deletes versions that no micro-batch can ask for any more; what those of jobs ask for that are not open yet
        nobody knows."""
        if len(self.pins) < len(self.plan.jobs):
            return
        for name in self.progress:
            held = [pins.held.get(name, set()) for pins in self.pins]
            TableStore(self.checkpoint, name).forget(set().union(*held))

    def report(self) -> list[dict[str, Any]]:
        """The state of every table."""
        breakers = self.loading.breakers
        return [
            {**about.report(), **({"circuit_breaker": breakers[name].report()} if name in breakers else {})}
            for name, about in self.progress.items()
        ]


def versioned(job: Job) -> set[str]:
    """The tables that a job asks what they were at a time."""
    joins = (node for node in job.root.walk() if isinstance(node, JoinTable) and node.as_of is not None)
    return {name for join in joins for name in tables_of(join)}
