"""What sources are fed with: micro-batches that become visible step by step, so that a run can stop between two."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path

from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Scan
from velostream.sources import SOURCES
from velostream.sources.base import Extent
from velostream.sources.file import matching
from velostream.sources.streams.given import GIVEN, write_batch
from velostream.testing.records import Records
from velostream.testing.settings import source_settings
from velostream.testing.spec import Case, Given
from velostream.testing.table_rows import TableRows

_LOCAL = ("file_source", "datagen_source")
"""Sources that need nothing outside."""
_CHANGES = "debezium_json"
"""How files hold changes, a line each."""


class Feed(ABC):
    """The input of one source. `batches` is how many micro-batches it has."""

    batches: int = 1

    @abstractmethod
    def scan(self, node: Scan) -> Scan:
        """The scan that reads this instead of what the application names."""

    @abstractmethod
    def reveal(self, until: int) -> None:
        """Makes all micro-batches before `until` visible."""


class Rows(Feed):
    """Rows of the specification."""

    def __init__(self, node: Scan, given: Given, case: Case, folder: Path, batches: int) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.batches = batches
        records = Records(node, case.day)
        clocks = case.clocks or (None,) * batches
        self.records = [records.batch(rows, clock) for rows, clock in zip(given.batches, clocks, strict=False)]
        self.records += [[] for _ in range(batches - len(self.records))]
        self.known = list(given.known) if given.known is not None else self._named()
        self.source = node.source
        self.shown = 0

    def _named(self) -> list[int]:
        return sorted({record["partition"] for batch in self.records for record in batch})

    def scan(self, node: Scan) -> Scan:
        """Over a folder with one file per micro-batch; the column `_partition` of a row is its partition."""
        settings = source_settings(node.source, {"type": "file_source", "path": str(self.folder), "format": "jsonl"})
        return replace(node, connector=GIVEN, settings=settings)

    def reveal(self, until: int) -> None:
        """Writes the files."""
        for number in range(self.shown, until):
            known = {"source": self.source, "partitions": self.known}
            write_batch(self.folder, number, known, self.records[number])
        self.shown = max(self.shown, until)


@dataclass
class Files(Feed):
    """Files that are read as a file_source reads them, from a folder that gets them in order of name."""

    given: Given
    base: Path
    folder: Path

    def __post_init__(self) -> None:
        settings = dict(self.given.settings or {})
        if "path" not in settings:
            raise self.given.place.refuse("'files' needs 'path'", "write path: data/*.jsonl")
        self.files = matching(settings["path"], self.base)
        if not self.files:
            raise self.given.place.refuse(f"no file matches '{settings['path']}'", "paths start from the specification")
        self.per_batch = int(settings.get("files.per.batch", len(self.files)))
        self.batches = -(-len(self.files) // self.per_batch)

    def scan(self, node: Scan) -> Scan:
        """A scan of the folder."""
        settings = {**(self.given.settings or {}), "path": str(self.folder), "files.per.batch": str(self.per_batch)}
        form = self.files[0].suffix.removeprefix(".")
        settings.setdefault("format", _CHANGES if node.changelog else "jsonl" if form == "ndjson" else form)
        if node.changelog and (settings["format"] != _CHANGES or node.key in ((), ("_key",))):
            raise _no_changes(node, self.given, f"files of {_CHANGES} are, where rows have a PRIMARY KEY")
        settled = _settings(node.source, settings, self.given)
        counted = settled.get("partitions")
        watermark = node.watermark if counted is None else replace(node.watermark, partitions=int(str(counted)))
        return replace(node, connector="file_source", settings=settled, watermark=watermark)

    def reveal(self, until: int) -> None:
        """Copies the files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number, file in enumerate(self.files[: until * self.per_batch]):
            target = self.folder / f"{number:06d}-{file.name}"
            if not target.exists():
                shutil.copyfile(file, target)


@dataclass
class Generated(Feed):
    """Records that a datagen_source makes, the same ones in every run; the application's own keeps its settings."""

    given: Given
    day: str

    def scan(self, node: Scan) -> Scan:
        """A scan of the generator; its first record is one of the case's day unless a start is set."""
        if node.changelog:
            raise _no_changes(node, self.given, "generated records are none")
        own = {value.key: value.text for value in node.settings} if node.connector == "datagen_source" else {}
        settings = {"start.time": f"{self.day}T00:00:00Z", **own, **(self.given.settings or {})}
        if "rows" not in settings:
            raise self.given.place.refuse("records are generated without end", "write rows: 1000")
        return replace(node, connector="datagen_source", settings=_settings(node.source, settings, self.given))

    def reveal(self, until: int) -> None:
        """There is nothing to be shown: they are made."""


def feeds_of(case: Case, plan: ApplicationPlan, folder: Path) -> dict[str, Feed | TableRows]:
    """What the sources and tables of the plan are fed with."""
    tables = {table.name.casefold(): table for table in plan.tables}
    scans = {scan.source.casefold(): scan for job in plan.jobs for scan in job.scans}
    counts = [len(given.batches) for name, given in case.given.items() if name.casefold() not in tables]
    feeds: dict[str, Feed | TableRows] = {}
    for name, given in case.given.items():
        scan, table = scans.get(name.casefold()), tables.get(name.casefold())
        if table is not None:
            feeds[name] = TableRows(table, given, case, folder / name)
            continue
        if scan is None:
            known = ", ".join(sorted([*(scan.source for scan in scans.values()), *(one.name for one in plan.tables)]))
            raise given.place.refuse(f"no job reads a source '{name}'", f"sources: {known}" if known else "remove it")
        feeds[name] = _feed(case, given, scan, folder / name, max(counts))
    for name in scans.keys() - {name.casefold() for name in feeds}:
        _refuse_outside(case, scans[name])
    return feeds


def _no_changes(node: Scan, given: Given, why: str) -> VeloError:
    """The error for what does not say whose row it is, and which of its changes."""
    message = f"'{node.source}' is a stream of changes: {why}"
    return given.place.refuse(message, "give its rows, those that are deleted with _op: d")


def _refuse_outside(case: Case, scan: Scan) -> None:
    """A test runs to its end, and needs nothing outside: a source that it gives nothing for must be so too."""
    if scan.connector not in _LOCAL or SOURCES[scan.connector].extent(scan.settings) is Extent.UNBOUNDED:
        message = f"nothing is given to source '{scan.source}', a {scan.connector} that does not end by itself"
        raise case.place.refuse(message, f"write inputs: {{{scan.source}: [{{column: value}}]}}")


def _feed(case: Case, given: Given, scan: Scan, folder: Path, batches: int) -> Feed:
    if given.settings is None:
        return Rows(scan, given, case, folder, batches)
    if given.settings["type"] == "datagen_source":
        return Generated(given, case.day)
    return Files(given, case.file.parent, folder)


def _settings(source: str, settings: dict[str, str], given: Given) -> Settings:
    try:
        return source_settings(source, settings)
    except VeloError as error:
        raise given.place.refuse(error.message, error.hint) from None
