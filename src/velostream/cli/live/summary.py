"""What became of every record, when a run has ended: numbers that add up, and where everything is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.cli.live.figures import amount, rows_out, span

if TYPE_CHECKING:
    from rich.console import RenderableType

    from velostream.jobs.running import RunningJob
    from velostream.plan.nodes import SinkTarget

_CLASSES = (
    ("in results", "in_results"),
    ("filtered", "filtered"),
    ("open", "open"),
    ("dead letters", "dead_lettered"),
    ("dropped", "dropped"),
    ("duplicates", "duplicates"),
    ("unmatched", "unmatched"),
)
_ALWAYS = ("in_results", "filtered", "open", "dead_lettered", "dropped")


def classes(records: Mapping[str, Any]) -> dict[str, int]:
    """The classes of records by what people call them; those that few jobs have, only where they have any."""
    found = {}
    for name, key in _CLASSES:
        count = records[key] if isinstance(records[key], int) else sum(records[key].values())
        if count or key in _ALWAYS:
            found[name] = count
    return found


def sentence(job: Mapping[str, Any]) -> str:
    """What became of the records of a job, in one line of numbers that add up."""
    records = job["records"]
    more = [f" + {records[name]:,} {name}" for name in ("expanded", "replayed") if records[name]]
    read = f"{records['read']:,} read" + "".join(more)
    parts = " + ".join(f"{count:,} {name}" for name, count in classes(records).items())
    return f"{job['name']} {job['state']}: {read} = {parts}"


def rows(job: Mapping[str, Any]) -> str:
    """How many rows went out, by kind."""
    parts = [f"{count:,} {kind}" for kind, count in job["emitted"].items() if count]
    return ", ".join(parts) or f"{rows_out(job):,}"


def table(jobs: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The same as a table for a terminal."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title="what became of every record", title_justify="left", header_style="dim")
    more = [name for name in ("expanded", "replayed") if any(job["records"][name] for job in jobs)]
    names = dict.fromkeys(name for job in jobs for name in classes(job["records"]))
    drawn.add_column("job")
    drawn.add_column("state")
    for name in (
        "read",
        *(f"+ {name}" for name in more),
        *(f"{'=' if not i else '+'} {n}" for i, n in enumerate(names)),
    ):
        drawn.add_column(name, justify="right")
    drawn.add_column("rec/s", justify="right")
    drawn.add_column("time", justify="right")
    for job in jobs:
        records = job["records"]
        counts = classes(records)
        style = "red" if job["state"] == "failed" else "green"
        drawn.add_row(
            Text(job["name"], style="bold"),
            Text(job["state"], style=style),
            f"{records['read']:,}",
            *(f"{records[name]:,}" for name in more),
            *(f"{counts.get(name, 0):,}" for name in names),
            amount(records["read"] / job["seconds"]) if job["seconds"] else "",
            span(job["seconds"]),
        )
    return drawn


def places(job: RunningJob, report: Mapping[str, Any], folder: Path) -> list[str]:
    """Where the results, the dead letters and the checkpoint of a job are."""
    from velostream.plan.nodes import Sinks

    lines = [f"{report['name']}: rows emitted: {rows(report)}"]
    for target in job.job.root.targets if isinstance(job.job.root, Sinks) else ():
        lines.append(f"  {target.name}: {_where(target, folder)}")
    dead = report["records"]["dead_lettered"]
    if dead:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(dead.items()))
        store = job.writer.letters
        lines.append(f"  dead letters: {reasons}, in {job.home.letters if store is None else store.shown}")
    lines += troubles(report)
    lines.append(f"  checkpoint: {job.home.folder}")
    return lines


def troubles(report: Mapping[str, Any]) -> list[str]:
    """What else went wrong, or is other than it was thought to be."""
    lines = []
    failed = ", ".join(f"{count:,} {reason}" for reason, count in sorted(report["failed_rows"].items()))
    if failed:
        lines.append(f"  rows that failed behind windows: {failed}, among the dead letters")
    if report["refused"]:
        lines.append(f"  refused by sinks: {report['refused']:,} rows")
    lines += [f"  lost: {count:,} records that '{source}' no longer had" for source, count in report["lost"].items()]
    for name, calls in report["circuit_breakers"].items():
        if calls["failures"]:
            failed = f"{calls['failures']:,} of {calls['calls']:,} calls failed"
            lines.append(f"  {name}: {failed}, the circuit is {calls['state']}: {calls.get('error', '')}")
    for source, fields in report["new_fields"].items():
        shown = ", ".join(f"{name} ({told['files']:,} files)" for name, told in fields.items())
        lines.append(f"  fields of '{source}' that its samples did not have, and that are not read: {shown}")
    return lines


def _where(target: SinkTarget, folder: Path) -> str:
    """What a sink writes to."""
    from velostream.sinks.writers.files import folder_of
    from velostream.sinks.writers.objects import is_store

    settings = target.settings
    if target.connector == "file_sink":
        path = settings.text("path")
        return path if is_store(path) else str(folder_of(settings, folder))
    if target.connector == "delta_sink":
        return f"Delta table {folder_of(settings, folder)}"
    if target.connector == "kafka_sink":
        return f"topic {settings.text('topic')} at {settings.text('bootstrap.servers')}"
    if target.connector == "database_sink":
        return f"table {settings.text('table')} at {settings.value('url').shown}"
    return settings.value("url").shown if target.connector == "http_sink" else target.connector
