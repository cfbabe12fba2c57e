"""Rows to Avro records, each by itself; with a registry behind the number of their schema."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from velostream.errors import InvalidSchema
from velostream.formats.encoding.encoded import Encoded
from velostream.formats.registry import registry_of
from velostream.formats.registry.framing import framed
from velostream.formats.schemas.avro import read_avro
from velostream.formats.schemas.avro_columns import avro_values
from velostream.formats.schemas.made_avro import avro_schema
from velostream.formats.schemas.wire import avro_file

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class AvroEncoder:
    """Writes records of a schema, each behind `head`."""

    schema: str
    head: bytes = b""

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        import fastavro
        import pyarrow as pa

        names, columns = avro_values(rows, self._shape)
        made, out = [], io.BytesIO()
        for values in zip(*columns, strict=True):
            out.seek(0)
            out.truncate()
            out.write(self.head)
            fastavro.schemaless_writer(out, self._parsed, dict(zip(names, values, strict=True)))
            made.append(out.getvalue())
        return pa.array(made, pa.binary())

    @cached_property
    def _shape(self) -> Any:
        return json.loads(self.schema)

    @cached_property
    def _parsed(self) -> Any:
        import fastavro

        return fastavro.parse_schema(self._shape)

    def __getstate__(self) -> dict[str, Any]:
        return {"schema": self.schema, "head": self.head}


def avro_encoder(wanted: Encoded) -> AvroEncoder:
    """The encoder by the schema of a file, else by one made of the columns; it is put into the registry."""
    text = avro_file(wanted.settings, wanted.folder, key=wanted.key)
    if text:
        _check(wanted, text)
    else:
        text = json.dumps(avro_schema(wanted.columns, wanted.subject or wanted.sink))
    registry = registry_of(wanted.settings)
    if registry is None:
        return AvroEncoder(text)
    return AvroEncoder(text, framed(registry.register(wanted.subject_name, "AVRO", text)))


def _check(wanted: Encoded, text: str) -> None:
    """The schema has all columns, and no field without a default that is not one of them."""
    told = {one.name.casefold(): one for one in read_avro(text)}
    columns = {name.casefold(): name for name in wanted.columns.names}
    extra = next((name for folded, name in columns.items() if folded not in told), None)
    if extra is not None:
        message = f"the schema of {wanted.what} has no field for column '{extra}'"
        raise InvalidSchema(message, hint=f"its fields are {', '.join(one.name for one in told.values())}")
    fields = {member["name"].casefold(): member for member in json.loads(text)["fields"]}
    missing = next((m["name"] for f, m in fields.items() if f not in columns and "default" not in m), None)
    if missing is not None:
        message = f"the schema of {wanted.what} has field '{missing}' without a default, and no column is named so"
        raise InvalidSchema(message, hint="select it, or give the field a default")
