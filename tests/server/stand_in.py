"""A driver without Spark for tests of whoever supervises drivers: it speaks through its folder as the real one does.

What it does is told by the name of its application: `crash…` fails with a reason, `vanish…` ends without a word,
`mute…` hangs after its first words, all others run until they are stopped, or until their folder of state has a file
`fail`. `watermark` and `batch` in there set the watermark and the micro-batch that it reports, `away` how often it has
not come where the other version stands; the rest of its report is that of a real job, in the file that VELO_STAND_IN
names.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

from velostream.files import replace_text
from velostream.server.driver import commands
from velostream.server.driver.task import Task
from velostream.server.folders import DriverFolder
from velostream.server.moving.copying import copy_state
from velostream.server.process import Process

_TAKES = {commands.PAUSE: "paused", commands.RESUME: "running", commands.STOP: "stopped", commands.RESTART: "running"}


def main(root: Path) -> int:
    folder = DriverFolder(root)
    task = Task.read(folder)
    process = Process.of(os.getpid())
    replace_text(folder.process, json.dumps({"pid": process.pid, "mark": process.mark}))
    states = dict.fromkeys(_names(folder.sql.read_text()), "running")
    said: dict[str, Any] = {
        "format": 1,
        "pid": process.pid,
        "mark": process.mark,
        "started": time.time(),
        "error": None,
    }
    with folder.log.open("a") as log:
        log.write(json.dumps({"at": None, "level": "info", "message": f"stand-in of {task.app}"}) + "\n")

    def speak(state: str, error: dict[str, str] | None = None) -> None:
        jobs = [_job(task, name, now) for name, now in states.items()]
        told = {**said, "at": time.time(), "state": state, "error": error, "jobs": jobs, "tables": []}
        replace_text(folder.status, json.dumps(told))

    if task.app.startswith("crash"):
        speak("failed", {"code": "spark-failed", "message": "the disk is full", "hint": "make room"})
        return 1
    if task.app.startswith("vanish"):
        print("Killed by nobody", file=sys.stderr, flush=True)
        os._exit(9)
    if task.app.startswith("mute"):
        speak("running")
        time.sleep(3600)
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: ended.append(number))
    while True:
        if ended:
            speak("interrupted")
            return 0
        if (Path(task.state) / "fail").exists():
            speak("failed", {"code": "spark-failed", "message": "it was told to fail", "hint": ""})
            return 1
        speak("running")
        for command in commands.waiting(folder):
            if command.verb == commands.STOP and not command.jobs:
                states.update(dict.fromkeys(states, "stopped"))
                speak("stopped")
                commands.answer(folder, command, {})
                return 0
            if command.verb == commands.SAVE:
                copy_state(Path(task.state), Path(command.details["target"]))
            for name in command.jobs or tuple(states):
                states[name] = _TAKES.get(command.verb, states[name])
            replace_text(folder.root / "told.jsonl", _told(folder) + json.dumps([command.verb, dict(command.details)]))
            speak("running")
            told = {"columns": ["n"], "types": ["INT"], "rows": [[1]], "total": 1}
            commands.answer(folder, command, {"met": _has_met(task)} if command.verb == commands.MEET else told)
        time.sleep(0.03)


def _told(folder: DriverFolder) -> str:
    file = folder.root / "told.jsonl"
    return file.read_text() + "\n" if file.exists() else ""


def _names(sql: str) -> list[str]:
    return re.findall(r"(?:@name:|(?:START|DEPLOY) JOB)\s+(\w+)", sql) or ["query_1"]


def _has_met(task: Task) -> bool:
    """False as often as a file says so: the other version is to come to this one first."""
    away = Path(task.state) / "away"
    left = int(away.read_text()) if away.exists() else 0
    if left:
        away.write_text(str(left - 1))
    return not left


def _is_whole(task: Task, state: str) -> bool:
    """False where a file says that the job was cut in a batch; when it runs, it ends that batch."""
    cut = Path(task.state) / "cut"
    if state == "running":
        cut.unlink(missing_ok=True)
    return not cut.exists()


def _job(task: Task, name: str, state: str) -> dict[str, Any]:
    """What a job reports that has read seven records."""
    said: dict[str, Any] = json.loads(Path(os.environ["VELO_STAND_IN"]).read_text())
    file = Path(task.state) / "watermark"
    watermark = file.read_text().strip() if file.exists() else None
    batch = Path(task.state) / "batch"
    partition = {"max_event_time": watermark, "lag_ms": 5, "idle": False}
    said |= {
        "name": name,
        "app": task.app,
        "state": state,
        "batch": int(batch.read_text()) if batch.exists() else 3,
        "rate": 12.5,
        "whole": _is_whole(task, state),
        "watermark": watermark,
    }
    said["records"] |= {"read": 7, "in_results": 7, "dead_lettered": {"late": 2}}
    said["emitted"] = {"final": 7}
    said["windows"] |= {"open_windows": 5, "state_bytes": 5}
    said["held_back_by"] = ["orders/1"] if watermark else []
    said["partitions"] = {"orders/0": {**partition}, "orders/1": partition} if watermark else {}
    return said


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
