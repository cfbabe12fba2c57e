"""Types of the plan as Arrow's, by way of Spark's own reading of their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from velostream.types import Type

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_schema(columns: Iterable[tuple[str, Type]]) -> pa.Schema:
    """The Arrow schema of named columns."""
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType, _parse_datatype_string

    struct = StructType()
    for name, kind in columns:
        struct = struct.add(name, _parse_datatype_string(str(kind)))
    return to_arrow_schema(struct, timezone="UTC")
