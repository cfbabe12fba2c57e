"""Rows as lines of CSV, a whole column at once; nested values are JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.formats.encoding.json_texts import json_texts
from velostream.formats.encoding.plain_texts import plain_texts, whole

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.config.settings import Settings


@dataclass(frozen=True, slots=True)
class CsvStyle:
    """How CSV is written; a quote within quotes is doubled unless there is an escape."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    null: str = ""

    @classmethod
    def of(cls, settings: Settings) -> CsvStyle:
        """As the settings `csv.*` say."""
        quote, null = settings.text("csv.quote"), settings.get("csv.null")
        escape = str(settings.get("csv.escape") or quote)
        return cls(settings.text("csv.delimiter"), quote, escape, "" if null is None else str(null))


def csv_rows(rows: pa.Table | pa.RecordBatch, style: CsvStyle) -> pa.Array:
    """A line of CSV for each row, as an array of texts."""
    import pyarrow.compute as pc

    columns = []
    for column in rows.columns:
        columns.append(pc.fill_null(_quoted(_texts(whole(column)), style), style.null))
    return pc.binary_join_element_wise(*columns, style.delimiter)


def csv_header(columns: Sequence[str], style: CsvStyle) -> str:
    """The line with the names of the columns."""
    import pyarrow as pa

    return style.delimiter.join(_quoted(pa.array(list(columns), pa.string()), style).to_pylist())


def _texts(values: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_nested(values.type):
        return plain_texts(values)
    return pc.if_else(values.is_valid(), json_texts(values), pa.scalar(None, pa.string()))


def _quoted(texts: pa.Array, style: CsvStyle) -> pa.Array:
    """Quotes around what would else be read as something else: an empty text or one that means NULL, too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    special = "[" + re.escape(style.delimiter + style.quote + style.escape) + "\r\n]"
    needed = pc.or_(pc.match_substring_regex(texts, special), pc.is_in(texts, pa.array(["", style.null], pa.string())))
    needed = pc.fill_null(needed, False)
    if not pc.any(needed).as_py():
        return texts
    return pc.replace_with_mask(
        texts, needed, pa.array([_in_quotes(one, style) for one in texts.filter(needed).to_pylist()], pa.string())
    )


def _in_quotes(text: str | None, style: CsvStyle) -> str | None:
    if text is None:
        return None
    if style.escape != style.quote:
        text = text.replace(style.escape, 2 * style.escape)
    return style.quote + text.replace(style.quote, style.escape + style.quote) + style.quote
