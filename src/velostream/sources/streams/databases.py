"""From a scan of a database to Spark's stream: what is looked at before, and what the reader is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.connections.database import server_of
from velostream.durations import SECOND
from velostream.sources.database_rows import DatabaseRows
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.limits import BatchLimit
from velostream.sources.streams.missing import wait_for

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def rows_of(source: str, settings: Any, declared: Any) -> DatabaseRows:
    """What a source or table of a database reads; `declared` are its columns."""
    return DatabaseRows(
        source,
        server_of(source, settings),
        str(settings.get("table") or ""),
        str(settings.get("query") or ""),
        tuple((column.name, str(column.type)) for column in declared),
        str(settings.get("incremental.column") or ""),
    )


def open_database(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    """The stream of a scan, the columns of its records as DDL, and the format that is left to decode."""
    from velostream.sources.streams.database import SYSTEM, DatabaseOptions, DatabaseStream

    settings = node.settings
    rows = rows_of(node.source, settings, node.declared)
    rows = rows.resolved(wait_for(node.source, "database", settings, rows.check))
    limit = BatchLimit.of(settings, Path(lowering.run.checkpoint))
    options = DatabaseOptions(
        rows,
        Calls.of(node.source, settings, Path(lowering.run.checkpoint)),
        ends=lowering.run.bounded,
        interval=settings.duration("poll.interval") / SECOND,
        fetch=settings.integer("fetch.size"),
        limit=limit,
    )
    lowering.spark.dataSource.register(DatabaseStream)
    reader = lowering.spark.readStream.name(f"source_{node.source}").format("velo_database")
    frame = reader.option("database", options.text()).schema(f"value STRING, {SYSTEM}").load()
    declared = ", ".join(f"`{column.name}` {column.type}" for column in node.declared)
    return frame, declared, "jsonl"
