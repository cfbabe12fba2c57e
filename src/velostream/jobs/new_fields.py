"""Fields that came after the columns of a source were taken from samples: they are not added, but counted and said.

Every file is looked at once, as the schema was sampled: by its header, its schema, or its first records; one that grows
again where it has grown. What was found is kept beside the accounts of the job, a line for each look, so that a restart
goes on counting.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.events import LOGGER, BatchEnded, Event, Events
from velostream.formats.schemas.column_list import read_columns
from velostream.jobs.inferred import KEPT
from velostream.sources.file import matching
from velostream.sources.streams.decoding import COLUMNAR, FileForm, text_records
from velostream.sources.streams.file_checks import column_names
from velostream.sources.streams.growing import whole_lines
from velostream.sources.streams.reading import form_of

if TYPE_CHECKING:
    from velostream.plan.job import Job
    from velostream.plan.nodes import Scan

FILE = "new-fields.jsonl"
RECORDS = 100
"""The first so many records of a file of JSON are looked at."""
_JSON = ("json", "jsonl")
_log = logging.getLogger(LOGGER)


@dataclass
class NewFields:
    """The fields that the files of sampled sources have beyond the sampled ones; listens to the job."""

    job: str
    scans: tuple[tuple[Scan, frozenset[str]], ...]
    """The sources whose columns were sampled, with the names of these, in small letters."""
    folder: Path
    file: Path
    looked: dict[tuple[str, str], int] = field(default_factory=dict)
    """The files that were looked at, by source and path; of those that grow, how many bytes."""
    fields: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """The new fields of each file, in small letters."""
    found: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """Of each source and field: how many files have it, and which was the first."""

    def __post_init__(self) -> None:
        for line in self.file.read_text().splitlines() if self.file.exists() else ():
            self._take(**json.loads(line))

    def __call__(self, event: Event) -> None:
        """After each micro-batch that was written."""
        if isinstance(event, BatchEnded) and event.job == self.job and not event.error:
            self.look()

    def look(self) -> None:
        """Looks at the files that it has not seen yet."""
        lines = []
        for scan, known in self.scans:
            form = form_of(scan)
            growing = scan.settings.boolean("growing")
            for path in matching(scan.settings.text("path"), self.folder):
                before = self.looked.get((scan.source, str(path)))
                end = whole_lines(str(path), before or 0) if growing else 0
                if before is not None and end <= before:
                    continue
                had = self.fields.get((scan.source, str(path)), set()) | known
                piece = (before or 0, end) if growing else (0, None)
                new = [name for name in fields_of(str(path), form, *piece) if name.casefold() not in had]
                self._take(scan.source, str(path), new, end)
                said = {"source": scan.source, "path": str(path), "fields": new, "end": end}
                lines.append(json.dumps(said) + "\n")
        if lines:
            with self.file.open("a") as file:
                file.writelines(lines)

    def _take(self, source: str, path: str, fields: list[str], end: int = 0) -> None:
        self.looked[(source, path)] = end
        self.fields.setdefault((source, path), set()).update(name.casefold() for name in fields)
        for name in fields:
            held = self.found.setdefault(source, {}).setdefault(name, {"files": 0, "first": path})
            held["files"] += 1
            if held["files"] == 1:
                text = "job '%s': '%s' has a field '%s' since '%s' that its columns, taken from samples, do not have"
                _log.warning(text, self.job, source, name, path)


def fields_of(path: str, form: FileForm, start: int = 0, end: int | None = None) -> list[str]:
    """The fields of a file, or of a piece of one; of one that cannot be read, which its records say, none."""
    try:
        if form.format in COLUMNAR or (form.format == "csv" and form.csv.header):
            return [name.strip() for name in column_names(path, form)]
        return _json_fields(path, form, start, end) if form.format in _JSON else []
    except (VeloError, OSError):
        return []


def _json_fields(path: str, form: FileForm, start: int, end: int | None) -> list[str]:
    found: dict[str, None] = {}
    for record in islice(text_records(path, form, start, end), RECORDS):
        try:
            value = json.loads(record.value or "null")
        except ValueError:
            continue
        found |= dict.fromkeys(value if isinstance(value, dict) else ())
    return list(found)


def new_fields_of(job: Job, home: Path, checkpoint: Path, folder: Path, events: Events) -> NewFields | None:
    """What looks for new fields of a job, whose folder is `home`; None where no columns of its sources were sampled."""
    kept = checkpoint / KEPT
    sampled = json.loads(kept.read_text()) if kept.exists() else {}
    scans = tuple(
        (scan, frozenset(column.name.casefold() for column in read_columns(sampled[scan.source])))
        for scan in job.scans
        if scan.connector == "file_source" and scan.source in sampled
    )
    if not scans:
        return None
    made = NewFields(job.name, scans, folder, home / FILE)
    events.subscribe(made)
    return made
