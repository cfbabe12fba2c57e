"""Rows of a specification for a table that an application loads from outside: all are there before a job starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from velostream.config.tables import TABLES
from velostream.plan.fields import Field
from velostream.plan.job import LoadedTable
from velostream.sources.file import matching
from velostream.testing.records import Records
from velostream.testing.settings import table_settings
from velostream.testing.spec import Case, Given


@dataclass(frozen=True)
class _Times:
    """The column whose times may be written as in a specification."""

    column: str
    format: str = "epoch_millis"


@dataclass(frozen=True)
class _AsScan:
    """A table as the maker of records takes a source."""

    source: str
    declared: tuple[Field, ...]
    settings: Any
    event_time: _Times
    changelog: bool = False


class TableRows:
    """The rows of a table, in a file that is loaded in place of what the application names."""

    batches = 1

    def __init__(self, table: LoadedTable, given: Given, case: Case, folder: Path) -> None:
        if len([batch for batch in given.batches if batch]) > 1 or (given.batches and not given.batches[0]):
            message = f"'{table.name}' is a table: its rows are there from the beginning"
            raise given.place.refuse(message, "write them below inputs: of the case, or of its first micro-batch")
        self.given = given
        self.base = case.file.parent
        self.file = folder / "rows.jsonl"
        chosen = table.settings.get("version.time") if table.settings is not None else None
        source = _AsScan(table.name, table.columns, table.settings, _Times(str(chosen or "")))
        records = Records(source, case.day)  # type: ignore[arg-type]
        self.records = [one["value"] for batch in given.batches for one in records.batch(batch)]

    def table(self, table: LoadedTable) -> LoadedTable:
        """The table over the rows of the specification; how it is kept stays as the application says."""
        said = {value.key: value.text for value in table.settings if value.key in _KEPT} if table.settings else {}
        settings = {**said, "type": "file_source", "path": str(self.file), "format": "jsonl"}
        if self.given.settings is not None:
            settings = {**said, **self.given.settings}
            files = matching(settings.get("path", ""), self.base)
            if not files:
                hint = "paths start from the specification"
                raise self.given.place.refuse(f"no file matches '{settings.get('path', '')}'", hint)
            settings["path"] = str(self.base / settings["path"])
            settings.setdefault("format", files[0].suffix.removeprefix("."))
        return replace(table, connector="file_source", settings=table_settings(table.name, settings))

    def reveal(self, until: int) -> None:
        """Writes the file, once."""
        if not self.file.exists():
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text("".join(f"{record}\n" for record in self.records))


_KEPT = {one.name for one in TABLES}
"""The settings of a table that say how it is kept, not where it comes from."""
