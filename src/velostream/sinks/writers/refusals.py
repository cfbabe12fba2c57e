"""Settings of sinks that cannot be done: said before anything starts, without loading what writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.config.connections.kafka_clients import PRODUCER, for_librdkafka
from velostream.errors import InvalidProperty, VeloError
from velostream.sinks.writers.objects import is_store

if TYPE_CHECKING:
    from velostream.config.settings import Settings


def refuse_files(name: str, settings: Settings) -> None:
    """Refuses settings that cannot be done, at their place in the SQL."""
    compression = settings.value("compression")
    if compression is not None and compression.value == "snappy" and settings.text("format") != "parquet":
        message = f"sink '{name}' cannot compress text by snappy: nothing else could read such files"
        raise VeloError(message, hint="use gzip or zstd", span=compression.origin.span, code="unsupported")
    interval = settings.value("rotation.interval")
    if interval is not None and is_store(settings.text("path")):
        message = f"sink '{name}' writes to a store, where 'rotation.interval' cannot be done: objects do not grow"
        hint = "remove it; longer micro-batches (batch.strategy = time_window) make larger objects"
        raise VeloError(message, hint=hint, span=interval.origin.span, code="unsupported")


def refuse_delta(name: str, settings: Settings) -> None:
    """Refuses a table in a store: no jar that is fetched lets Spark write there."""
    path = settings.value("path")
    assert path is not None
    if str(path.value).startswith(("s3://", "s3a://", "s3n://")):
        message = f"sink '{name}' is a delta_sink on S3, which cannot be written yet"
        hint = "name a folder, or write Parquet there with a file_sink"
        raise VeloError(message, hint=hint, span=path.origin.span, code="unsupported")


def refuse_iceberg(name: str) -> None:
    """Refuses all of them: every release of Iceberg, up to 1.12.0, is for an older Spark, and fails with this one."""
    message = f"sink '{name}' is an iceberg_sink, and no release of Iceberg works with Spark 4.2"
    hint = "use a delta_sink; Iceberg up to 1.12.0 is built for Spark 4.1, whose catalog interfaces 4.2 has changed"
    raise VeloError(message, hint=hint, code="unsupported")


def refuse_kafka(name: str, settings: Settings) -> None:
    """Refuses client settings that cannot be."""
    try:
        for_librdkafka(settings, PRODUCER)
    except InvalidProperty as error:
        raise VeloError(f"sink '{name}': {error.message}", hint=error.hint, code=error.error_code) from None
