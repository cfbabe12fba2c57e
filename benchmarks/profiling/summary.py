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
_WORKER = "pyspark/worker"


def stage(stack: str) -> str:
    """The stage of a stack."""
    for name, file in _STAGES:
        if file in stack:
            return name
    if "pyspark/" in stack and ("worker" in stack or "daemon" in stack):
        return "worker: waiting for the JVM" if _waits(stack) else "worker: pyspark"
    return "idle" if any(part in stack for part in _IDLE) else "other"


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
    """Seconds by stage, the dearest lines of each below it."""
    stages: Counter[str] = Counter()
    places: dict[str, Counter[str]] = {}
    for file in folder.glob("*.json"):
        for stack, count in json.loads(file.read_text())["stacks"].items():
            name = stage(stack)
            stages[name] += count
            places.setdefault(name, Counter())[place(stack)] += count
    shown = []
    for name, count in stages.most_common():
        if name == "idle":
            continue
        shown.append(f"{count * INTERVAL:8.1f} s  {name}")
        shown += [f"{samples * INTERVAL:12.1f} s  {where}" for where, samples in places[name].most_common(lines)]
    return "\n".join(shown)
