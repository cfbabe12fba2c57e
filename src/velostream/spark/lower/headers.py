"""Headers: what SET_HEADER and REMOVE_HEADER make of the headers of a row, for the sinks that write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.expression import Expression, reads
from velostream.plan.nodes import Headers
from velostream.plan.nodes.headers import EDITED
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.expressions import compute
from velostream.types import HEADERS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_TYPE = str(HEADERS)


def lower_headers(node: Headers, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """The rows with the headers to write beside those that came; the last word on a key counts."""
    from pyspark.sql import functions as F  # noqa: N812

    fields = [(member.name, reads(member.name, member.type)) for member in node.input.fields]
    parts: list[tuple[str, Expression]] = []
    for place, edit in enumerate(node.edits):
        parts.append((f"_key_{place}", edit.key))
        if edit.value is not None:
            parts.append((f"_value_{place}", edit.value))
    rows = compute(frame, [*fields, *parts], CARRIED, node.input.fields)
    empty = F.array().cast(_TYPE)
    edited = F.coalesce(column(node.base).cast(_TYPE), empty) if node.base else empty
    for place, edit in enumerate(node.edits):
        key = column(f"_key_{place}").cast("string")
        edited = F.filter(edited, _other(key))
        if edit.value is not None:
            value = column(f"_value_{place}").cast("string").cast("binary")
            added = F.array(F.struct(key.alias("key"), value.alias("value"))).cast(_TYPE)
            edited = F.when(key.isNotNull(), F.concat(edited, added)).otherwise(edited)
    carried = [name for name in CARRIED if name in rows.columns]
    return rows.select(*(column(name) for name, _ in fields), edited.alias(EDITED), *map(column, carried))


def _other(key: Column):  # type: ignore[no-untyped-def]
    """Headers of another name. Without a name nothing is meant."""

    def keeps(header: Column) -> Column:
        return ~header["key"].eqNullSafe(key) | key.isNull()

    return keeps
