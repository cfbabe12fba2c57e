"""What cannot be done with a source, as its settings alone tell: known before anything outside is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from velostream.config.connections.address import format_of
from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.sources.streams.limits import BatchLimit

FILES = ("csv", "jsonl", "json", "parquet", "avro", "string", "debezium_json")
"""Formats of files that can be read."""
WEB = ("json", "jsonl", "csv", "string")
"""Formats of answers that can be read."""
GROWING = ("csv", "jsonl", "string", "debezium_json")
"""Formats that are written line by line."""
_FORMS = {"file_source": FILES, "s3_source": FILES, "http_source": WEB}
_NO_BYTES = {"datagen_source": "what is made has no size", "database_source": "a database does not tell bytes"}
"""Why the micro-batches of a connector cannot be limited by memory."""


def refusals(connector: str, name: str, columns: Sequence[Any], settings: Settings | None) -> Iterator[VeloError]:
    """All that cannot be done with a source, which a stream reads or a table is loaded from."""
    if settings is None:
        return
    if connector in _NO_BYTES and BatchLimit.of(settings, Path()).bytes is not None:
        message = f"batch.strategy = memory cannot be done with '{name}': {_NO_BYTES[connector]}"
        yield _refused(message, "use fixed_size or adaptive", settings.job, "batch.strategy")
    if connector not in _FORMS:
        return
    path = settings.get("path") if settings.known.find("path") is not None else None
    form = str(settings.get("format") or format_of(str(path or "")) or "jsonl")
    if form not in _FORMS[connector]:
        message = f"records of format '{form}' cannot be read yet, as those of '{name}'"
        yield _refused(message, f"use {', '.join(_FORMS[connector])}", settings, "format")
    kinds = [str(column.type) for column in columns]
    if form == "string" and kinds and kinds != ["STRING"]:
        message = f"'{name}' has format string, which is one column of type STRING, not {len(kinds)} columns"
        yield _refused(message, "declare (value STRING)", settings, "format", "invalid-schema")
    grows = settings.known.find("growing") is not None and settings.boolean("growing")
    if grows and (form not in GROWING or connector == "s3_source"):
        why = f"{form} is not written line by line" if form not in GROWING else "objects are written as a whole"
        hint = f"files that grow are {', '.join(GROWING)}, not compressed"
        yield _refused(f"'{name}.growing' cannot be done: {why}", hint, settings, "growing")


def _refused(message: str, hint: str, settings: Settings | None, key: str, code: str = "unsupported") -> VeloError:
    value = settings.find(key) if settings is not None else None
    return VeloError(message, hint=hint, span=value.origin.span if value is not None else None, code=code)
