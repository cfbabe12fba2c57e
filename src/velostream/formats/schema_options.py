"""Where columns come from when SQL does not list them: `schema`, `schema.file`, `schema.registry.*`."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.config.connections.http import WebUrl
from velostream.config.kinds import Text
from velostream.config.property import Property
from velostream.formats.schemas.column_list import read_columns


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns as SQL lists them: `symbol STRING NOT NULL, price DECIMAL(10,2)`."""

    name: str = "columns"

    def parse(self, text: str) -> object:
        """The columns as a tuple of `Field`."""
        return read_columns(text)


SCHEMA = (
    Property(
        "schema",
        Columns(),
        "the columns, as a column list of SQL",
        "symbol STRING NOT NULL, price DECIMAL(10,2), trade_time TIMESTAMP",
    ),
    Property(
        "schema.file",
        Text("file"),
        "a file that tells the columns, relative to the SQL file: .avsc, .proto, .json (JSON Schema), .sql or .yaml",
        "schemas/trade.avsc",
    ),
)

MESSAGE = (
    Property(
        "schema.message",
        Text(),
        "the message of the .proto file, where it has several",
        "shop.Trade",
        aliases=("protobuf.message-class-name",),
    ),
)

KEY_SCHEMA = (
    Property("key.schema.file", Text("file"), "a file that tells the columns of the key", "schemas/trade_key.avsc"),
    Property("key.schema.message", Text(), "the message of the key's .proto file, where it has several", "shop.Key"),
)

REGISTRY = (
    Property(
        "schema.registry.url",
        WebUrl(),
        "a schema registry with Confluent's interface",
        "http://localhost:8081",
        aliases=("avro-confluent.url", "value.avro-confluent.url", "debezium-avro-confluent.url"),
    ),
    Property("schema.registry.username", Text(), "who logs in at the registry", "velo"),
    Property("schema.registry.password", Text(), "with which password", "${REGISTRY_PASSWORD}", secret=True),
    Property(
        "schema.registry.subject",
        Text(),
        "the subject of the schema; without it the topic's name and -value",
        "trades-value",
        aliases=("avro-confluent.subject", "value.avro-confluent.subject"),
    ),
)
