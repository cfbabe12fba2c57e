"""Rows to the terminal: as plain lines, JSON or CSV; a terminal may draw the plain ones as a table."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from velostream.formats.encoding.csv_texts import CsvStyle, csv_header, csv_rows
from velostream.formats.encoding.json_texts import json_rows
from velostream.sinks.writers.batch import Batch, BatchRows

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.config.settings import Settings

NULL = "NULL"
_headed: set[tuple[str, str]] = set()
"""The sinks that have shown their CSV header in this process."""


@dataclass(frozen=True)
class Shown:
    """Rows to be shown. As text a line for each row; `name` is the sink or the job."""

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    table: pa.Table | None = field(default=None, repr=False, compare=False)
    """The same rows with their types."""

    def __str__(self) -> str:
        lines = [
            "  ".join(f"{name}={shown(value)}" for name, value in zip(self.columns, row, strict=True))
            for row in self.rows
        ]
        return "\n".join(lines)


def shown(value: Any) -> str:
    """A value for people: times in ISO form, NULL by its name, nested values as JSON."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date):
        return _time(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, default=_plain, ensure_ascii=False)
    return str(value)


def _time(value: date) -> str:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat()


def _plain(value: Any) -> Any:
    return shown(value)


def write_console(name: str, rows: BatchRows, settings: Settings | None, batch: Batch) -> None:
    """Shows the rows of a micro-batch."""
    table = None if rows.none else rows.table()
    if table is None or not table.num_rows:
        return
    form = "table" if settings is None else settings.text("format")
    if form == "table":
        columns = [column.to_pylist() for column in table.columns]
        batch.show(Shown(name, tuple(table.column_names), list(zip(*columns, strict=True)), table))
    elif form == "json":
        batch.show("\n".join(json_rows(table).to_pylist()))
    else:
        head = [] if (batch.query, name) in _headed else [csv_header(table.column_names, CsvStyle())]
        _headed.add((batch.query, name))
        batch.show("\n".join([*head, *csv_rows(table, CsvStyle()).to_pylist()]))
