"""The life of a driver: from its task to the end of its jobs, with every step said in its folder."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from velostream.config.secrets import masked
from velostream.errors import EXIT_CODES, VeloError
from velostream.server.driver.holding import hold
from velostream.server.driver.logs import LOG, JsonLines, open_log
from velostream.server.driver.serving import Serving
from velostream.server.driver.status import INTERRUPTED, Status
from velostream.server.driver.task import Task
from velostream.server.folders import DriverFolder
from velostream.server.planning import Refused, checked, served

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner

EVERY = 1.0
"""Seconds between two words of the driver about itself."""
SHOWN = 100
"""Rows of a micro-batch that a SELECT without a sink writes to the log."""


def main(root: Path) -> int:
    """Runs the task of a folder; the answer is the exit code."""
    folder = DriverFolder(root)
    task = Task.read(folder)
    status = Status(folder, task.app)
    form = open_log(folder.log)
    ended = Event()
    try:
        lock = hold(task.home, status.process, root)
        status.process.write(folder.process)
        about = {"pid": status.process.pid}
        LOG.info("the driver of '%s' version '%s' starts", task.app, task.version, extra={"said": about})
        Thread(target=_speak, args=(status, ended), name="velo-status", daemon=True).start()
        answer = _run(folder, task, status, form, ended)
        os.close(lock)
        return answer
    except VeloError as error:
        _failed(status, error)
        return EXIT_CODES[error.domain]
    except Exception as error:
        LOG.exception("the driver failed")
        _failed(status, VeloError(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"))
        return EXIT_CODES[VeloError("").domain]
    finally:
        ended.set()


def _failed(status: Status, error: VeloError) -> None:
    said = {"code": error.error_code, "message": masked("", error.message), "hint": masked("", error.hint)}
    LOG.error("failed: %s", error.message, extra={"said": {"code": error.error_code, "hint": error.hint}})
    status.state, status.error = "failed", said
    status.write()


def _run(folder: DriverFolder, task: Task, status: Status, form: JsonLines, ended: Event) -> int:
    from velostream.jobs.inferred import settled
    from velostream.jobs.ownership import Ownership
    from velostream.jobs.runner import Runner
    from velostream.observability.logs import lifecycle
    from velostream.observability.watching import watched
    from velostream.spark.failures import translated
    from velostream.spark.jars import jars_of
    from velostream.spark.session import spark_session

    status.write()
    sql, files = folder.sql.read_text(), Path(task.files)
    answer = settled(lambda more: checked(sql, task.app, files, more=more), lambda _: task.home, files, LOG.info)
    if answer.findings.errors:
        raise Refused(answer.findings.errors[0].message, answer.findings.ordered(), hint=answer.findings.errors[0].hint)
    planned = served(answer, task.app)
    status.cut = _cut(task.home, [job.name for job in planned.jobs])
    form.lines = {job.name: job.line for job in planned.jobs}
    with translated(debug=False):
        jars = jars_of(planned.connectors, (), LOG.info)
        spark = spark_session(task.master, task.spark, jars, planned.connectors)
        runner = Runner(planned, spark, task.home, files, _show)
        runner.held = folder.held
        runner.owners.of_jobs = {job: Ownership.of(said) for job, said in task.owners.items()}
        signal.signal(signal.SIGTERM, lambda number, frame: runner.stopping.set())
        serving = Serving(folder, runner, sql, task, status.write)
        serving.start()
        status.runner, status.state = runner, "running"
        runner.events.subscribe(lifecycle)
        try:
            with watched(runner, lambda line: None):
                runner.run(None, serving.carry_out)
        finally:
            serving.close()
    ended.set()
    status.state = _outcome(runner, serving)
    status.write()
    LOG.info("the driver ends: %s", status.state)
    return 0


def _outcome(runner: Runner, serving: Serving) -> str:
    """How it ended: all jobs are done, somebody stopped it, or the machine wanted it to end, such as for a restart."""
    if runner.stopping.is_set() and not serving.was_stopped:
        return INTERRUPTED
    return "done" if {job.state for job in runner.jobs} == {"done"} else "stopped"


def _speak(status: Status, ended: Event) -> None:
    """Says every second how things are."""
    while not ended.wait(EVERY):
        try:
            status.write()
        except Exception:
            LOG.warning("the status could not be written", exc_info=True)


def _show(what: object) -> None:
    """Rows of a SELECT that prints go to the log."""
    from velostream.sinks.writers.console import Shown

    if not isinstance(what, Shown):
        LOG.info("%s", what)
        return
    rows = [dict(zip(what.columns, row, strict=True)) for row in what.rows[:SHOWN]]
    more = f", the first {SHOWN} of them here" if len(what.rows) > SHOWN else ""
    LOG.info("%d rows%s", len(what.rows), more, extra={"said": {"job": what.name, "rows": rows}})


def _cut(home: Path, jobs: list[str]) -> dict[str, int]:
    """The micro-batches that were begun and not finished when the process before this one ended."""
    from velostream.jobs.home import Home

    last = {job: Home(home / job).next_batch() for job in jobs}
    return {job: number for job, (number, begun) in last.items() if begun}
