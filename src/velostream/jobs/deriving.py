"""The tables of a run that are made of other tables: computed after these, and again when one of them has changed.

Each round takes one version of every table that a stream or a source makes, and brings the others to it one after
another: a table that reads another both itself and through a third never mixes what that was at two times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread

from velostream.config.settings import Value
from velostream.durations import SECOND
from velostream.errors import VeloError
from velostream.plan.job import Job
from velostream.sinks.letters import write_letters
from velostream.spark.failures import translate
from velostream.spark.loading.derived import QUERY, TABLES, VERSION, DerivedTable, is_same
from velostream.tables.events import TableEvents
from velostream.tables.loading import INCREMENTAL, NONE, Loader
from velostream.tables.progress import LOADING, READY, REFRESHING
from velostream.tables.store import FOLDER, TableStore, Version

LOOK = 0.25
"""How often is looked whether a table has changed, in seconds."""
LONGEST_REST = 30.0
"""How long, at most, it rests after it has computed, in seconds."""
TRY_AGAIN = 30.0
"""When a table that could not be computed is tried again although nothing has changed, in seconds."""
Failed = Callable[[str, BaseException], VeloError]


@dataclass
class Deriving:
    """The tables made of other tables, by name, each after those that it reads."""

    derived: Mapping[str, Job]
    events: TableEvents
    checkpoint: Path
    choosing: Lock
    """Held while versions are chosen, so that nobody deletes them between."""
    loaders: dict[str, Loader] = field(default_factory=dict)
    computed: Callable[[], None] = lambda: None
    """Called, with the lock, when versions may have become old."""
    held: dict[str, set[int]] = field(default_factory=dict)
    """The versions that are read by what is computed at the moment."""
    _chosen: dict[str, Version] = field(default_factory=dict)
    _tried: dict[str, float] = field(default_factory=dict)
    """When each was computed last, or tried to be."""
    _failed: dict[str, Mapping[str, object]] = field(default_factory=dict)
    """What those were to be made of that could not be computed."""
    _turn: Lock = field(default_factory=Lock)
    _closed: Event = field(default_factory=Event)

    def add(self, name: str, loader: Loader) -> None:
        """With what computes a table and keeps its versions."""
        loader.keep = partial(write_letters, self.checkpoint / FOLDER / name / "dead-letters", name)
        self.loaders[name] = loader

    def roots(self, name: str) -> set[str]:
        """The tables that are not made of others, of which one is made in the end; its own name where it is such."""
        maker = self.derived.get(name)
        return {name} if maker is None else {root for each in maker.tables for root in self.roots(each)}

    def chain(self, name: str) -> list[str]:
        """A table and those of its kind that it is made of, in the order in which they are computed."""
        read: set[str] = set()
        open_ = [name]
        while open_:
            one = open_.pop()
            if one in self.derived and one not in read:
                read.add(one)
                open_ += self.derived[one].tables
        return [each for each in self.derived if each in read]

    def readers(self, name: str) -> list[str]:
        """The tables that are made of one, themselves or through others."""
        found = {name}
        for each, maker in self.derived.items():
            if found & set(maker.tables):
                found.add(each)
        return [each for each in self.derived if each in found and each != name]

    def versions(self, name: str) -> dict[str, Version]:
        """What a table is to be made of now."""
        found: dict[str, Version] = {}
        for each in self.derived[name].tables:
            version = self._chosen.get(each) or TableStore(self.checkpoint, each).newest()
            if version is None:
                message = f"table '{name}' is made of '{each}', which is not there yet"
                raise VeloError(message, hint="see to that table", code="table-not-ready")
            found[each] = version
        return found

    def made_of(self, name: str) -> dict[str, int]:
        """The tables that the newest rows of one were made of, and which version of each."""
        newest = self.loaders[name].writer.store.newest()
        told = newest.about.offset.get(TABLES, {}) if newest is not None else {}
        return {each: one[VERSION] for each, one in told.items()}

    def held_of(self, name: str) -> set[int]:
        """The versions of a table that are read, or that others were made of: by these it is known what has changed."""
        makers = [self.made_of(each) for each, maker in self.derived.items() if name in maker.tables]
        return self.held.get(name, set()) | {made_of[name] for made_of in makers if name in made_of}

    def load(self, names: Iterable[str], failed: Failed, parallel: int = 1) -> None:
        """Computes tables that are behind, those that do not depend on each other side by side; the first that fails is
        an error."""
        wanted = set(names)
        if not wanted:
            return
        with self._round(), ThreadPoolExecutor(parallel, thread_name_prefix="velo-table") as pool:
            while wanted:
                ready = [
                    each for each in self.derived if each in wanted and not wanted & set(self.derived[each].tables)
                ]
                for name, failure in zip(ready, pool.map(self._attempt, ready), strict=True):
                    if failure is not None:
                        error = failed(name, failure)
                        self.events.look()
                        raise error
                wanted -= set(ready)
                self.events.look()

    def _attempt(self, name: str) -> Exception | None:
        """Computes a table if it is behind; what went wrong, where something did."""
        about, loader = self.loaders[name].progress, self.loaders[name]
        about.begin(REFRESHING if about.state == READY else LOADING)
        before = loader.writer.store.newest()
        self._tried[name] = time.monotonic()
        try:
            version = loader.load(self._mode(name))
        except Exception as failure:
            about.fail(translate(failure).message)
            self._failed[name] = self._wanted(name)
            return failure
        self._failed.pop(name, None)
        about.end(version.rows, changed=before is None or before.files != version.files)
        return None

    @contextmanager
    def _round(self) -> Iterator[None]:
        """Inside, all that is computed sees the same versions, which stay."""
        roots = {root for name in self.derived for root in self.roots(name)}
        with self._turn:
            with self.choosing:
                found = {root: TableStore(self.checkpoint, root).newest() for root in roots}
                self._chosen = {root: version for root, version in found.items() if version is not None}
                self.held = {root: {version.number} for root, version in self._chosen.items()}
            try:
                yield
            finally:
                self._chosen, self.held = {}, {}
                with self.choosing:
                    self.computed()

    @contextmanager
    def kept_fresh(self) -> Iterator[None]:
        """Inside, tables follow those that they are made of."""
        follower = Thread(target=self._follow, name="velo-derived", daemon=True)
        if self.derived:
            follower.start()
        try:
            yield
        finally:
            self._closed.set()
            if self.derived:
                follower.join()

    def _follow(self) -> None:
        """Looks again and again. What takes long is done less often, so that jobs have the machine half of the time."""
        rest = LOOK
        while not self._closed.wait(rest):
            began = time.monotonic()
            try:
                if any(self._is_behind(name) and self._is_due(name) for name in self.derived):
                    self.follow()
            except Exception as failure:  # such as a disk that is away for a moment: it is looked on
                for loader in self.loaders.values():
                    loader.progress.error = translate(failure).message
            rest = min(max(LOOK, time.monotonic() - began), LONGEST_REST)

    def follow(self) -> None:
        """Computes what is behind and due. What fails stays as it was, and so does what is made of it: the report says
        why, and it is tried again."""
        behind: set[str] = set()
        with self._round():
            for name, maker in self.derived.items():
                waits = [each for each in maker.tables if each in behind]
                if not self._is_behind(name):
                    behind |= {name} if waits and self._mode(name) != NONE else set()
                    self._settle(name)
                elif waits or not self._is_due(name):
                    behind.add(name)
                    self._say_waits(name, waits)
                elif self._attempt(name) is not None:
                    behind.add(name)
        self.events.look()

    def _settle(self, name: str) -> None:
        """What a table said while it was behind holds no more."""
        self._failed.pop(name, None)
        about = self.loaders[name].progress
        about.error = "" if about.state == READY else about.error

    def _say_waits(self, name: str, waits: Iterable[str]) -> None:
        about = self.loaders[name].progress
        failed = [each for each in waits if self.loaders[each].progress.error]
        if failed and not about.error:
            about.error = f"it waits for table '{failed[0]}', which could not be computed"

    def _is_behind(self, name: str) -> bool:
        """True where the rows of a table would be made of something else now; False where that is not there yet."""
        base = self.loaders[name].writer.newest()
        if base is not None and base.complete and self._mode(name) == NONE:
            return False
        now = self._wanted(name)
        if not now or base is None or not base.complete:
            return bool(now)
        return not is_same(base.about.offset, now) or self._is_known_later(name, base)

    def _is_known_later(self, name: str, base: Version) -> bool:
        """True where what the rows of a table were is known up to a later time than its newest version says."""
        until = self._source(name).known_until() if self.loaders[name].writer.past else None
        return until is not None and (base.about.watermark is None or until > base.about.watermark)

    def _wanted(self, name: str) -> Mapping[str, object]:
        """What a table would be made of now; nothing where that is not there yet."""
        try:
            return self._source(name).made_of(self.versions(name))
        except VeloError:
            return {}

    def _source(self, name: str) -> DerivedTable:
        source = self.loaders[name].source
        assert isinstance(source, DerivedTable)
        return source

    def _set(self, name: str, setting: str) -> Value | None:
        """What is set for a table."""
        settings = self.derived[name].made.settings
        return settings.find(setting) if settings is not None else None

    def _is_due(self, name: str) -> bool:
        """True where enough time has passed since the last time; one that failed waits for other rows, or a while."""
        passed = time.monotonic() - self._tried.get(name, float("-inf"))
        found = self._set(name, "refresh.interval")
        if name in self._failed and is_same(self._failed[name], self._wanted(name)):
            return passed >= TRY_AGAIN
        return found is None or passed >= int(str(found.value)) / SECOND

    def _mode(self, name: str) -> str:
        """`none` for a table that is computed once; one whose query has changed since is computed once more."""
        found = self._set(name, "refresh.mode")
        if found is None or found.value != NONE:
            return INCREMENTAL
        newest = self.loaders[name].writer.newest()
        known = newest is not None and newest.about.offset.get(QUERY) == self._source(name).made_of({})[QUERY]
        return NONE if known else INCREMENTAL
