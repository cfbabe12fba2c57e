"""The view of a run: a table that is drawn anew in a terminal, or a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from velostream.cli.live import tables
from velostream.cli.live.drawing import jobs_table, rows_table
from velostream.cli.live.figures import Figures, Meter, amount, clock, span
from velostream.cli.live.progress import progress, rows_of
from velostream.cli.live.tables import bars, not_ready
from velostream.sinks.writers.console import Shown

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.tables.progress import Progress as TableProgress

REFRESH = 0.5
EVERY = 5.0
"""Seconds between two plain lines of a job that reads."""
SILENCE = 30.0
"""Seconds between two plain lines of a job that waits."""


class View:
    """Shows what the jobs of a runner do, from a thread of its own, until it is closed."""

    def __init__(self, *, bounded: bool, shaped: Callable[[str], str] = str) -> None:
        from rich.console import Console

        self.bounded = bounded
        self.shaped = shaped
        """What lines look like: themselves, or an object of JSON."""
        self.console = Console(stderr=True, highlight=False)
        self.drawn = self.console.is_terminal and not self.console.is_dumb_terminal
        self.results_here = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.started = time.monotonic()
        self.meters: dict[str, Meter] = {}
        self.told: dict[str, tuple[str, float, int]] = {}
        self.dead: dict[str, Mapping[str, int]] = {}
        self.closed = Event()
        self.live: Any = None
        self.thread: Thread | None = None

    def show(self, what: object) -> None:
        """Shows results: as a table above the live one in a terminal, else as lines of standard output."""
        if not self.results_here:
            print(what, flush=True)
        elif self.drawn:
            self.console.print(rows_table(what) if isinstance(what, Shown) else str(what), markup=False)
        else:
            from rich.console import Console

            Console().print(rows_table(what) if isinstance(what, Shown) else str(what), markup=False)

    def say(self, text: str) -> None:
        """A line about the run."""
        self.write(self.shaped(text))

    def write(self, text: str) -> None:
        """A line as it is."""
        self.console.print(text, markup=False, soft_wrap=True)

    def open(self, runner: Runner) -> None:
        """Begins to show the jobs of a runner."""
        self.started = time.monotonic()
        if self.drawn:
            from rich.live import Live

            self.live = Live(
                console=self.console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self.live.start()
        self.thread = Thread(target=self._watch, args=(runner,), name="velo-view", daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Ends it; what was drawn goes, what was said stays."""
        self.closed.set()
        if self.thread is not None:
            self.thread.join(timeout=5.0)
        if self.live is not None:
            self.live.stop()
            self.live = None

    def _watch(self, runner: Runner) -> None:
        while not self.closed.wait(REFRESH):
            try:
                reports = [job.report() for job in runner.jobs]
            except RuntimeError:  # a batch was being counted at this moment
                continue
            loads = list(runner.tables.progress.values()) if runner.tables is not None else []
            self.look(runner, reports, time.monotonic(), loads)

    def look(
        self, runner: Runner, reports: list[dict[str, Any]], now: float, loads: Sequence[TableProgress] = ()
    ) -> None:
        """Shows one moment."""
        from rich.console import Group

        jobs = []
        for report in reports:
            meter = self.meters.get(report["name"])
            if meter is None:
                meter = self.meters[report["name"]] = Meter(now, report["records"]["read"])
            jobs.append(meter.figures(report, now))
        for job in jobs:
            self._dead_letters(job)
        waiting = not_ready(loads)
        if self.live is not None:
            drawn = jobs_table(jobs, self._progress(runner), now - self.started) if jobs or not waiting else None
            self.live.update(Group(*[part for part in (drawn, bars(waiting)) if part is not None]), refresh=True)
            return
        self._tables(loads, now)
        for job in jobs:
            state, last, read = self.told.get(job.name, ("created", now, 0))
            due = now - last >= (EVERY if job.read != read else SILENCE)
            if state != job.state or (due and job.state == "running"):
                self.told[job.name] = (job.state, now, job.read)
                self.say(line(job))

    def _tables(self, loads: Sequence[TableProgress], now: float) -> None:
        """A line for each table that loads, now and then, and when it is there."""
        for about in loads:
            state, last, read = self.told.get(f"table {about.name}", ("waiting", now, 0))
            moved = about.state == "loading" and now - last >= EVERY
            if moved or (about.state != state and "refreshing" not in (about.state, state)):
                self.told[f"table {about.name}"] = (about.state, now, read)
                self.say(tables.line(about))

    def _progress(self, runner: Runner) -> dict[str, tuple[int, int]]:
        if not self.bounded:
            return {}
        found = {}
        for job in runner.jobs:
            part = progress(job.query.lastProgress, rows_of(job.job)) if job.query is not None else None
            if part is not None:
                found[job.job.name] = part
        return found

    def _dead_letters(self, job: Figures) -> None:
        """A line where there are more than when it was last looked."""
        known = self.dead.setdefault(job.name, job.dead)
        new = {reason: count - known.get(reason, 0) for reason, count in job.dead.items()}
        new = {reason: count for reason, count in new.items() if count > 0}
        self.dead[job.name] = job.dead
        if new:
            parts = ", ".join(f"{count:,} {reason}" for reason, count in sorted(new.items()))
            self.say(f"{job.name}: dead letters: {parts}")


def line(job: Figures) -> str:
    """A job as one line."""
    parts = [f"read {job.read:,} ({amount(job.rate)}/s)", f"open {job.open:,}", f"emitted {job.emitted:,}"]
    parts.append(f"watermark {clock(job.watermark) or 'none yet'}")
    if job.behind:
        parts.append(f"{span(job.behind)} behind" + (f", held by {job.held_by}" if job.held_by else ""))
    if job.late:
        parts.append(f"late {job.late:,}")
    if job.dead:
        parts.append(f"dead letters {sum(job.dead.values()):,}")
    return f"{job.name} {job.state}: {', '.join(parts)}"
