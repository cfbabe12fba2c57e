"""Keys as text: one column as it is, several joined with `|`, in which `\\` and `|` are escaped and NULL is `\\N`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.formats.encoding.json_texts import json_texts
from velostream.formats.encoding.plain_texts import plain_texts

if TYPE_CHECKING:
    import pyarrow as pa

NULL = "\\N"


def key_texts(columns: Sequence[pa.Array]) -> pa.Array:
    """The keys of rows; a key of one column that is NULL is no key."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [json_texts(one) if pa.types.is_nested(one.type) else plain_texts(one) for one in columns]
    if len(texts) == 1:
        return pc.if_else(columns[0].is_valid(), texts[0], pa.scalar(None, pa.string()))
    parts = []
    for column, text in zip(columns, texts, strict=True):
        escaped = pc.replace_substring(pc.replace_substring(text, "\\", "\\\\"), "|", "\\|")
        parts.append(pc.if_else(column.is_valid(), escaped, NULL))
    return pc.binary_join_element_wise(*parts, "|")
