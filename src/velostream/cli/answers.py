"""Rows of an answer as text: a table for people, JSON lines or CSV for programs."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def _as_json(rows: pa.Table) -> str:
    return "".join(json.dumps(row, default=str, ensure_ascii=False) + "\n" for row in rows.to_pylist())


def _as_csv(rows: pa.Table) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(rows.column_names)
    writer.writerows([_text(value) for value in row.values()] for row in rows.to_pylist())
    return written.getvalue()


def _as_table(rows: pa.Table) -> str:
    """Columns side by side, as wide as their longest value."""
    lines = rows.to_pylist()
    cells = [rows.column_names, *(["NULL" if one is None else _text(one) for one in row.values()] for row in lines)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(rows.column_names))]
    shown = ["  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    shown.insert(1, "  ".join("-" * width for width in widths))
    count = rows.num_rows
    return "\n".join(shown) + f"\n({count} row{'' if count == 1 else 's'})\n"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


FORMS = {"table": _as_table, "json": _as_json, "csv": _as_csv}
