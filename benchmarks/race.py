"""One scenario: every contestant in a process of its own, warmed up, then timed in turns: drift hits all alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks.contestants.base import Task
from benchmarks.contestants.serving import serve
from benchmarks.processes import Peak, cpu_seconds
from benchmarks.scenario import VELO, Scenario

WAIT = 30.0
SLOW = 90.0
SAMPLER = Path(__file__).parent / "profiling" / "start"


@dataclass
class Lane:
    """A contestant in a race, and what came of its runs. `ended` says why it does not run (any more)."""

    task: Task
    process: BaseProcess
    pipe: Connection
    runs: list[dict[str, Any]] = field(default_factory=list)
    warm_up: float = 0.0
    peak: int = 0
    ended: dict[str, str] = field(default_factory=dict)

    def takes(self, number: int) -> bool:
        """True where it takes part in a run: only in the first that is timed where it is so slow that nothing else
        would be measured today."""
        return not self.ended and (self.warm_up < SLOW or number == 1)

    def run(self, number: int) -> float | None:
        """One run; those up to number 0 warm up and are not kept. Its seconds, or None where it did not end well."""
        if self.ended:
            return None
        assert self.process.pid is not None
        before = cpu_seconds(self.process.pid)
        with Peak(self.process.pid) as peak:
            self.pipe.send(number)
            answer = self._answer()
        after = cpu_seconds(self.process.pid)
        self.peak = max(self.peak, peak.bytes)
        if "measured" not in answer:
            self.ended = answer
            return None
        if number <= 0:
            self.warm_up = float(answer["measured"]["seconds"])
        else:
            cpu = {kind: after[kind] - before[kind] for kind in after}
            self.runs.append({**answer["measured"], "cpu": cpu})
        return float(answer["measured"]["seconds"])

    def _answer(self) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self.pipe.recv()
        except EOFError:
            return {"failed": f"the process ended with {self.process.exitcode}; see {self.task.contestant}.log"}
        return answer

    def close(self) -> None:
        """Ends the process, politely first."""
        if not self.ended:
            self.pipe.send(None)
        self.process.join(WAIT)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def data(self) -> dict[str, Any]:
        """What is known of it, as plain data."""
        return {"runs": self.runs, "peak_bytes": self.peak, **self.ended}


@dataclass(frozen=True)
class Race:
    """How a scenario is raced."""

    work: Path
    cores: int
    runs: int
    warm_ups: int
    say: Callable[[str], None]
    profile: Path | None = None

    def run(self, scenario: Scenario, folder: Path, records: int, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        """The answers of the contestants, by name, over the files of a folder."""
        lanes = []
        try:
            for name in names:
                lanes.append(self._lane(scenario, folder, name))
            for number in range(1 - self.warm_ups, self.runs + 1):
                for lane in lanes:
                    self._turn(lane, number, records)
        finally:
            for lane in lanes:
                lane.close()
        return {lane.task.contestant: lane.data() for lane in lanes}

    def _turn(self, lane: Lane, number: int, records: int) -> None:
        if not lane.takes(number):
            return
        seconds = lane.run(number)
        what = "warm-up" if number <= 0 else f"run {number}/{self.runs}"
        if seconds is None:
            [(how, why)] = lane.ended.items()
            self.say(f"    {lane.task.contestant:14} {how}: {why}")
        else:
            self.say(f"    {lane.task.contestant:14} {what}: {seconds:.1f} s, {records / seconds:,.0f} records/s")

    def _lane(self, scenario: Scenario, data: Path, name: str) -> Lane:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        profile = self.profile / scenario.name if self.profile is not None and name == VELO else None
        task = Task(scenario.name, name, data, self.work / scenario.name, self.cores, profile)
        process = context.Process(target=serve, args=(theirs, task))
        with _sampled(profile):
            process.start()
        theirs.close()
        return Lane(task, process, ours)


@contextmanager
def _sampled(folder: Path | None) -> Iterator[None]:
    """Python processes that begin inside, and their children, are sampled into the folder."""
    if folder is None:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ.get(name) for name in ("PYTHONPATH", "VELO_BENCH_SAMPLES")}
    paths = [str(SAMPLER), *filter(None, [kept["PYTHONPATH"]])]
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "VELO_BENCH_SAMPLES": str(folder)}
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
