"""The Arrow schema that Spark expects of a source's batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType


def arrow_schema(columns: StructType) -> pa.Schema:
    """The schema as Arrow has it, times in UTC."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(columns, timezone="UTC")
