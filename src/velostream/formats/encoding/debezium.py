"""Rows as changes in Debezium's form: what a row was before, what it is after, and what happened to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.formats.encoding.avro import AvroEncoder
from velostream.formats.encoding.encoded import Encoded
from velostream.formats.encoding.json_texts import json_rows
from velostream.formats.encoding.plain_texts import whole
from velostream.formats.registry import registry_of
from velostream.formats.registry.framing import framed
from velostream.formats.schemas.made_avro import avro_schema

if TYPE_CHECKING:
    import pyarrow as pa

EMISSION, REVISION = "_emission", "_revision"
CREATED, UPDATED, DELETED = "c", "u", "d"


@dataclass(frozen=True)
class DebeziumEncoder:
    """Writes changes as JSON, or with `avro` by the schema of the envelope.

    Rows that withdraw (`_emission` is `retract`) are deletions, later revisions are updates, all others came newly.
    What a row was before an update is not known, and NULL.
    """

    avro: AvroEncoder | None = None

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        import pyarrow as pa

        made = changes(rows)
        return json_rows(made).cast(pa.binary()) if self.avro is None else self.avro(made)


def changes(rows: pa.Table | pa.RecordBatch) -> pa.Table:
    """The envelope of each row: `before`, `after`, `op`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = [name for name in rows.schema.names if name not in (EMISSION, REVISION)]
    held = dict(zip(rows.schema.names, map(whole, rows.columns), strict=True))
    row = pa.StructArray.from_arrays([held[name] for name in names], fields=[rows.schema.field(name) for name in names])
    gone = pa.array([False] * rows.num_rows, pa.bool_())
    op = pa.array([CREATED] * rows.num_rows, pa.string())
    if REVISION in held:
        op = pc.if_else(pc.fill_null(pc.greater(held[REVISION], 1), False), UPDATED, op)
    if EMISSION in held:
        gone = pc.fill_null(pc.equal(held[EMISSION], "retract"), False)
        op = pc.if_else(gone, DELETED, op)
    nothing = pa.scalar(None, row.type)
    return pa.table({"before": pc.if_else(gone, row, nothing), "after": pc.if_else(gone, nothing, row), "op": op})


def debezium_json(wanted: Encoded) -> DebeziumEncoder:
    """The encoder of changes as JSON."""
    return DebeziumEncoder()


def debezium_avro(wanted: Encoded) -> DebeziumEncoder:
    """The encoder of changes as Avro; the schema is made of the columns and put into the registry."""
    import pyarrow as pa

    fields = [field for field in wanted.columns if field.name not in (EMISSION, REVISION)]
    envelope = pa.schema([("before", pa.struct(fields)), ("after", pa.struct(fields)), ("op", pa.string())])
    text = json.dumps(avro_schema(envelope, wanted.subject or wanted.sink))
    registry = registry_of(wanted.settings)
    head = b"" if registry is None else framed(registry.register(wanted.subject_name, "AVRO", text))
    return DebeziumEncoder(AvroEncoder(text, head))
