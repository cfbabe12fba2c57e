"""Rows of a micro-batch to a sink: one call for all kinds of sinks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.config.connections.database import server_of
from velostream.errors import VeloError
from velostream.sinks.writers.batch import LEFT, PLACE, Batch, BatchRows, Refusal, Shape
from velostream.sinks.writers.refusals import refuse_delta, refuse_files, refuse_iceberg, refuse_kafka

if TYPE_CHECKING:
    from velostream.config.settings import Settings

__all__ = ["WRITABLE", "Batch", "BatchRows", "Refusal", "Shape", "begin", "check", "needed", "release", "write"]


def _write_files(name: str, rows: BatchRows, settings: Settings | None, batch: Batch) -> None:
    from velostream.sinks.writers.files import write_files

    write_files(name, rows, settings, batch)


def _write_console(name: str, rows: BatchRows, settings: Settings | None, batch: Batch) -> None:
    from velostream.sinks.writers.console import write_console

    write_console(name, rows, settings, batch)


def _write_memory(name: str, rows: BatchRows, settings: Settings | None, batch: Batch) -> None:
    from velostream.sinks.memory import keep

    keep(name, batch.query, batch.number, [] if rows.none else rows.table().to_pylist())


_WRITERS: dict[str, Callable[[str, BatchRows, Settings | None, Batch], None]] = {
    "file_sink": _write_files,
    "console_sink": _write_console,
    "memory_sink": _write_memory,
}


def _write_database(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    from velostream.sinks.writers.database import write_database

    return write_database(name, rows, settings, batch, shape)


def _write_kafka(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    from velostream.sinks.writers.kafka import write_kafka

    return write_kafka(name, rows, settings, batch, shape)


def _write_http(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    from velostream.sinks.writers.http import write_http

    return write_http(name, rows, settings, batch, shape)


def _write_delta(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    from velostream.sinks.writers.delta import write_delta

    return write_delta(name, rows, settings, batch, shape)


_SHAPED: dict[str, Callable[[str, BatchRows, Settings, Batch, Shape], Sequence[Refusal]]] = {
    "database_sink": _write_database,
    "delta_sink": _write_delta,
    "http_sink": _write_http,
    "kafka_sink": _write_kafka,
}
"""Writers that are told more than rows: keys, withdrawals, headers. They answer with the rows that were refused."""
WRITABLE = (*_WRITERS, *_SHAPED)
"""The connectors that can be written to."""


def check(connector: str, name: str, settings: Settings | None) -> None:
    """Refuses, before anything starts, a sink that could not be written to."""
    if connector == "iceberg_sink":
        refuse_iceberg(name)
    if connector not in WRITABLE:
        message = f"sink '{name}' is a {connector}, which cannot be run yet"
        raise VeloError(message, hint=f"use {' or '.join(WRITABLE)}", code="unsupported")
    if connector == "file_sink" and settings is not None:
        refuse_files(name, settings)
    if connector == "database_sink" and settings is not None:
        server_of(name, settings)
    if connector == "delta_sink" and settings is not None:
        refuse_delta(name, settings)
    if connector == "kafka_sink" and settings is not None:
        refuse_kafka(name, settings)


def needed(connector: str, shape: Shape) -> tuple[str, ...]:
    """The columns that a writer is given; one that may refuse rows also those that say which they are."""
    return (*shape.needs, LEFT, PLACE) if connector in _SHAPED else shape.names


def write(
    connector: str, name: str, rows: BatchRows, settings: Settings | None, batch: Batch, shape: Shape | None = None
) -> Sequence[Refusal]:
    """Writes the rows of a micro-batch to the sink `name`; written again, they take the place of themselves.

    Answers with the rows that the sink does not take; all others are written.
    """
    shaped = _SHAPED.get(connector)
    if shaped is None:
        _WRITERS[connector](name, rows, settings, batch)
        return ()
    assert settings is not None
    return shaped(name, rows, settings, batch, shape or Shape())


def begin(connector: str, name: str, settings: Settings | None, query: str, folder: Path) -> None:
    """As a query starts, before its first micro-batch."""
    if connector == "file_sink" and settings is not None:
        from velostream.sinks.writers.files import begin_files

        begin_files(name, settings, query, folder)


def release(query: str) -> None:
    """Gives back what writers keep open for a query; rows that were kept aside appear."""
    for name in ("database", "delta", "http", "kafka", "rotating"):
        module = sys.modules.get(f"velostream.sinks.writers.{name}")
        if module is not None:
            module.release(query)
