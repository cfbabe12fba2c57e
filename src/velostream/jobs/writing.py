"""One micro-batch to its sinks: results, dead letters and accounts, each written once whatever is repeated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from velostream.events import TRACEPARENT, BatchBegan, BatchEnded, Events, TracesSeen
from velostream.jobs.accounts import Accounts, Counted
from velostream.jobs.cold import PuttingAway
from velostream.jobs.emissions import Emissions
from velostream.jobs.failing import REFUSED, Failing, Letters
from velostream.jobs.faults import COLUMNS, Faults
from velostream.jobs.flushing import Flush
from velostream.jobs.home import Home
from velostream.jobs.leaving import Leaving, numbered, placed
from velostream.jobs.letter_owner import LetterOwner, own_letters
from velostream.jobs.log_lines import LogLines, traceparents
from velostream.jobs.measured import Measured, capped
from velostream.jobs.measuring import Measures
from velostream.jobs.observing import FAULT, Counting, by_status
from velostream.jobs.originals import Originals
from velostream.jobs.said import Said, heard
from velostream.plan.job import Job
from velostream.plan.nodes import Print
from velostream.retrying import GivenUp
from velostream.sinks.letters import LetterStore, letter
from velostream.sinks.letters.files import FileLetters
from velostream.sinks.writers import Batch, BatchRows, needed, write
from velostream.sinks.writers.batch import FEW, LEFT, PLACE
from velostream.sinks.writers.crossing import to_arrow
from velostream.sources.streams.watermarks import FOLDER, keep
from velostream.spark.lower.context import column
from velostream.spark.lower.job import LoweredJob, sinks_of
from velostream.spark.lower.join_counts import of_groups, of_routers
from velostream.spark.stateful import layout as names
from velostream.tables.materialised import MaterialisedTable
from velostream.windows.emission.base import FINAL

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


class Stopped(Exception):
    """A micro-batch that came after a stop was asked for. It has done nothing yet, and is done at the next start."""


@dataclass
class BatchWriter:
    """The function of `foreachBatch`."""

    job: Job
    lowered: LoweredJob
    home: Home
    accounts: Accounts
    show: Callable[[object], None]
    folder: Path = Path()
    """Relative paths of sinks start here."""
    next_tick: int | None = None
    """When the clock should be looked at again, as the last micro-batch said, in microseconds."""
    rows_before: int = 0
    """How many rows the micro-batch before had; before the first one, how many are expected."""
    fits: bool = False
    """True where all that the micro-batch before said went to the driver: the next one is not kept beside it. If it
    does not fit, it is computed anew."""
    flush: Flush | None = None
    """The flush that the job was asked for last."""
    done: bool = False
    """True once nothing more will ever come out: a LIMIT has been reached."""
    stopping: Event = field(default_factory=Event)
    """Set, the micro-batch that runs is the last one."""
    busy: bool = False
    """True while a micro-batch is written."""
    watermark: int | None = None
    """How far the input of the stateful nodes has come."""
    table: MaterialisedTable | None = None
    """The table that the job makes."""
    begins: Callable[[], None] | None = None
    """Called as each micro-batch begins."""
    ended: Callable[[int], None] | None = None
    """Called with the number of each micro-batch that has been written."""
    events: Events = field(default_factory=Events)
    """Whom it tells what it does."""
    measures: Measures | None = None
    """What its @metric annotations ask of rows."""
    lines: LogLines | None = None
    """What its @log annotations write of rows."""
    share: int = 0
    """Up to so many bytes, the rows of a bucket are taken to the driver with what it says beside them."""
    most_series: int = 1_000
    """The most label combinations of one metric."""
    emissions: Emissions | None = None
    """Where it is remembered what was written of each window."""
    away: PuttingAway | None = None
    """Where closed windows are put away."""
    originals: Originals | None = None
    """What has the records of letters that know only where these stand."""
    failing: Failing = field(default_factory=Failing)
    """What becomes of records and calls that fail."""
    letters: LetterStore | None = None
    """Where dead letters go; None for files beside the checkpoint."""
    faults: Faults = field(default_factory=Faults)
    """What is wrong with rows."""
    leaving: Leaving = field(default_factory=Leaving)
    """The rows that leave the job."""
    owner: LetterOwner | None = None
    """Which letters are written, where another version of the job writes the others."""

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Writes one micro-batch. It is computed once: the first thing done with it goes over all of its partitions."""
        if self.stopping.is_set():
            raise Stopped
        self.busy = True
        began = BatchBegan(self.job.name, number)
        self.events.publish(began)
        try:
            if self.begins is not None:
                self.begins()
            self._write(batch, number)
        except GivenUp:
            raise Stopped from None
        except Exception as error:
            self.events.publish(BatchEnded(self.job.name, number, began.at, error=str(error).split("\n", 1)[0]))
            raise
        else:
            self.events.publish(BatchEnded(self.job.name, number, began.at, self.rows_before))
        finally:
            self.busy = False

    def _write(self, batch: DataFrame, number: int) -> None:
        self.faults.begin()
        self.leaving.begin()
        if self._is_large:
            self._write_through(batch, number)
            return
        kept = batch if self.fits else batch.persist()
        try:
            with self._stage(number, "compute"):
                said = heard(kept, self.share, packed=self.lowered.packed) if self.lowered.stateful else Said()
                counts = [] if self.lowered.packed else by_status(kept)
            told = (one["watermark"] for one in said.stats if self.lowered.roles[one["stage"]].first)
            self.watermark = max((time for time in told if time is not None), default=self.watermark)
            packed = said.rows(len(self.lowered.roles)) if self.lowered.packed else 0
            at_most = packed + sum(one.rows for one in counts)
            self.fits = self.lowered.packed and (packed <= FEW or self._is_made) and None not in said.results
            letters, measured = self._delivered(kept if self.fits else batch.persist(), said, number, at_most)
            self.rows_before = at_most
            met = [*((one.joined, one.rows) for one in counts), *of_routers(said.stats)]
            self._count_joins(number, at_most, of_groups(met, len(self.lowered.joined)))
            self._letters([*said.letters, *letters], number)
            uncounted = [one for one in counts if not one.counted]
            measured = capped(self.accounts.measured, measured, self.most_series, self.job.name)
            self._count(number, said.stats, uncounted, measured)
            with self._stage(number, "accounts"):
                self._keep_watermarks(number, said.stats)
                self.accounts.save(self.home.accounts)
            self.next_tick = said.next_tick
            if self.flush is not None:
                self.flush.hear(said.stats)
            if self.lowered.packed and any(one["done"] and self.lowered.roles[one["stage"]].last for one in said.stats):
                self.done = True
                self.stopping.set()
            if self.ended is not None:
                self.ended(number)
        finally:
            batch.unpersist()

    def _delivered(self, batch: DataFrame, said: Said, number: int, at_most: int) -> tuple[Letters, Measured]:
        """Writes the rows of a micro-batch, asking Spark for no more of them than is needed."""
        lowered = self.lowered
        held = [one for one in said.results if one is not None] if self.fits else []
        if self.fits and lowered.table is not None and self._is_made:
            self.failing.check(said.letters, number)
            letters = self._sinks(None, number, at_most, numbered(lowered.table(held)))
            if self.emissions is not None:
                self.emissions.take(held, number, self.leaving.lost)
            return letters, {}
        if not at_most and self.table is None:
            self.failing.check(said.letters, number)
            return self._sinks(None, number, 0, None), {}
        local = lowered.local if held else None
        return self._rows(lowered.rows(batch) if local is None else local(held), number, at_most, said.letters)

    def _stage(self, number: int, name: str, rows: int | None = None) -> AbstractContextManager[None]:
        return self.events.stage(self.job.name, number, name, rows)

    @property
    def _is_made(self) -> bool:
        """True where rows of results need no query: however many they are, their bytes are few if they are there."""
        return self.lowered.table is not None and self.measures is None and self.lines is None

    @property
    def _is_large(self) -> bool:
        """True where rows go without state to one sink of files, and the micro-batch before had many of them."""
        sinks = sinks_of(self.job)
        one = sinks is not None and [target.connector for target in sinks.targets] == ["file_sink"]
        plain = not (self.lowered.stateful or self.lowered.observed or self.table is not None)
        plain = plain and self.measures is None and self.lines is None and not self.failing.looks_first
        plain = plain and not self.lowered.shared
        return one and plain and self.rows_before > FEW

    @cached_property
    def _counting(self) -> Counting:
        return Counting(self.lowered.stream.columns, len(self.lowered.joined))

    def _write_through(self, batch: DataFrame, number: int) -> None:
        """Writes rows as they are read, and counts them on the way."""
        observed = self._counting.observed(batch)
        self._sinks(observed.fine, number, FEW + 1, None)
        counts = observed.counts()
        faults = {one.expanded: one.rows for one in counts if one.status == FAULT}
        letters = self.faults.of_frame(batch) if faults else []
        told = Counter((one["reason"], place < faults.get(True, 0)) for place, one in enumerate(letters))
        exact = [Counted(reason, more, False, rows_of) for (reason, more), rows_of in told.items()]
        self._letters(letters, number)
        is_new = number > self.accounts.batch
        self._count_joins(number, FEW + 1, observed.joined)
        self._count(number, [], [*(one for one in counts if one.status != FAULT), *exact])
        self.accounts.replay(observed.replayed if is_new else 0)
        self.accounts.save(self.home.accounts)
        self.rows_before = sum(one.rows for one in counts)
        if self.ended is not None:
            self.ended(number)

    def _count_joins(self, number: int, at_most: int, joined: Sequence[tuple[int, int]]) -> None:
        """Takes what joins over the rows of this micro-batch counted; where there was no row, nobody was asked."""
        is_new = number > self.accounts.batch
        for one in self.lowered.counting if at_most and is_new else ():
            self.accounts.add_join(one.table, one.strategy, **one.observation.get)
        self.lowered.counting.clear()
        for (table, strategy), (matched, missing) in zip(self.lowered.joined, joined, strict=True) if is_new else ():
            self.accounts.add_join(table, strategy, matched, missing)

    def _rows(self, rows: DataFrame, number: int, at_most: int, said: Letters) -> tuple[Letters, Measured]:
        """Writes the rows that nothing is wrong with; answers with letters for the others, and with metrics.

        `said` are letters of stateful nodes: by them and its own the failure strategy may give the micro-batch up.
        """
        if not at_most:
            self.failing.check(said, number)
            return self._sinks(rows, number, 0, None), {}
        fine = rows.filter(column(names.STATUS).isNull())
        if at_most > FEW:
            letters = self.faults.of_frame(self.leaving.observed(rows) if self.lowered.stateful else rows)
            self.failing.check([*said, *letters], number)
            leaving = placed(fine, stateful=self.lowered.stateful)
            letters += self._sinks(leaving, number, at_most, None)
            if self.emissions is not None:
                self.emissions.take_rows(self.emissions.first(leaving), number, self.leaving.lost)
            with self._stage(number, "metrics"):
                measured = self.measures.of_frame(fine, number) if self.measures is not None else {}
            if self.lines is not None:
                self.lines.of_frame(fine)
            return letters, measured
        import pyarrow.compute as pc

        wanted = [name for name in dict.fromkeys((*self.job.root.needs, *COLUMNS)) if name in rows.columns]
        asked = self.measures.columns(rows, number) if self.measures is not None else []
        asked += self.lines.columns() if self.lines is not None else []
        asked += self.leaving.columns(rows) if self.lowered.stateful else []
        about = (*(self.emissions.columns if self.emissions else ()), *(self.away.columns if self.away else ()))
        asked += [column(name) for name in dict.fromkeys(about) if name in rows.columns]
        with self._stage(number, "rows", at_most):
            table = to_arrow(rows.select(*map(column, wanted), *asked))
        written = numbered(table.filter(pc.is_null(table[names.STATUS])))
        self.leaving.take(written)
        letters = self.faults.of_table(table)
        self.failing.check([*said, *letters], number)
        letters += self._sinks(fine, number, at_most, written)
        if self.emissions is not None:
            self.emissions.take_rows(written, number, self.leaving.lost)
        measured = self.measures.of_table(written) if self.measures is not None else {}
        if self.lines is not None:
            self.lines.of_table(written)
        if TRACEPARENT.get():
            self.events.publish(TracesSeen(self.job.name, number, traceparents(written)))
        return letters, measured

    def _sinks(self, rows: DataFrame | None, number: int, at_most: int, table: pa.Table | None) -> Letters:
        """Writes rows to all sinks; answers with letters for those that one of them does not take."""
        root = self.job.root
        age = self.home.age(number)
        batch = Batch(self.home.query_id(), number, self.folder, self.show, self.failing.is_strict, age)

        def chosen(wanted: Sequence[str]) -> BatchRows:
            given = table.select(_there(wanted, table.column_names)) if table is not None else None
            frame = rows.select(*map(column, _there_in(rows, wanted))) if rows is not None else None
            return BatchRows(frame, at_most if given is None else given.num_rows, given)

        if isinstance(root, Print):
            write("console_sink", self.job.name, chosen(root.needs), None, batch)
            return self._put_away(rows, table, at_most, batch)
        sinks = sinks_of(self.job)
        letters: Letters = []
        for target in sinks.targets if sinks is not None else ():
            assert sinks is not None
            name, shape = target.name, sinks.shape(target)
            given = chosen(needed(target.connector, shape))
            once = partial(write, target.connector, name, given, target.settings, batch, shape)
            with self._stage(number, f"sink {name}", at_most if table is None else table.num_rows):
                refused = self.failing.call(name, target.settings, once, self.stopping)
            self.leaving.refused.append(refused)
            letters += [letter(reason=REFUSED, error=f"sink '{name}': {one.error}", record=one.row) for one in refused]
        letters += self._put_away(rows, table, at_most, batch)
        if self.table is not None:
            self.leaving.refused.append(())
            self.table.apply(chosen(self.table.needs).table(), batch.query, number, self.watermark)
        return letters

    def _put_away(self, rows: DataFrame | None, table: pa.Table | None, at_most: int, batch: Batch) -> Letters:
        """Puts the closed windows of a micro-batch away; answers with letters for rows that their place refuses."""
        if self.away is None:
            return []
        once = partial(self.away.write, rows, table, at_most, batch)
        with self._stage(batch.number, "cold tier", at_most if table is None else table.num_rows):
            refused = self.failing.call(self.away.place.name, None, once, self.stopping)
        name = self.away.place.name
        return [letter(reason=REFUSED, error=f"{name}: {one.error}", record=one.row) for one in refused]

    def _count(
        self,
        number: int,
        stats: list[dict[str, Any]],
        counted: list[Counted],
        measured: Measured | None = None,
    ) -> None:
        """Adds a micro-batch to the accounts, each record by what became of it."""
        before, is_new = Counter(self.accounts.dead_lettered), number > self.accounts.batch
        self.accounts.add(number, stats, self.lowered.roles, counted, measured, self.leaving.counts)
        if is_new:
            lost = Counter(one.left for one in self.leaving.lost)
            rows = sum(map(len, self.leaving.refused))
            self.accounts.refuse(rows, lost, are_records=not self.lowered.stateful)
            self.faults.settle(self.accounts)
            self._count_away()
        self.failing.settle(self.accounts, before)

    def _count_away(self) -> None:
        """Adds the windows that were put away: as many as said a final row."""
        if self.away is None:
            return
        closed = self.away.closed
        if closed is None:  # workers wrote them: as many as left
            counts = self.leaving.counts
            closed = counts[FINAL] if counts is not None else 0
        self.accounts.windows["windows_pruned"] += closed

    def _keep_watermarks(self, number: int, stats: list[dict[str, Any]]) -> None:
        """Leaves the watermark of every stateful node for the routers of the next batch."""
        for stage in self.lowered.roles:
            said = [one["watermark"] for one in stats if one["stage"] == stage]
            keep(self.home.folder / FOLDER / str(stage), number, said)

    def _letters(self, letters: Letters, number: int) -> None:
        """Writes letters, save those that the failure strategy only logs, or that another version of the job writes."""
        kept = own_letters(self.owner, self.failing.kept(letters))
        if kept and self.originals is not None:
            self.failing.call("records of dead letters", None, partial(self.originals.fill, kept), self.stopping)
        store = self.letters or FileLetters(self.home.letters, self.job.name)
        if kept:
            once = partial(store.write, self.home.query_id(), number, kept)
            self.failing.call("dead letters", None, once, self.stopping)


def _there(wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    """The columns that a writer is given: what says which row it is, only where rows say so."""
    return [name for name in wanted if name in known or name not in (LEFT, PLACE)]


def _there_in(rows: DataFrame, wanted: Sequence[str]) -> Sequence[str]:
    """The same of a frame, which takes a call of Spark to say what it has."""
    return _there(wanted, rows.columns) if {LEFT, PLACE} & set(wanted) else wanted
