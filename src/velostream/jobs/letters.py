"""The dead letters of jobs and tables: which are asked for, and what has been done with them since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.jobs.home import Home
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Aggregate, Materialise, Sinks
from velostream.replayed import LATE
from velostream.sinks.base import WriteMode
from velostream.sinks.letters import LetterStore, store_of
from velostream.tables.store import FOLDER as TABLES

if TYPE_CHECKING:
    from velostream.jobs.replaying import Replay

REOPENS = ("process_all", "process_with_warning")
"""What opens windows again that are gone: they say what came since, and no more."""
READS_AGAIN = "a table reads its source again, and no record of it can be handed back"
"""Why letters of a table are not replayed."""
REPLAYED = "replayed_at"
"""What a letter says that was replayed: when."""


@dataclass(frozen=True)
class Wanted:
    """Which letters are asked for; what is empty does not matter. Times are ISO texts in UTC. A source that reads
    several topics means the records of all."""

    ids: frozenset[str] = frozenset()
    reason: str = ""
    source: str = ""
    since: str = ""
    until: str = ""
    text: str = ""

    def takes(self, letter: dict[str, Any]) -> bool:
        """True for a letter that is asked for."""
        if self.ids and letter["id"] not in self.ids:
            return False
        if self.reason and self.reason.casefold() != letter["reason"].casefold():
            return False
        source = (letter["source"] or "").casefold()
        if self.source and self.source.casefold() not in (source, source.split("/")[0]):
            return False
        written = datetime.fromisoformat(letter["written_at"])
        if self.since and written < datetime.fromisoformat(self.since):
            return False
        if self.until and written >= datetime.fromisoformat(self.until):
            return False
        told = f"{letter['record']} {letter.get('row')} {letter['error']}"
        return not self.text or self.text.casefold() in told.casefold()


@dataclass(frozen=True)
class JobLetters:
    """The letters of one job or table: where they are, and the folder of the job."""

    job: str
    home: Home
    store: LetterStore
    overwrites: str = ""
    """The sink or table whose complete rows a window that is opened again would overwrite; empty where none is."""
    of_table: bool = False
    """True where they are of rows that a table could not take."""

    def found(self, wanted: Wanted) -> Iterator[dict[str, Any]]:
        """The letters that are asked for, oldest first; those that were replayed say so."""
        from velostream.jobs.replaying import replays

        done = replays(self.home)
        for letter in self.store.read():
            if wanted.takes(letter):
                yield {**letter, REPLAYED: done.get(letter["id"])} | ({"table": True} if self.of_table else {})

    def replay(self, letters: Iterable[Mapping[str, Any]], late: str = LATE[0]) -> Replay:
        """Hands letters back to the job; `late` says what becomes of those that are too late by then."""
        from velostream.jobs.replaying import replay

        if self.of_table:
            message = f"the letters of table '{self.job}' cannot be replayed: {READS_AGAIN}"
            hint = "correct the rows at their source; purge takes the letters out"
            raise VeloError(message, hint=hint, code="usage")
        if self.overwrites and late in REOPENS:
            message = f"'{late}' opens windows again for late records, and would overwrite complete rows in"
            hint = "choose dead_letter, drop or include_in_next for those that are too late"
            raise VeloError(f"{message} '{self.overwrites}'", hint=hint, code="late-strategy")
        return replay(self.home, letters, late)


def letters_of(job: Job, checkpoint: Path, folder: Path) -> JobLetters:
    """The letters of a job of an application whose jobs keep their state in `checkpoint`."""
    home = Home(checkpoint / job.name)
    return JobLetters(job.name, home, letter_store(job, home, folder), _overwritten(job))


def all_letters(plan: ApplicationPlan, checkpoint: Path, folder: Path) -> list[JobLetters]:
    """The letters of all jobs and tables of an application."""
    made = [job.root.table for job in plan.derived if isinstance(job.root, Materialise)]
    homes = {name: Home(checkpoint / TABLES / name) for name in (*(table.name for table in plan.tables), *made)}
    tables = [
        JobLetters(name, home, store_of("", name, home.letters, folder), of_table=True) for name, home in homes.items()
    ]
    return [*(letters_of(job, checkpoint, folder) for job in plan.jobs), *tables]


def _overwritten(job: Job) -> str:
    """The first sink or table of a job with windows or groups that replaces rows by key."""
    if not any(isinstance(node, Aggregate) and node.keeps_state for node in job.root.walk()):
        return ""
    for node in job.root.walk():
        if isinstance(node, Materialise):
            return node.table
        for target in node.targets if isinstance(node, Sinks) else ():
            if target.writes is WriteMode.UPSERT:
                return target.name
    return ""


def letter_store(job: Job, home: Home, folder: Path) -> LetterStore:
    """Where the letters of a job go, by `dlq.location`."""
    location = job.settings.get("dlq.location") if job.settings is not None else None
    return store_of("" if location is None else str(location), job.name, home.letters, folder)
