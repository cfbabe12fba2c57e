"""Rows as JSON text, a whole column at once: no value loses a digit, a NULL or its zone.

Numbers that are none (NaN, Infinity) are texts, times and dates are texts in ISO form, bytes are base64, a map is an
object whose names are the texts of its keys.
"""

from __future__ import annotations

from json.encoder import encode_basestring as in_quotes
from typing import TYPE_CHECKING

from velostream.formats.encoding.plain_texts import plain_texts, whole

if TYPE_CHECKING:
    import pyarrow as pa

_SPECIAL = r'["\\\x00-\x1f]'


def json_rows(rows: pa.Table | pa.RecordBatch) -> pa.Array:
    """A JSON object for each row, as an array of texts."""
    import pyarrow as pa

    columns = [whole(column) for column in rows.columns]
    if not columns:
        return pa.array(["{}"] * rows.num_rows, pa.string())
    return _objects(rows.schema.names, columns)


def json_texts(values: pa.Array) -> pa.Array:
    """The JSON of an array's values; NULL is `null`."""
    import pyarrow.compute as pc

    texts = _texts(values)
    return pc.fill_null(texts, "null") if texts.null_count else texts


def _texts(values: pa.Array) -> pa.Array:
    """The JSON of values; where a value is NULL, so may the text be."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, types = values.type, pa.types
    if types.is_struct(kind):
        names = [field.name for field in kind]
        made = _objects(names, values.flatten()) if names else pa.array(["{}"] * len(values), pa.string())
    elif types.is_map(kind):
        made = _maps(values)
    elif types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        made = _joined("[", values, json_texts(values.flatten()), "]")
    elif types.is_integer(kind) or types.is_decimal(kind) or types.is_boolean(kind):
        return plain_texts(values)
    elif types.is_floating(kind):
        texts = plain_texts(values)
        none = pc.fill_null(pc.invert(pc.is_finite(values)), False)
        return pc.if_else(none, _between('"', texts, '"'), texts) if pc.any(none).as_py() else texts
    else:
        return quoted(plain_texts(values))
    return pc.if_else(values.is_valid(), made, pa.scalar(None, pa.string())) if values.null_count else made


def quoted(texts: pa.Array) -> pa.Array:
    """Texts in quotes; those few that hold what JSON writes in another way are written one by one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = _between('"', texts, '"')
    special = pc.fill_null(pc.match_substring_regex(texts, _SPECIAL), False)
    if not pc.any(special).as_py():
        return plain
    written = pa.array([in_quotes(one) for one in texts.filter(special).to_pylist()], pa.string())
    return pc.replace_with_mask(plain, special, written)


def _objects(names: list[str], columns: list[pa.Array]) -> pa.Array:
    import pyarrow.compute as pc

    parts: list[object] = []
    for name, column in zip(names, columns, strict=True):
        parts += ["," if parts else "{", f"{in_quotes(name)}:", json_texts(column)]
    return pc.binary_join_element_wise(*parts, "}", "")


def _maps(values: pa.Array) -> pa.Array:
    """Pairs of names and values; a map's keys are never NULL."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first, last = values.offsets[0].as_py(), values.offsets[-1].as_py()
    keys, items = values.keys, values.items
    if len(keys) != last - first:
        keys, items = keys.slice(first, last - first), items.slice(first, last - first)
    pairs = pc.binary_join_element_wise(quoted(plain_texts(keys)), json_texts(items), ":")
    offsets = pc.subtract(values.offsets, pa.scalar(first, pa.int32()))
    return _between("{", pc.binary_join(pa.ListArray.from_arrays(offsets, pairs), ","), "}")


def _joined(opening: str, values: pa.Array, texts: pa.Array, closing: str) -> pa.Array:
    """The texts of the members of lists, joined list by list."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(values), 0).cast(pa.int32())
    ends = pc.cumulative_sum(lengths)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    return _between(opening, pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ","), closing)


def _between(opening: str, texts: pa.Array, closing: str) -> pa.Array:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(opening, texts, closing, "")
