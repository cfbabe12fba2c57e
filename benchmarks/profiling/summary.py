"""Samples of all processes as a table: which stage of the engine was on the stack, and which line of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

INTERVAL = 0.005
_STAGES = (
    ("windows operator", "stateful/operator.py"),
    ("router", "stateful/router.py"),
    ("unpack", "stateful/unpack.py"),
    ("file source", "sources/streams/"),
    ("foreachBatch", "jobs/writing.py"),
    ("control source", "stateful/control.py"),
    ("planning", "velostream/plan/"),
    ("lowering", "spark/lower/"),
    ("validation", "velostream/validation/"),
    ("runner", "jobs/runner.py"),
)
_IDLE = ("pyspark/daemon.py", "py4j/clientserver.py", "py4j/java_gateway.py", "threading.py", "socketserver.py")
_DRIVER = "benchmarks/contestants/"
WAITING = "worker: waiting for the JVM"


def stage(stack: str) -> str:
    """The stage of a stack."""
    if _reads(stack):
        return WAITING
    for name, file in _STAGES:
        if file in stack:
            return name
    if "pyspark/" in stack and ("worker" in stack or "daemon" in stack):
        return WAITING if _waits(stack) else "worker: pyspark"
    return "idle" if any(part in stack for part in _IDLE) else "other"


def _reads(stack: str) -> bool:
    """True where a worker reads the next Arrow batch: almost all of it is waiting for the JVM to write one."""
    leaf = stack.rpartition(";")[2]
    return "pyarrow/ipc.py" in leaf or "router.py:route:" in leaf


def _waits(stack: str) -> bool:
    leaf = stack.rpartition(";")[2]
    return any(part in leaf for part in ("serializers.py", "daemon.py", "socket.py"))


def place(stack: str) -> str:
    """The deepest line of Velostream in a stack, or its last one."""
    parts = stack.split(";")
    own = [part for part in parts if "velostream/" in part]
    file, name, line = (own or parts)[-1].rsplit(":", 2)
    shown = file.rpartition("velostream/")[2] if own else "/".join(file.split("/")[-2:])
    return f"{shown}:{line} {name}"


def summary(folder: Path, *, lines: int = 12) -> str:
    """CPU seconds of workers by stage, then what the driver waited for or did, each with its dearest lines."""
    workers, driver = Tally(), Tally()
    for file in folder.glob("*.json"):
        told = json.loads(file.read_text())
        stacks = {stack: count for stack, count in told["stacks"].items() if stage(stack) != "idle"}
        if any(_DRIVER in stack for stack in stacks):
            driver.add(stacks, INTERVAL)
            continue
        busy = {stack: count for stack, count in stacks.items() if stage(stack) != WAITING}
        if busy:
            workers.add(busy, told["cpu"] / sum(busy.values()))
    parts = ["Python workers, CPU seconds", *workers.shown(lines), "driver, seconds", *driver.shown(lines)]
    return "\n".join(parts)


class Tally:
    """Seconds by stage and by line."""

    def __init__(self) -> None:
        self.stages: Counter[str] = Counter()
        self.places: dict[str, Counter[str]] = {}

    def add(self, stacks: dict[str, int], seconds: float) -> None:
        """Counts stacks, each sample worth so many seconds."""
        for stack, count in stacks.items():
            name = stage(stack)
            self.stages[name] += count * seconds  # type: ignore[assignment]
            self.places.setdefault(name, Counter())[place(stack)] += count * seconds  # type: ignore[assignment]

    def shown(self, lines: int) -> list[str]:
        """As text, the dearest first."""
        told = []
        for name, seconds in self.stages.most_common():
            told.append(f"{seconds:8.1f}  {name}")
            told += [f"{took:14.2f}  {where}" for where, took in self.places[name].most_common(lines)]
        return told
