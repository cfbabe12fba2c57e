"""Commands to a running driver: taken from its folder by a thread, carried out between looks at the jobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.driver.logs import LOG
from velostream.server.driver.task import Task
from velostream.server.folders import DriverFolder
from velostream.server.planning import Refused, checked

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner

LOOK = 0.1
MOST_ROWS = 10_000
"""Rows that a query of tables answers with."""


class Serving:
    """Takes commands; each is answered, whatever becomes of it."""

    def __init__(self, folder: DriverFolder, runner: Runner, sql: str, task: Task, speak: Callable[[], None]) -> None:
        self.folder = folder
        self.runner = runner
        self.sql = sql
        self.task = task
        self.speak = speak
        """Says how things are, before somebody hears that a command was carried out."""
        self.was_stopped = False
        """True once it was told to end."""
        self._waiting: SimpleQueue[Command] = SimpleQueue()
        self._taken: set[str] = set()
        self._closed = Event()

    def start(self) -> None:
        """Begins to take commands."""
        Thread(target=self._take, name="velo-commands", daemon=True).start()

    def close(self) -> None:
        """Takes none any more; those that still wait are told so."""
        self._closed.set()
        for command in commands.waiting(self.folder):
            if command.verb == commands.STOP and not command.jobs:
                commands.answer(self.folder, command, {"state": "stopped"})
            else:
                error = VeloError("the driver has ended", hint="velo restart starts it again", code="job-state")
                commands.refuse(self.folder, command, error)

    def _take(self) -> None:
        while not self._closed.wait(LOOK):
            try:
                for command in commands.waiting(self.folder):
                    self._take_one(command)
            except Exception:  # such as a disk that is away for a moment: it is listened on
                LOG.warning("commands could not be read", exc_info=True)

    def _take_one(self, command: Command) -> None:
        if command.id in self._taken:
            return
        self._taken.add(command.id)
        if command.verb == commands.STOP and not command.jobs:
            self.was_stopped = True
            self.runner.stopping.set()
        elif command.verb == commands.QUERY:
            Thread(target=self._answered, args=(command, self._query), daemon=True).start()
        else:
            self._waiting.put(command)

    def carry_out(self) -> None:
        """Carries out what waits. Called by the thread that looks after the jobs."""
        while True:
            try:
                command = self._waiting.get_nowait()
            except Empty:
                return
            known = {commands.MEET: self._meet, commands.SWITCH: self._switch, commands.SAVE: self._save}
            self._answered(command, known.get(command.verb, self._jobs))

    def _answered(self, command: Command, carry: Callable[[Command], dict[str, Any]]) -> None:
        LOG.info("told to %s", command.verb, extra={"said": {"jobs": list(command.jobs)}})
        try:
            commands.answer(self.folder, command, carry(command))
        except VeloError as error:
            commands.refuse(self.folder, command, error)
        except Exception as failure:
            from velostream.spark.failures import translate

            LOG.exception("could not %s", command.verb)
            commands.refuse(self.folder, command, translate(failure))

    def _meet(self, command: Command) -> dict[str, Any]:
        """Jobs that rest read as far as the same jobs of another version, which rest too."""
        from velostream.jobs.meeting import meet
        from velostream.jobs.verbs import require

        met = []
        for job in [job for job in self.runner.jobs if job.job.name in command.jobs and job.state != "done"]:
            require(job, "meet another version", "paused")
            met.append(meet(job, Path(command.details["other"]) / job.job.name))
        self.speak()
        return {"met": all(met)}

    def _switch(self, command: Command) -> dict[str, Any]:
        """From now on other rows are this version's own; only while all jobs rest."""
        from velostream.jobs.letter_owner import owner_of
        from velostream.jobs.ownership import Ownership
        from velostream.jobs.verbs import require
        from velostream.spark.lower.context import SLOT

        for job in self.runner.jobs:
            if job.state == "running":
                require(job, "give keys away", "paused")
        owners = self.runner.owners
        owners.of_jobs = {job: Ownership.of(said) for job, said in command.details["owners"].items()}
        for job in list(self.runner.jobs):
            if owners.goes_by_slots(job.job) and SLOT not in job.lowered.stream.columns and job.state == "paused":
                self.runner.prepare_again(job)
            else:
                job.writer.lowered = owners.applied(job.job, job.lowered)
                job.writer.owner = owner_of(job.job, owners)
        return {}

    def _save(self, command: Command) -> dict[str, Any]:
        """Copies the state between two batches; jobs that ran go on then, whatever became of the copy."""
        from velostream.server.moving.copying import copy_state

        running = [job for job in self.runner.jobs if job.state == "running"]
        try:
            for job in running:
                job.pause()
            copy_state(self.task.home, Path(command.details["target"]))
        finally:
            for job in running:
                if job.state == "paused":
                    job.go_on()
        return {}

    def _jobs(self, command: Command) -> dict[str, Any]:
        from velostream.jobs.verbs import carry_out

        wanted = [job for job in self.runner.jobs if not command.jobs or job.job.name in command.jobs]
        carry_out(command.verb, wanted)
        held = {job.job.name: job.state for job in self.runner.jobs if job.state in ("paused", "stopped")}
        replace_text(self.folder.wanted, json.dumps(held))
        self.speak()
        return {"jobs": {job.job.name: job.state for job in wanted}}

    def _query(self, command: Command) -> dict[str, Any]:
        """The rows of a SELECT from the tables of this application, and from what its jobs have written to files."""
        from velostream.jobs.asking import ask
        from velostream.jobs.written import asked_for
        from velostream.plan import plan
        from velostream.sql.parse import ended
        from velostream.typed_rows import said, type_of

        sql = command.details["sql"]
        written = asked_for(self.runner.plan, sql, Path(self.task.files))
        text = "".join([ended(self.sql), *(f"{each.declaration}\n" for each in written.values()), sql, "\n"])
        answer = checked(text, self.task.app, Path(self.task.files), self.task.home)
        if answer.findings.errors:
            first = answer.findings.errors[0]
            raise Refused(first.message, answer.findings.ordered(), hint=first.hint, code=first.code)
        planned = plan(answer.bound, answer.library)
        last = planned.jobs[-1]
        planned = replace(planned, functions=self.runner.plan.functions)
        rows = ask(planned, last, self.runner.spark, self.task.home, written)
        columns = [column.to_pylist() for column in rows.slice(0, MOST_ROWS).columns]
        return {
            "columns": rows.column_names,
            "types": [str(type_of(kind)) for kind in rows.schema.types],
            "rows": [[said(value) for value in row] for row in zip(*columns, strict=True)],
            "total": rows.num_rows,
        }
