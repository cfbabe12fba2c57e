"""Values and keys in formats that Spark has no functions for: decoders of `formats.decoding` as Arrow functions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.formats.decoding.building import FAULT
from velostream.formats.decoding.decoders import key_decoder, value_decoder
from velostream.spark.lower.types import arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

CODED = ("avro", "protobuf")
"""Formats of values and keys that are decoded here."""
_MADE, _MADE_KEY = "_made", "_made_key"


def with_values(node: Any, frame: DataFrame, schema: str, form: str, folder: Path) -> DataFrame:
    """The columns of the values beside what the frame has; `_fault` also says which could not be decoded."""
    from pyspark.sql import functions as F  # noqa: N812

    types = [(member.name, member.type) for member in node.declared]
    decoder = value_decoder(form, node.source, arrow_schema(types), types, node.settings, folder)
    made = frame.withColumn(_MADE, _called(decoder, f"{schema}, {FAULT} STRING")(F.col("value")))
    columns = {name: F.col(f"{_MADE}.`{name}`") for name, _ in types}
    columns[FAULT] = F.coalesce(F.col(FAULT), F.col(f"{_MADE}.{FAULT}"))
    return made.withColumns(columns).drop(_MADE)


def coded_key(node: Any, data: Column, form: str, folder: Path) -> tuple[Column, Column]:
    """A key as text, and why it could not be decoded."""
    made = _called(key_decoder(form, node.source, node.settings, folder), f"key STRING, {FAULT} STRING")(data)
    return made["key"], made[FAULT]


def _called(decoder: Any, schema: str) -> Any:
    """The decoder as a function of Spark."""
    import pyarrow as pa_types
    from pyspark.sql.pandas.functions import arrow_udf
    from pyspark.sql.types import _parse_datatype_string

    def call(values: pa.Array) -> pa.Array:
        return decoder(values)

    # Spark tells by the annotations that whole arrays go in and out, and takes no text for them.
    call.__annotations__ = {"values": pa_types.Array, "return": pa_types.Array}
    made: Any = arrow_udf
    return made(call, _parse_datatype_string(schema))
