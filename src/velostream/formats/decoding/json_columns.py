"""JSON texts as columns, many at once, where every reader of JSON agrees on what they say.

All else is left to who asks: texts that are not one object, keys that come twice, values that are not of the type of
their column, numbers and times in unusual forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from velostream.durations import FIRST
from velostream.types import Type

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Places = np.ndarray[Any, np.dtype[np.int64]]

_PLAIN = ("STRING", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DOUBLE")
_LOOKED_AT = ("DECIMAL", "TIMESTAMP")
"""Types whose values are looked at once more, which is done of columns only, not of what is inside of others."""
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?Z?$"
_LONG = 1_000
"""Up to so many bytes, no text has a number or a depth at which readers give up."""
_PARTS, _FEW = 8, 256
"""A piece in which something is odd is read again in so many parts, until they are as small as this."""
_MOST_BYTES = 1 << 28


def is_plain(kind: Type) -> bool:
    """True for types whose values can be read here."""
    return kind.name in _LOOKED_AT or _is_plain_inside(kind)


def _is_plain_inside(kind: Type) -> bool:
    if kind.name == "STRUCT":
        return all(_is_plain_inside(member) for _, member in kind.fields)
    return _is_plain_inside(kind.arguments[0]) if kind.name == "ARRAY" else kind.name in _PLAIN


def read_columns(texts: pa.Array, schema: pa.Schema) -> tuple[pa.Table, Places]:
    """The columns of texts (bytes or strings; NULL is none), and which of the texts they are."""
    import numpy as np
    import pyarrow as pa

    texts = texts.cast(pa.binary()) if pa.types.is_string(texts.type) else texts
    read = pa.schema([pa.field(one.name, _as_read(one.type)) for one in schema])
    tables, places = [read.empty_table()], [np.empty(0, np.int64)]
    for where in _candidates(texts):
        for table, held in _parts(texts, where, read):
            tables.append(table)
            places.append(held)
    table, taken = pa.concat_tables(tables), np.concatenate(places)
    fits = np.ones(len(taken), bool)
    columns = []
    for one in schema:
        column, good = _fitted(table[one.name].combine_chunks(), one.type)
        columns.append(column)
        fits &= good
    made = pa.table(columns, schema=schema)
    return (made, taken) if fits.all() else (made.filter(pa.array(fits)), taken[fits])


def _as_read(kind: pa.DataType) -> pa.DataType:
    """Times are read as texts: which forms of them are plain is told here, not by Arrow."""
    import pyarrow as pa

    return pa.string() if pa.types.is_timestamp(kind) else kind


def _candidates(texts: pa.Array) -> Iterator[Places]:
    """The places of texts that may be one object each, in pieces that can be read at once."""
    import numpy as np
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False)
    looks = pc.and_(pc.starts_with(texts, b"{"), pc.ends_with(texts, b"}"))
    good = pc.fill_null(looks, fill_value=False).to_numpy(zero_copy_only=False) & (lengths < _MOST_BYTES)
    for place in np.flatnonzero(good & (lengths > _LONG)):
        text = texts[int(place)].as_py()
        good[place] = text.count(b"{") + text.count(b"[") < _LONG and not _has_long_number(text)
    where = np.flatnonzero(good)
    ends = np.cumsum(lengths[where])
    first = 0
    while first < len(where):
        before = ends[first - 1] if first else 0
        last = max(int(np.searchsorted(ends, before + _MOST_BYTES)), first + 1)
        yield where[first:last]
        first = last


def _has_long_number(text: bytes) -> bool:
    import re

    return re.search(rb"[0-9.]{500}", text) is not None


def _parts(texts: pa.Array, where: Places, schema: pa.Schema) -> Iterator[tuple[pa.Table, Places]]:
    """The columns of some texts; where odd ones are among them, of the parts that have none.

    Where every part has some, they are everywhere, and to look for the others would cost too much.
    """
    import numpy as np

    pending = [[where]]
    while pending:
        parts = pending.pop()
        found = [(_read(texts, part, schema), part) for part in parts]
        for table, part in found:
            if table is not None:
                yield table, part
            elif len(part) > _FEW and (part is where or any(table is not None for table, _ in found)):
                pending.append(np.array_split(part, _PARTS))


def _read(texts: pa.Array, where: Places, schema: pa.Schema) -> pa.Table | None:
    """The columns of texts, each of which begins and ends as an object does; None where something is odd."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.json as pj

    chosen = texts if len(where) == len(texts) else texts.take(pa.array(where))
    try:
        joined = pc.binary_join(pa.ListArray.from_arrays([0, len(chosen)], chosen), b"\n")
        data = joined.cast(pa.string())[0].as_buffer()  # what is not UTF-8 is found out here
        table = pj.read_json(
            pa.BufferReader(data),
            read_options=pj.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=pj.ParseOptions(
                explicit_schema=schema, newlines_in_values=True, unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid:
        return None
    # Each text has at least one object, so that none of them has two where there are as many objects as texts.
    return table.select(schema.names) if table.num_rows == len(where) else None


def _fitted(column: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Any]:
    """A column as its type, and which of its values are plain."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = np.ones(len(column), bool)
    if pa.types.is_timestamp(kind):
        return _times(column, kind)
    if pa.types.is_floating(kind):
        good = pc.fill_null(pc.is_finite(column), fill_value=True)
    elif pa.types.is_decimal(kind):
        most = pa.scalar(Decimal(10**kind.precision - 1).scaleb(-kind.scale, Context(prec=40)), kind)
        good = pc.fill_null(pc.less_equal(pc.abs(column), most), fill_value=True)
    else:
        return column, whole
    return column, good.to_numpy(zero_copy_only=False)


def _times(texts: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Any]:
    """Texts as times, and which of them are: days and times of day in digits, in UTC."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = pc.match_substring_regex(texts, _TIME)
    times = pc.utf8_rtrim(pc.if_else(plain, texts, None), "Z")
    try:
        made = times.cast(pa.timestamp("us"))
    except pa.ArrowInvalid:  # a 30th of February among them
        import polars as pl

        spelled = pl.Series(times).str.replace(" ", "T", literal=True)
        read = spelled.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False)
        made = read.cast(pl.Datetime("us")).to_arrow().cast(pa.timestamp("us"))
    good = pc.or_(pc.is_null(texts), pc.is_valid(made)).to_numpy(zero_copy_only=False)
    first = pc.fill_null(pc.greater_equal(made.cast(pa.int64()), FIRST), fill_value=True)
    return made.cast(kind), np.logical_and(good, first.to_numpy(zero_copy_only=False))
