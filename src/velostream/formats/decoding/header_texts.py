"""Headers of messages as JSON texts, in which they cross to a worker, as the lists that they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def listed(texts: pa.Array, kind: pa.ListType) -> pa.Array:
    """Lists of keys and values. A text is what Spark writes of one, with values in base64; NULL is one without any."""
    import numpy as np
    import pyarrow as pa

    lengths = np.zeros(len(texts), np.int32)
    members = pa.array([], kind.value_type)
    if texts.null_count < len(texts):
        held = _read(texts.drop_null())
        lengths[texts.is_valid().to_numpy(zero_copy_only=False)] = held.value_lengths().to_numpy()
        members = _decoded(held.flatten(), kind.value_type)
    return pa.ListArray.from_arrays(pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32()), members)


def _read(texts: pa.Array) -> pa.ListArray:
    """Texts without NULL, read at once as lines of JSON."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.json as pj

    member = pa.struct({"key": pa.string(), "value": pa.string()})
    schema = pa.schema({"held": pa.list_(member)})
    lines = pc.binary_join_element_wise('{"held":', texts, "}\n", "")
    data = pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "")[0].as_buffer()
    table = pj.read_json(
        pa.BufferReader(data),
        read_options=pj.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pj.ParseOptions(explicit_schema=schema),
    )
    return table["held"].combine_chunks()


def _decoded(members: pa.StructArray, kind: pa.StructType) -> pa.Array:
    """Keys and values, of bytes again."""
    import polars as pl
    import pyarrow as pa

    values = pl.Series(members.field("value")).str.decode("base64").to_arrow().cast(pa.binary())
    return pa.StructArray.from_arrays([members.field("key"), values], fields=list(kind))
