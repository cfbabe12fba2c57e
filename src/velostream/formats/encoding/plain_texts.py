"""Values that hold no others as text, a whole column at once: every digit, times in ISO form, bytes in base64."""

from __future__ import annotations

import base64
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_DAY, _SECOND = 86_400_000_000, 1_000_000


def plain_texts(values: pa.Array) -> pa.Array:
    """The texts of an array's values, without quotes; NULL stays NULL."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, types = values.type, pa.types
    if types.is_string(kind):
        return values
    if types.is_timestamp(kind):
        return _times(values)
    if types.is_floating(kind):
        return _numbers(values)
    if types.is_decimal(kind):
        return _decimals(values)
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        texts = [None if one is None else base64.b64encode(one).decode() for one in values.to_pylist()]
        return pa.array(texts, pa.string())
    if types.is_integer(kind) or types.is_boolean(kind) or types.is_date(kind) or types.is_large_string(kind):
        return pc.cast(values, pa.string())
    return pa.array([None if one is None else str(one) for one in values.to_pylist()], pa.string())


def _numbers(values: pa.Array) -> pa.Array:
    """The shortest digits that mean the same number, and always a sign that it is not a whole one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.cast(values, pa.string())
    whole = pc.fill_null(pc.invert(pc.match_substring_regex(texts, "[.en]")), False)
    if pc.any(whole).as_py():
        texts = pc.if_else(whole, pc.binary_join_element_wise(texts, ".0", ""), texts)
    finite = pc.fill_null(pc.is_finite(values), True)
    if pc.all(finite).as_py() is False:
        named = pc.if_else(pc.is_nan(values), "NaN", pc.if_else(pc.greater(values, 0), "Infinity", "-Infinity"))
        texts = pc.if_else(finite, texts, named)
    return texts


def _decimals(values: pa.Array) -> pa.Array:
    """All digits behind the point; Arrow writes small ones with an exponent."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.cast(values, pa.string())
    short = pc.fill_null(pc.match_substring(texts, "E"), False)
    if not pc.any(short).as_py():
        return texts
    return pc.replace_with_mask(
        texts, short, pa.array([format(one, "f") for one in values.filter(short).to_pylist()], pa.string())
    )


def _times(values: pa.Array) -> pa.Array:
    """Times with all six digits of a second; those in a zone in UTC, with a Z.

    Put together from days, of which a column has few, from the seconds of a day and from digits: a call for each value
    would take twenty times as long.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    zone = "Z" if values.type.tz else ""
    if values.type.unit != "us":
        values = values.cast(pa.timestamp("us", values.type.tz), safe=False)
    micros = pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    days, within = np.divmod(micros, _DAY)
    seconds, digits = np.divmod(within, _SECOND)
    known, places = np.unique(days, return_inverse=True)
    dates = pc.cast(pa.array(known.astype(np.int32)).cast(pa.date32()), pa.string())
    fraction = pc.utf8_slice_codeunits(pc.cast(pa.array(digits + _SECOND), pa.string()), 1)
    texts = pc.binary_join_element_wise(
        dates.take(pa.array(places)), "T", _clock().take(pa.array(seconds)), ".", fraction, zone, ""
    )
    return texts if not values.null_count else pc.if_else(values.is_valid(), texts, pa.scalar(None, pa.string()))


@cache
def _clock() -> Any:
    """The texts of all seconds of a day."""
    import pyarrow as pa

    return pa.array([f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}" for second in range(86_400)])


def whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    import pyarrow as pa

    if isinstance(column, pa.Array):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
