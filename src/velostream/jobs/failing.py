"""What becomes of failures: of records by the failure strategy of the job, of calls by trying again.

A record that fails changes no state, and the rest of its micro-batch is processed. What is outside and does not answer
is no failure of a record: the micro-batch waits for it, and when it has been tried often enough the job ends, to go on
with that micro-batch at the next start.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from velostream.breaker import Breaker
from velostream.config.failure import (
    FAIL_BATCH,
    LOG_AND_CONTINUE,
    RETRY_WITH_BACKOFF,
    SEND_TO_DLQ,
    limits_of,
    patience_of,
)
from velostream.errors import VeloError
from velostream.events import LOGGER
from velostream.jobs.accounts import Accounts
from velostream.retrying import Patience, persist
from velostream.sources.streams.calling import reports
from velostream.sources.streams.missing import INTERRUPTED
from velostream.spark.failures import translate
from velostream.spark.lower.expressions import BAD_VALUE
from velostream.windows.lateness import TOO_LATE

if TYPE_CHECKING:
    from velostream.config.settings import Settings
    from velostream.plan.job import ApplicationPlan, Job

T = TypeVar("T")
Letters = list[dict[str, Any]]
REFUSED = "refused"
"""The reason of a letter for a row that a sink does not take."""
TRIED_AGAIN = "record-tried-again"
LOGGED = 100
"""So many records of a micro-batch have a line each in the log; of more their number is told."""
_log = logging.getLogger(LOGGER)


@dataclass
class Failing:
    """How one job bears failures."""

    job: str = ""
    strategy: str = SEND_TO_DLQ
    patience: Patience = field(default_factory=Patience)
    calls_functions: bool = False
    """True where expressions call functions that users wrote, and that may ask something outside."""
    breakers: dict[str, Breaker] = field(default_factory=dict)
    tries: Counter[int] = field(default_factory=Counter)
    """How often each micro-batch was given up because of its records."""
    fill: Callable[[Sequence[dict[str, Any]]], None] | None = None
    """Gives letters the records that they are about, where these have to be asked for."""

    @property
    def is_strict(self) -> bool:
        """True where one failing record ends the job."""
        return self.strategy == FAIL_BATCH

    @property
    def looks_first(self) -> bool:
        """True where it must be known what is wrong with records before anything is written."""
        return self.is_strict or self._tries_again

    def check(self, letters: Sequence[dict[str, Any]], number: int) -> None:
        """Before anything of a micro-batch is written: gives it up where the strategy says so."""
        failed = [one for one in letters if one["reason"] != TOO_LATE]
        if failed and self.is_strict:
            raise self._ended(failed)
        passing = [one for one in failed if one["reason"] == BAD_VALUE]
        if passing and self._tries_again and self.tries[number] < self.patience.retries:
            self.tries[number] += 1
            shown = passing[0]["error"] or "an expression failed"
            message = f"{len(passing)} records of micro-batch {number} failed: {shown}"
            raise VeloError(message, hint="they are tried again, then dead letters", code=TRIED_AGAIN)

    @property
    def _tries_again(self) -> bool:
        return self.strategy == RETRY_WITH_BACKOFF and self.calls_functions

    def _ended(self, failed: Sequence[dict[str, Any]]) -> VeloError:
        self._show(failed[:1])
        first = failed[0]
        place = f" of '{first['source']}'" if first.get("source") else ""
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        shown = f": {first['error']}" if first.get("error") else ""
        message = f"a record{place} failed ({first['reason']}){shown}{more}; failure_strategy is FailBatch"
        return VeloError(message, hint=f"the record is {_record(first)}"[:500], code="record-failed")

    def _show(self, letters: Sequence[dict[str, Any]]) -> None:
        """Asks for the records of letters that somebody is to read now; where nobody has them, their place must do."""
        if self.fill is not None:
            with suppress(VeloError):
                self.fill(letters)

    def kept(self, letters: Letters) -> Letters:
        """The letters that are to be written; those of failures that are only logged are not."""
        if self.strategy != LOG_AND_CONTINUE:
            return letters
        failed = [one for one in letters if one["reason"] != TOO_LATE]
        self._show(failed[:LOGGED])
        for one in failed[:LOGGED]:
            _log.warning("job '%s' dropped a record (%s): %s: %s", self.job, one["reason"], one["error"], _record(one))
        for reason, count in Counter(one["reason"] for one in failed[LOGGED:]).items():
            _log.warning("job '%s' dropped %d more records (%s)", self.job, count, reason)
        return [one for one in letters if one["reason"] == TOO_LATE]

    def settle(self, accounts: Accounts, before: Counter[str]) -> None:
        """Counts what was only logged as dropped; `before` are the dead letters before the micro-batch was added."""
        if self.strategy != LOG_AND_CONTINUE:
            return
        for reason, count in accounts.dead_lettered.items():
            if reason != TOO_LATE and count > before[reason]:
                accounts.dropped[reason] += count - before[reason]
                accounts.dead_lettered[reason] = before[reason]
        accounts.dead_lettered = Counter({name: count for name, count in accounts.dead_lettered.items() if count})

    def call(self, name: str, settings: Settings | None, call: Callable[[], T], stopping: Event) -> T:
        """Calls something outside through its breaker; what may pass is tried again."""
        breaker = self.breakers.setdefault(name, Breaker(name, limits_of(settings)))
        return persist(call, self.patience, breaker, described(name), stopping=stopping, told=self._told)

    def starts_again(self, error: VeloError, number: int) -> bool:
        """True where the query is to be started again with the micro-batch of that number, which was given up."""
        if error.error_code == INTERRUPTED:
            self.tries[number] += 1
            return self.tries[number] <= self.patience.retries
        return error.error_code == TRIED_AGAIN

    def pause(self, error: VeloError, number: int) -> float:
        """Seconds to wait before a micro-batch that was given up is run again."""
        seconds = [*self.patience.pauses()][max(self.tries[number], 1) - 1]
        self._told(error, seconds)
        return seconds

    def _told(self, error: VeloError, pause: float) -> None:
        _log.warning("job '%s' tries again in %.1f s: %s", self.job, pause, error.message)


def failing_of(job: Job, plan: ApplicationPlan) -> Failing:
    """How a job bears failures, as its settings say."""
    settings = job.settings
    strategy = SEND_TO_DLQ if settings is None else settings.text("failure_strategy")
    return Failing(job.name, strategy, patience_of(settings), bool(plan.functions))


def _record(letter: dict[str, Any]) -> str:
    """A record as people are shown it."""
    for known in (letter.get("record"), letter.get("row")):
        if known is not None:
            return str(known)
    return f"not at hand (partition {letter.get('partition')}, offset {letter.get('offset')})"


def breakers_of(failing: Failing, folder: Path) -> dict[str, Any]:
    """What the breakers of a job report: those of sinks, and those that its sources left in its folder."""
    return {**reports(folder), **{name: breaker.report() for name, breaker in failing.breakers.items()}}


def described(name: str) -> Callable[[Exception], VeloError]:
    """What a call to `name` raised, as one of our errors."""

    def told(error: Exception) -> VeloError:
        if isinstance(error, OSError):
            message = f"'{name}' cannot be written: {error.strerror or error}"
            return VeloError(message, hint="see to the path, its rights and the room on the disk", code="file-unusable")
        return translate(error)

    return told
