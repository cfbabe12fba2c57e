"""What a job reads that another one of the application writes: it may not be there when the reader starts."""

from __future__ import annotations

from pathlib import Path

from velostream.plan.job import Job


def make_places(job: Job, folder: Path) -> None:
    """Makes the topics and folders that sinks of other jobs write and this one reads back, as these sinks would; one
    that a sink may not make is an error. Relative paths start from `folder`."""
    for back in (scan.read_back for scan in job.scans):
        if back is None or back.settings is None:
            continue
        if "topic" in back.settings.values:
            from velostream.sinks.writers.kafka_topic import open_topic

            open_topic(back.sink, back.settings)
        else:
            _make_folder(back.settings.text("path"), folder)


def _make_folder(path: str, folder: Path) -> None:
    from velostream.sinks.writers.objects import is_store

    if not is_store(path):
        (folder / path).mkdir(parents=True, exist_ok=True)
