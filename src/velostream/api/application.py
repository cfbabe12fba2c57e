"""An application that runs in this process, in a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Future, wait
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from velostream.api.engine import LOG
from velostream.api.jobs import Job, Jobs, Letter, as_html, as_text
from velostream.api.lineage import Lineage
from velostream.api.plan import Plan
from velostream.api.result import Result
from velostream.errors import VeloError
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from velostream.cli.live.figures import Meter
    from velostream.jobs.letters import JobLetters
    from velostream.jobs.replaying import Replay
    from velostream.jobs.runner import Runner
    from velostream.jobs.running import RunningJob
    from velostream.server.models.jobs import JobView

PATIENCE = 120.0
"""Seconds that a verb may take: it waits for the end of a batch."""

LOOK = 0.2
"""How often somebody who waits looks whether it still runs, in seconds."""


@dataclass(frozen=True)
class Length:
    """How long an application runs: to the end of its input, for some seconds, or until somebody stops it."""

    until_done: bool = False
    seconds: float | None = None


class Application:
    """The jobs of one application. It goes on in the background until its end, or until `stop`."""

    def __init__(self, runner: Runner, length: Length, holding: ExitStack) -> None:
        self.runner = runner
        self.length = length
        self.holding = holding
        """What is let go when it has ended: its checkpoint."""
        self.failure: BaseException | None = None
        """Why it ended, where something went wrong."""
        self._told: SimpleQueue[tuple[str, str, Future[None]]] = SimpleQueue()
        self._meters: dict[str, Meter] = {}
        self._counting = Lock()
        self._thread = Thread(target=self._run, name=f"velo-app-{self.name}", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """As its file says."""
        return self.runner.plan.name or "app"

    def _run(self) -> None:
        from velostream.observability.watching import watched
        from velostream.spark.failures import translated

        try:
            with self.holding, ExitStack() as open_:
                open_.enter_context(translated())
                open_.enter_context(watched(self.runner, LOG.info))
                if self.length.until_done:
                    self.runner.run_until_done()
                else:
                    self.runner.run(self.length.seconds, self._carry_out)
        except BaseException as error:
            self.failure = error
        self._carry_out(ended=True)

    def _carry_out(self, *, ended: bool = False) -> None:
        """Carries out what it was told. Called by the thread that looks after the jobs."""
        from velostream.jobs.verbs import carry_out

        while True:
            try:
                verb, name, done = self._told.get_nowait()
            except Empty:
                return
            try:
                if ended:
                    raise _over(self)
                carry_out(verb, [self._running(name)] if name else self.runner.jobs)
                done.set_result(None)
            except Exception as error:
                done.set_exception(error)

    # What it is doing

    @property
    def running(self) -> bool:
        """True while it runs."""
        return self._thread.is_alive()

    @property
    def state(self) -> str:
        """In a word: starting, running, paused, done, stopped or failed."""
        states = {job.state for job in self.runner.jobs}
        if self.running:
            held = states if len(states) == 1 and states <= {"paused", "stopped"} else {"running"}
            return next(iter(held)) if states else "starting"
        if self.failure is not None:
            return "failed"
        return "done" if states <= {"done"} else "stopped"

    @property
    def jobs(self) -> Jobs[Job]:
        """Its jobs."""
        return Jobs([Job(job.name, self) for job in self.runner.plan.jobs])

    def job(self, name: str) -> Job:
        """One of its jobs."""
        return Job(self._planned(name), self)

    def view(self, name: str) -> JobView:
        """How a job is."""
        from velostream.cli.live.figures import Meter
        from velostream.observability.snapshot import snapshot
        from velostream.server.models.jobs import JobView, view_fields

        found = self._running(name)
        taken, now = snapshot(found, self.name), time.monotonic()
        with self._counting:
            meter = self._meters.setdefault(found.job.name, Meter(now, taken["records"]["read"]))
            rate = round(meter.figures(taken, now).rate, 3) if self.running else 0.0
        return JobView(**view_fields(taken, app=self.name, rate=rate, at=taken["taken"]))

    def plan_of(self, name: str) -> Plan:
        """How a job runs."""
        return Plan.of(self.runner.plan, self._planned(name))

    def plan(self) -> Plan:
        """How all of its jobs run."""
        return Plan.of(self.runner.plan)

    def lineage(self) -> Lineage:
        """Which column comes from which."""
        from velostream.observability.graph import Graph

        return Lineage(**Graph().add(self.runner.plan, self.name).data())

    def letters_of(self, name: str, which: Mapping[str, str]) -> list[Letter]:
        """The dead letters of a job that are asked for, newest first."""
        from velostream.jobs.letters import Wanted

        return list(
            self._letters(name).found(Wanted(reason=which["reason"], source=which["source"], text=which["text"]))
        )[::-1]

    def replay(self, name: str, which: Mapping[str, Any]) -> Replay:
        """Has dead letters of a job processed once more, in its next micro-batch or at its next start."""
        from velostream.jobs.letters import Wanted

        letters = self._letters(name)
        wanted = Wanted(frozenset(which["ids"]), which["reason"], which["source"], text=which["text"])
        return letters.replay(list(letters.found(wanted)), which["late"])

    def _letters(self, name: str) -> JobLetters:
        from velostream.jobs.letters import letters_of

        job = self.runner.plan.job(self._planned(name))
        assert job is not None, "a name that is planned is that of a job"
        return letters_of(job, self.runner.checkpoint, self.runner.folder)

    def report(self) -> dict[str, Any]:
        """What became of every record so far, as `velo run --report` writes it."""
        from velostream.observability.snapshot import steady

        return steady(self.runner.report)

    def result(self, sink: str) -> Result:
        """The rows of a `memory_sink` so far."""
        import pyarrow as pa

        from velostream.plan.nodes import Sinks
        from velostream.sinks.memory import MEMORY_SINK, rows
        from velostream.typed_rows import arrow_type

        roots = [job.root for job in self.runner.plan.jobs if isinstance(job.root, Sinks)]
        targets = [target for root in roots for target in root.targets if target.connector == MEMORY_SINK.name]
        names = {target.name.casefold(): target.name for target in targets}
        if sink.casefold() not in names:
            hint = did_you_mean(sink, names.values(), "sinks in memory") or "INTO x WITH ('x.type' = 'memory_sink')"
            raise VeloError(f"'{self.name}' has no sink in memory '{sink}'", hint=hint, code="usage")
        kept = rows(names[sink.casefold()])
        columns = {
            member.name: member.type
            for root in roots
            for target in root.targets
            if target.name == names[sink.casefold()]
            for member in target.columns(root.fields)
        }
        schema = pa.schema([(name, arrow_type(kind)) for name, kind in columns.items()])
        known = all(kind.is_known for kind in columns.values())
        return Result(pa.Table.from_pylist(kept, schema if known else None), lambda: self.runner.spark)

    # What it is told

    def tell(self, name: str, verb: str, body: Mapping[str, Any] | None = None) -> None:
        """Has a verb carried out with a job, or with all of them; it is done when this returns."""
        if self.length.until_done:
            hint = "deploy() runs an application that can be told more"
            raise VeloError(
                f"'{self.name}' runs to the end of its input: it can only stop", hint=hint, code="job-state"
            )
        done: Future[None] = Future()
        self._told.put((verb, name, done))
        until = time.monotonic() + PATIENCE
        while not wait([done], LOOK).done:
            if not self.running:
                self._carry_out(ended=True)
            elif time.monotonic() > until:
                raise VeloError(f"'{self.name}' did not {verb} in time", hint="see how it is", code="job-state")
        done.result()

    def pause(self) -> None:
        """Pauses all of its jobs after their running batches."""
        self.tell("", "pause")

    def resume(self) -> None:
        """Lets all of its jobs go on."""
        self.tell("", "resume")

    def restart(self) -> None:
        """Starts all of its jobs again, also those that were stopped."""
        self.tell("", "restart")

    def flush(self) -> None:
        """Writes what stands open in all of its jobs."""
        self.tell("", "flush")

    def stop(self) -> None:
        """Ends it after the running batches, and waits for that."""
        self.runner.stopping.set()
        self._thread.join()

    def wait(self, seconds: float | None = None) -> bool:
        """Waits for its end, and raises what went wrong; False where it still runs when the time is over."""
        ends = None if seconds is None else time.monotonic() + seconds
        while self._thread.is_alive():
            left = LOOK if ends is None else min(LOOK, ends - time.monotonic())
            if left <= 0:
                return False
            self._thread.join(left)
        if self.failure is not None:
            raise self.failure
        return True

    def _planned(self, name: str) -> str:
        found = self.runner.plan.job(name)
        if found is None:
            names = [job.name for job in self.runner.plan.jobs]
            hint = did_you_mean(name, names, "jobs")
            raise VeloError(f"'{self.name}' has no job '{name}'", hint=hint, code="unknown-job")
        return found.name

    def _running(self, name: str) -> RunningJob:
        planned = self._planned(name)
        found = next((job for job in list(self.runner.jobs) if job.job.name == planned), None)
        if found is None:
            raise VeloError(f"job '{name}' starts", hint="ask again when it runs", code="job-state")
        return found

    def _views(self) -> list[JobView]:
        return [self.view(job.job.name) for job in list(self.runner.jobs)]

    def __repr__(self) -> str:
        views = self._views()
        return f"{self.name} is {self.state}" + (f"\n{as_text(views)}" if views else "")

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return f"<b>{escape(self.name)}</b> is {self.state}{as_html(self._views())}"


def _over(application: Application) -> VeloError:
    hint = "deploy it again; it goes on where it was"
    return VeloError(f"'{application.name}' is {application.state}", hint=hint, code="job-state")
