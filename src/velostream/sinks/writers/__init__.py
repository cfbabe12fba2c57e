"""Rows of a micro-batch to a sink: one call for all kinds of sinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.sinks.memory import keep
from velostream.sinks.writers.batch import Batch, BatchRows
from velostream.sinks.writers.console import write_console
from velostream.sinks.writers.files import refuse_files, write_files

if TYPE_CHECKING:
    from velostream.config.settings import Settings

__all__ = ["WRITABLE", "Batch", "BatchRows", "check", "write"]


def _write_memory(name: str, rows: BatchRows, settings: Settings | None, batch: Batch) -> None:
    keep(name, batch.query, batch.number, [] if rows.none else rows.table().to_pylist())


_WRITERS: dict[str, Callable[[str, BatchRows, Settings | None, Batch], None]] = {
    "file_sink": write_files,
    "console_sink": write_console,
    "memory_sink": _write_memory,
}
WRITABLE = tuple(_WRITERS)
"""The connectors that can be written to."""


def check(connector: str, name: str, settings: Settings | None) -> None:
    """Refuses, before anything starts, a sink that could not be written to."""
    if connector not in _WRITERS:
        message = f"sink '{name}' is a {connector}, which cannot be run yet"
        raise VeloError(message, hint=f"use {' or '.join(WRITABLE)}", code="unsupported")
    if connector == "file_sink" and settings is not None:
        refuse_files(name, settings)


def write(connector: str, name: str, rows: BatchRows, settings: Settings | None, batch: Batch) -> None:
    """Writes the rows of a micro-batch to the sink `name`; written again, they take the place of themselves."""
    _WRITERS[connector](name, rows, settings, batch)
