"""Rows that a format or a schema has no form for are found: they cost themselves, and not the rows beside them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.formats.encoding.encoders import Encoder

FAILS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
"""What encoders and their libraries raise for a value: a NULL where none may be, a number that does not fit."""


def encode(encoder: Encoder, rows: pa.Table | pa.RecordBatch) -> tuple[list[bytes | None], dict[int, str]]:
    """What is made of each row, and for the places of those of which nothing can be made, why."""
    try:
        return encoder(rows).to_pylist(), {}
    except FAILS as error:
        if rows.num_rows == 1:
            return [None], {0: f"the row cannot be encoded: {str(error) or type(error).__name__}"}
    half = rows.num_rows // 2
    first, failed = encode(encoder, rows.slice(0, half))
    second, more = encode(encoder, rows.slice(half))
    return first + second, failed | {half + place: why for place, why in more.items()}
