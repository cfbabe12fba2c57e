"""Settings that running takes into account today. One that is set and would be ignored is refused instead."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.config.origin import Layer
from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.plan.job import Job
from velostream.plan.nodes import Materialise, Sinks, TableScan
from velostream.plan.passes.separate_tables import is_derived

_JOB = (
    *(
        "preset",
        "config_file",
        "job.mode",
        "num_partitions",
        "partitioning_strategy",
        "time.semantics",
        "window.size",
        "windowing.",
        "event.time.",
    ),
    *("watermark.", "partitions", "allowed.lateness", "late.data.strategy", "emit", "fill", "dedup."),
    *("batch.", "failure_strategy", "max_retries", "retry_backoff", "circuit.breaker.", "dlq."),
    *("state.ttl", "state.hot.", "state.cold.", "state.warm.backend", "state.warm.cache_size", "state.memory."),
    *("wait.timeout", "tables.load.parallelism", "scan.in_worker"),
    *("observability.metrics.enabled", "metrics.max_series", "deployment.", "sla.", "lineage.", "history."),
    *("observability.tracing.enabled", "observability.profiling.enabled"),
)
_SOURCE = (
    *("type", "config_file", "path", "format", "schema", "csv.", "event.time.", "watermark.", "read."),
    *("partitions", "partition.by", "files.per.batch", "watch", "growing", "file.", "scan.in_worker", "dedup."),
    *("url", "username", "password", "table", "query", "incremental.column", "poll.interval", "fetch.size"),
    *("database.", "records.path", "timeout", "http.", "max.records.per.batch"),
    *("rate", "rows", "seed", "start.time", "time.step", "order", "out_of_order.", "late.", "headers.", "fields."),
)
_KAFKA_SOURCE = (
    *("topic", "bootstrap.servers", "group.id", "auto.offset.reset", "profile", "on.data.loss", "key."),
    *("max.records.per.batch", "max.rate"),
)
_KAFKA_SINK = ("topic", "bootstrap.servers", "schema.", "key.", "write.mode", "profile", "message.time")
_S3 = ("s3.region", "s3.endpoint", "s3.access.key", "s3.secret.key", "s3.session.token", "s3.path.style")
_TIERS = ("state.warm.", "state.memory.")
_REASONS = {
    "state.warm.ttl": "remove it: windows stay in the state store until end + allowed.lateness, since late records may "
    "correct them; what they said is in the cold tier from their close on (state.cold.backend)",
    "s3.notifications": "remove it: a table looks at its objects by listing them, every refresh.interval",
}
_CALLED = ("circuit.breaker.",)
"""Of sources that are called by us; Spark and the disk are not."""
_MORE = {
    "kafka_source": _KAFKA_SOURCE,
    "database_source": _CALLED,
    "http_source": ("listen", *_CALLED),
    "s3_source": _S3,
}
_MADE = (
    *("rate", "rows", "seed", "start.time", "time.step", "order", "out_of_order.", "late.", "fields.", "partitions"),
    *("event.time.field", "event.time.format", "event.time.zone"),
)
"""What says how the records of a table are made."""
_TOLD = ("s3.notifications",)
"""Of a source of objects that a stream reads; a table is loaded by listing."""
_TABLE = (
    *("type", "config_file", "path", "format", "schema", "csv.", "file.", "refresh.", "retention", "version.time"),
    *("wait.timeout", "missing.data.strategy", "circuit.breaker."),
)
_LOADED = (
    *("url", "username", "password", "table", "query", "incremental.column", "poll.interval", "fetch.size"),
    *("database.", "records.path", "timeout", "http."),
)
"""What says where a table from outside is."""
_SINK = (
    *("type", "config_file", "path", "format", "compression", "csv.", "rotation.", "delivery.guarantee", "read."),
    *("url", "username", "password", "table", "write.mode", "method", "timeout", "circuit.breaker."),
    *_S3,
)


def ignored(job: Job) -> Iterator[VeloError]:
    """Settings of a job, its sources and its sinks that would have no effect. Presets set more than is used."""
    apart = is_derived(job)  # of these velostream.spark.lower.derived says more
    yield from _ignored(None if apart else job.settings, _JOB, "job", job.name)
    yield from _stateless(job)
    for scan in job.scans:
        more = (*_MORE.get(scan.connector, ()), *(_TOLD if scan.connector == "s3_source" else ()))
        yield from _ignored(scan.settings, (*_SOURCE, *more), "source", scan.source, client=bool(more))
        yield from _registry(scan.settings, scan.connector, scan.source)
    for table in job.root.walk():
        if isinstance(table, TableScan | Materialise) and not (apart and table is job.root):
            more = _of_loaded(table) if isinstance(table, TableScan) else ()
            yield from _ignored(table.settings, (*_TABLE, *more), "table", table.table, client=bool(more))
            yield from _registry(table.settings, table.connector if isinstance(table, TableScan) else "", table.table)
    sinks = next((node for node in job.root.walk() if isinstance(node, Sinks)), None)
    for target in sinks.targets if sinks is not None else ():
        more = _KAFKA_SINK if target.connector == "kafka_sink" else ()
        has_client = target.connector in ("kafka_sink", "http_sink")
        yield from _ignored(target.settings, (*_SINK, *more), "sink", target.name, client=has_client)


def _of_loaded(table: TableScan) -> tuple[str, ...]:
    if table.connector == "datagen_source":
        return _MADE
    return (*_LOADED, *_MORE.get(table.connector, ()))


def _stateless(job: Job) -> Iterator[VeloError]:
    """What a statement says of tiers of state that it does not keep."""
    for value in job.settings or () if not job.stateful else ():
        if value.key.startswith(_TIERS) and value.origin.layer is Layer.STATEMENT:
            message = f"'{value.key}' of job '{job.name}' has no effect: it keeps no state"
            yield VeloError(message, hint="remove it", span=value.origin.span, code="unsupported")


def _registry(settings: Settings | None, connector: str, name: str) -> Iterator[VeloError]:
    """Only messages name their schema in a registry."""
    named = next((value for value in settings or () if value.key == "schema.registry.url"), None)
    if named is not None and connector != "kafka_source" and named.origin.layer > Layer.PRESET:
        message = f"'schema.registry.url' of '{name}' has no effect: only messages of Kafka name their schema there"
        hint = "declare the columns, or set schema.file"
        yield VeloError(message, hint=hint, span=named.origin.span, code="unsupported")


def _ignored(
    settings: Settings | None, honoured: tuple[str, ...], what: str, name: str, *, client: bool = False
) -> Iterator[VeloError]:
    """`client` says that what is for the client library reaches it."""
    for value in settings or ():
        if client and value.key in (settings.client if settings is not None else ()):
            continue
        if value.origin.layer <= Layer.PRESET or value.key.startswith(honoured):
            continue
        message = f"'{value.key}' of {what} '{name}' has no effect on a run yet"
        hint = _REASONS.get(value.key, "remove it for now")
        yield VeloError(message, hint=hint, span=value.origin.span, code="unsupported")
