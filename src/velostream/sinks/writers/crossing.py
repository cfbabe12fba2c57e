"""Rows from Spark to Arrow: lists and maps that are NULL cross as empty ones, and become NULL again behind.

Spark's writer of Arrow goes back over all NULLs that lie before each NULL among lists, so that a column of hundreds of
thousands of NULLs, as the lists of rows that WHERE left out are, would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

    Mapped = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_TURNED = "_turned_"
"""What the names of columns begin with that cross in another form."""
_VALUE, _NULL = f"{_TURNED}value", f"{_TURNED}null"


def map_in_arrow(frame: DataFrame, function: Mapped, schema: str) -> DataFrame:
    """`frame.mapInArrow(function, schema)`."""
    turned = _turned(frame)
    return frame.mapInArrow(function, schema) if turned is frame else turned.mapInArrow(_Behind(function), schema)


def to_arrow(frame: DataFrame) -> pa.Table:
    """`frame.toArrow()`."""
    import pyarrow as pa

    turned = _turned(frame)
    if turned is frame:
        return frame.toArrow()
    table = turned.toArrow()
    batches = table.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
    return pa.Table.from_batches(list(restored(batches)))


def restored(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches with the columns that they had before they crossed."""
    import pyarrow as pa

    for batch in batches:
        fields, columns = [], []
        for field, held in zip(batch.schema, batch.columns, strict=True):
            is_turned = field.name.startswith(_TURNED)
            columns.append(_restored(held) if is_turned else held)
            fields.append(pa.field(field.name.removeprefix(_TURNED), columns[-1].type) if is_turned else field)
        yield pa.record_batch(columns, schema=pa.schema(fields))


@dataclass(frozen=True)
class _Behind:
    """A function over batches as they were before they crossed."""

    function: Mapped

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self.function(restored(batches))


def _turned(frame: DataFrame) -> DataFrame:
    """The frame with columns that hold lists as they cross; the frame itself where there are none."""
    from pyspark.sql import functions as F  # noqa: N812

    if not any(_has_lists(field.dataType) for field in frame.schema):
        return frame
    columns = []
    for field in frame.schema:
        held = F.col("`" + field.name.replace("`", "``") + "`")
        turns = _has_lists(field.dataType)
        columns.append(_turn(held, field.dataType).alias(f"{_TURNED}{field.name}") if turns else held)
    return frame.select(*columns)


def _has_lists(kind: DataType) -> bool:
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, StructType):
        return any(_has_lists(field.dataType) for field in kind)
    return isinstance(kind, ArrayType | MapType)


def _turn(held: Column, kind: DataType) -> Column:
    """A value that is never NULL, and whether it is meant to be."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import ArrayType, StructType

    if isinstance(kind, StructType):
        parts = [(field, held.getField(field.name)) for field in kind]
        turned = [(_turn(part, field.dataType) if _has_lists(field.dataType) else part, field) for field, part in parts]
        value = F.struct(*(part.alias(field.name) for part, field in turned))
    else:
        empty = F.array() if isinstance(kind, ArrayType) else F.create_map()
        value = F.coalesce(held, empty.cast(kind))
    return F.struct(value.alias(_VALUE), held.isNull().alias(_NULL))


def _restored(held: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    value, gone = held.field(_VALUE), held.field(_NULL)
    if pa.types.is_struct(value.type):
        fields = [value.type.field(place) for place in range(value.type.num_fields)]
        parts = [_restored(value.field(one.name)) if _is_turned(one.type) else value.field(one.name) for one in fields]
        named = [pa.field(one.name, part.type) for one, part in zip(fields, parts, strict=True)]
        return pa.StructArray.from_arrays(parts, fields=named, mask=gone)
    return pc.if_else(gone, pa.scalar(None, value.type), value)


def _is_turned(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return pa.types.is_struct(kind) and [kind.field(place).name for place in range(kind.num_fields)] == [_VALUE, _NULL]
