"""What can be seen before Spark starts, which takes seconds: files that are not there, and that nobody waits for."""

from __future__ import annotations

import os
from pathlib import Path

from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Sinks
from velostream.sources.streams.reading import manifest_of
from velostream.sources.streams.waiting import wait_for_files

_WILD = set("*?[{")


def refuse_missing_files(plan: ApplicationPlan, checkpoint: Path, folder: Path) -> None:
    """An error for the first source without any file. `checkpoint` is the folder of the jobs; relative paths start from
    `folder`. Files that a job of the application may write are not asked for."""
    written = [path for job in plan.jobs for path in _written(job, folder)]
    for job in plan.jobs:
        for scan in job.scans:
            if scan.connector != "file_source" or scan.settings.duration("file.wait.timeout"):
                continue
            read = _whole(scan.settings.text("path"), folder)
            if manifest_of(scan, checkpoint / job.name).exists() or any(_may_be(path, read) for path in written):
                continue
            wait_for_files(scan.source, scan.settings, folder)


def _written(job: Job, folder: Path) -> list[Path]:
    sinks = job.root.targets if isinstance(job.root, Sinks) else ()
    return [_whole(sink.settings.text("path"), folder) for sink in sinks if sink.connector == "file_sink"]


def _whole(path: str, folder: Path) -> Path:
    return Path(os.path.abspath(folder / path.removeprefix("file://")))  # noqa: PTH100


def _may_be(written: Path, read: Path) -> bool:
    """True where a sink of this path may write what is read: the file itself, parts of it, files in a folder of it."""
    if written in read.parents or read in (written, *written.parents):
        return True
    if _WILD & set(str(read)):
        fixed = next(parent for parent in read.parents if not _WILD & set(str(parent)))
        return fixed in written.parents
    return read.parent == written.parent and read.name.startswith(written.stem)
