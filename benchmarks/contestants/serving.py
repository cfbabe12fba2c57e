"""A contestant in a process of its own: it answers every request over a pipe until it is told to end."""

from __future__ import annotations

import os
import traceback
from multiprocessing.connection import Connection

from benchmarks.contestants.base import Contestant, Task
from benchmarks.scenario import DUCKDB, MEMORY, ROCKSDB, VELO


def contestant(name: str) -> Contestant:
    """The contestant of a name."""
    if name == VELO:
        from benchmarks.contestants.velo import Velostream

        return Velostream()
    if name == DUCKDB:
        from benchmarks.contestants.duck import DuckDB

        return DuckDB()
    from benchmarks.contestants.hand_written import HandWritten

    return {ROCKSDB: HandWritten(rocksdb=True), MEMORY: HandWritten(rocksdb=False)}[name]


def serve(pipe: Connection, task: Task) -> None:
    """Runs the scenario once for every number that comes; None ends it."""
    from benchmarks.contestants.velo import Refused
    from benchmarks.scenarios import SCENARIOS

    _log(task)
    scenario = next(each for each in SCENARIOS if each.name == task.scenario)
    chosen = contestant(task.contestant)
    try:
        chosen.start(task)
        while (number := pipe.recv()) is not None:
            pipe.send({"measured": chosen.run(scenario, task, number).data()})
        chosen.stop()
    except Refused as refusal:
        pipe.send({"refused": str(refusal)})
    except Exception as error:
        traceback.print_exc()
        pipe.send({"failed": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"})


def _log(task: Task) -> None:
    """What the process, its JVM and its workers print goes to a file beside the results."""
    task.work.mkdir(parents=True, exist_ok=True)
    log = os.open(task.work / f"{task.contestant}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
