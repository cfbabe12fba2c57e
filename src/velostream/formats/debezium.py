"""Debezium: a changelog. Each record says what a row was before and is after."""

from velostream.formats.base import Format
from velostream.formats.schema_options import REGISTRY

DEBEZIUM_JSON = Format(
    "debezium_json",
    "changes of rows as Debezium writes them, in JSON",
    key_capable=False,
    changelog=True,
)

DEBEZIUM_AVRO = Format(
    "debezium_avro",
    "changes of rows as Debezium writes them, in Avro",
    REGISTRY,
    aliases=("debezium_avro_confluent",),
    needs_schema=True,
    key_capable=False,
    changelog=True,
)
