"""A database as a sink: rows are upserted by key, and a batch is written once, in one transaction."""

from __future__ import annotations

from velostream.config.connections.database import DATABASE
from velostream.config.kinds import Boolean, Text
from velostream.config.property import Property
from velostream.config.settings import Settings
from velostream.sinks.base import DELIVERY_GUARANTEE, Guarantee, Sink, WriteMode, write_mode_property


def _guarantee(mode: str, settings: Settings) -> Guarantee:
    """PostgreSQL takes the batch's number in the same transaction; of others only the key is known to be safe."""
    if str(settings.get("url")).casefold().startswith(("postgres", "jdbc:postgresql")):
        return Guarantee.EXACTLY_ONCE
    upserts = settings.get("write.mode") == WriteMode.UPSERT.value
    return Guarantee.IDEMPOTENT if upserts else Guarantee.AT_LEAST_ONCE


DATABASE_SINK = Sink(
    name="database_sink",
    doc="a table of PostgreSQL or another database",
    options=(
        *DATABASE,
        Property("table", Text(), "the table", "public.alerts", aliases=("table-name",), required=True),
        Property(
            "table.create",
            Boolean(),
            "whether to create the table, with the types of the columns, if it is not there",
            "true",
            default="false",
        ),
        write_mode_property(WriteMode.UPSERT, WriteMode.APPEND),
        DELIVERY_GUARANTEE,
    ),
    guarantee=_guarantee,
    write_modes=(WriteMode.UPSERT, WriteMode.APPEND),
    aliases=("database", "jdbc", "postgres", "postgresql"),
)
