"""Loading the tables of a run from outside: several at once, patiently, and again now and then while jobs run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from typing import Any

from velostream.breaker import Breaker
from velostream.codes import Domain
from velostream.config.failure import limits_of
from velostream.durations import SECOND, show
from velostream.errors import VeloError
from velostream.plan.job import LoadedTable
from velostream.sinks.letters import write_letters
from velostream.spark.failures import translate
from velostream.tables.events import TableEvents
from velostream.tables.loading import FULL, NONE, Loader
from velostream.tables.progress import LOADING, REFRESHING
from velostream.tables.store import FOLDER, Version

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 8.0
"""Between two tries to load a table, in seconds; each pause is twice the one before."""
LOOK = 0.25
"""How often those who follow hear of progress, in seconds."""


@dataclass
class Loading:
    """The tables that come from outside."""

    declared: Mapping[str, LoadedTable]
    loaders: dict[str, Loader]
    events: TableEvents
    checkpoint: Path
    timeout: Callable[[str], int]
    """How long a table is waited for, in microseconds."""
    closed: Event = field(default_factory=Event)
    breakers: dict[str, Breaker] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, loader in self.loaders.items():
            loader.keep = partial(write_letters, self.checkpoint / FOLDER / name / "dead-letters", name)
        for name, table in self.declared.items():
            self.breakers[name] = Breaker(f"the source of table {name}", limits_of(table.settings))

    def load(self, parallel: int, failed: Callable[[str, BaseException], VeloError], stopping: Event) -> bool:
        """Loads all tables, several at once; the first that fails is an error. False where a stop came.

        Nobody waits for a source that says nothing for longer than its table is waited for: who asks it is left behind.
        """
        waiting, running = list(self.loaders), set[str]()
        ended: Queue[tuple[str, BaseException | None]] = Queue()
        while waiting or running:
            while waiting and len(running) < parallel:
                running.add(name := waiting.pop(0))
                Thread(target=self._try, args=(name, ended), name=f"velo-table-{name}", daemon=True).start()
            with suppress(Empty):
                name, failure = ended.get(timeout=LOOK)
                running.remove(name)
                if failure is not None:
                    raise self._given_up(failed(name, failure))
            for name in running:
                if self.loaders[name].progress.silence > self.timeout(name) / SECOND:
                    raise self._given_up(failed(name, self._silent(name)))
            self.events.look()
            if stopping.is_set():
                self._leave()
                return False
        return True

    def _given_up(self, error: VeloError) -> VeloError:
        self._leave()
        self.events.look()
        return error

    def _leave(self) -> None:
        """Nobody waits for tables that are still loaded: what their sources say later is not written."""
        self.closed.set()
        for loader in self.loaders.values():
            loader.left.set()

    def _silent(self, name: str) -> VeloError:
        message = f"its source has said nothing for {show(self.timeout(name))}"
        return VeloError(message, hint=f"'{name}.wait.timeout' = '5m' waits longer", code="table-not-ready")

    def _try(self, name: str, ended: Queue[tuple[str, BaseException | None]]) -> None:
        try:
            self._load(name)
        except BaseException as failure:
            ended.put((name, failure))
        else:
            ended.put((name, None))

    def _load(self, name: str) -> None:
        """Loads one table; what may pass by itself is tried again until the time is over."""
        about = self.loaders[name].progress
        ends = time.monotonic() + self.timeout(name) / SECOND
        pause = FIRST_PAUSE
        about.begin(LOADING)
        while True:
            try:
                version = self._called(name)
            except Exception as failure:
                error = translate(failure)
                about.fail(error.message)
                if error.domain is not Domain.EXTERNAL or time.monotonic() + pause > ends or self.closed.is_set():
                    raise
                self.closed.wait(max(pause, min(self.breakers[name].wait, ends - time.monotonic())))
                pause = min(2 * pause, LONGEST_PAUSE)
                about.state = LOADING
                continue
            about.end(version.rows)
            return

    def _called(self, name: str) -> Version:
        """Asks the source, unless it has failed most of the time of late."""
        with self.breakers[name].call():
            return self.loaders[name].load(self.mode(name))

    def mode(self, name: str) -> str:
        """How a table that is there already is brought up to date."""
        return str(setting(self.declared.get(name), "refresh.mode") or FULL)

    @contextmanager
    def kept_fresh(self) -> Iterator[None]:
        """Inside, newer rows are looked for, of each table as often as is set."""
        due = {name: self._interval(name) for name in self.loaders if self.mode(name) != NONE}
        refresher = Thread(target=self._refresh, args=(due,), name="velo-refresh", daemon=True)
        if due:
            refresher.start()
        try:
            yield
        finally:
            self.closed.set()
            if due:
                refresher.join()

    def _interval(self, name: str) -> float:
        return float(int(setting(self.declared[name], "refresh.interval") or 30 * SECOND) / SECOND)

    def _refresh(self, intervals: dict[str, float]) -> None:
        due = {name: time.monotonic() + seconds for name, seconds in intervals.items()}
        while not self.closed.wait(max(0.05, min(due.values()) - time.monotonic())):
            for name in [name for name, at in due.items() if at <= time.monotonic()]:
                due[name] = time.monotonic() + intervals[name]
                self._refreshed(name)
                self.events.look()

    def _refreshed(self, name: str) -> None:
        """A refresh that fails leaves the table as it was, says so in the report, and is tried again."""
        about, loader = self.loaders[name].progress, self.loaders[name]
        about.begin(REFRESHING)
        try:
            before = loader.writer.store.newest()
            version = self._called(name)
        except Exception as failure:
            about.fail(translate(failure).message)
            return
        about.end(version.rows, changed=before is None or before.files != version.files)


def setting(table: LoadedTable | None, name: str) -> Any:
    """A setting of a table from outside; None where it has none of that name."""
    if table is None or not knows(table.settings, name):
        return None
    return table.settings.get(name)


def knows(settings: Any, name: str) -> bool:
    """True where a setting of that name may be there."""
    return settings is not None and settings.known.find(name) is not None
