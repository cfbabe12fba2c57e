"""Rows as lines of text: JSON and CSV in which no value loses a digit, a NULL or its zone."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from json.encoder import encode_basestring as in_quotes
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.config.settings import Settings

_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
"""All digits of a microsecond, so that nothing is lost and text sorts as time does."""
JSON_OPTIONS = {**_TIMES, "ignoreNullFields": "false"}
"""How Spark writes the same JSON."""
_SPACES = {"ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"}


def csv_options(settings: Settings | None = None) -> dict[str, str]:
    """How CSV is written, in Spark's words; a quote within quotes is doubled unless there is an escape."""
    if settings is None:
        return {**_TIMES, **_SPACES, "sep": ",", "quote": '"', "escape": '"', "nullValue": ""}
    quote = settings.text("csv.quote")
    null = settings.get("csv.null")
    return {
        **_TIMES,
        **_SPACES,
        "sep": settings.text("csv.delimiter"),
        "quote": quote,
        "escape": str(settings.get("csv.escape") or quote),
        "nullValue": "" if null is None else str(null),
    }


def json_lines(table: pa.Table) -> list[str]:
    """A JSON object for each row."""
    names = [in_quotes(name) for name in table.column_names]
    columns = [_texts(column, json_text) for column in table.columns]
    if not columns:
        return ["{}"] * table.num_rows
    pattern = "{" + ",".join(name.replace("%", "%%") + ":%s" for name in names) + "}"
    return [pattern % row for row in zip(*columns, strict=True)]


def csv_lines(table: pa.Table, options: dict[str, str]) -> list[str]:
    """A line of CSV for each row; nested values are JSON."""
    columns = []
    for column in table.columns:
        quoted = _quoting(options)
        texts = _texts(column, _csv_text)
        columns.append([options["nullValue"] if text is None else quoted(text) for text in texts])
    return [options["sep"].join(row) for row in zip(*columns, strict=True)]


def csv_header(columns: Sequence[str], options: dict[str, str]) -> str:
    """The line with the names of the columns."""
    return options["sep"].join(map(_quoting(options), columns))


def _texts(column: pa.ChunkedArray, text_of: Callable[[pa.DataType], Callable[[Any], Any]]) -> list[Any]:
    """The texts of a column's values; those of times, of which there are many alike, by the column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_timestamp(column.type) and column.type.unit == "us":
        zone = "Z" if column.type.tz else ""
        column = pc.strftime(column, format=f"%Y-%m-%dT%H:%M:%S{zone}")
    return list(map(text_of(column.type), column.to_pylist()))


def json_text(kind: pa.DataType) -> Callable[[Any], str]:
    """The function that writes a value of a type as JSON."""
    value = _json_value(kind)
    return lambda given: "null" if given is None else value(given)


def _json_value(kind: pa.DataType) -> Callable[[Any], str]:
    import pyarrow as pa

    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return in_quotes
    if types.is_boolean(kind):
        return lambda flag: "true" if flag else "false"
    if types.is_struct(kind):
        names = [(in_quotes(field.name), field.name, json_text(field.type)) for field in kind]
        return lambda row: "{" + ",".join(f"{shown}:{text(row[name])}" for shown, name, text in names) + "}"
    if types.is_list(kind) or types.is_large_list(kind):
        item = json_text(kind.value_type)
        return lambda items: "[" + ",".join(map(item, items)) + "]"
    if types.is_map(kind):
        key, item = _plain(kind.key_type), json_text(kind.item_type)
        return lambda pairs: "{" + ",".join(f"{in_quotes(key(name))}:{item(value)}" for name, value in pairs) + "}"
    plain = _plain(kind)
    if types.is_integer(kind) or types.is_decimal(kind):
        return plain
    if types.is_floating(kind):
        return lambda number: plain(number) if math.isfinite(number) else f'"{plain(number)}"'
    return lambda given: in_quotes(plain(given))


def _csv_text(kind: pa.DataType) -> Callable[[Any], str | None]:
    import pyarrow as pa

    text = json_text(kind) if pa.types.is_nested(kind) else _plain(kind)
    return lambda given: None if given is None else text(given)


def _plain(kind: pa.DataType) -> Callable[[Any], str]:
    """The function that writes a value that holds no others, without quotes."""
    import pyarrow as pa

    types = pa.types
    if types.is_boolean(kind):
        return lambda flag: "true" if flag else "false"
    if types.is_float32(kind):
        import numpy as np

        return lambda number: _number(number, str(np.float32(number)))
    if types.is_floating(kind):
        return lambda number: _number(number, repr(number))
    if types.is_decimal(kind):
        return lambda number: format(number, "f")
    if types.is_binary(kind) or types.is_large_binary(kind):
        return lambda data: base64.b64encode(data).decode()
    if types.is_timestamp(kind):
        return _time
    return str


def _number(number: float, text: str) -> str:
    if math.isfinite(number):
        return text
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _time(time: datetime) -> str:
    if time.tzinfo is None:
        return time.isoformat(timespec="microseconds")
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _quoting(options: dict[str, str]) -> Callable[[str], str]:
    """The function that puts quotes around what would else be read as something else."""
    quote, escape, null = options["quote"], options["escape"], options["nullValue"]
    special = re.compile("[" + re.escape(options["sep"] + quote + escape) + "\r\n]")

    def quoted(text: str) -> str:
        if text and text != null and not special.search(text):
            return text
        if escape != quote:
            text = text.replace(escape, 2 * escape)
        return quote + text.replace(quote, escape + quote) + quote

    return quoted
