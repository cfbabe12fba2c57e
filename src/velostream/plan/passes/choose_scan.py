"""Choose the scan: Spark's own source, ours yielding rows, or ours yielding routed payloads (DESIGN section 9)."""

from __future__ import annotations

from dataclasses import replace

from velostream.config.batching import ADAPTIVE, FIXED_SIZE, MEMORY, strategy_of
from velostream.config.connections.address import format_of
from velostream.formats.decoding.json_columns import is_plain
from velostream.plan.build.context import value_of
from velostream.plan.fields import Fields
from velostream.plan.forms import form_of
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import (
    Aggregate,
    Deduplicate,
    Distinct,
    Filter,
    JoinStreams,
    JoinTable,
    Node,
    Project,
    RowWindows,
    Scan,
    ScanWay,
    SubqueryCheck,
    TopN,
    Union,
    Unnest,
)
from velostream.sources.streams.kafka_topics import is_several
from velostream.types import STRING, TIMESTAMP, Type
from velostream.windows.hashing import hashable

FILES = ("file_source",)
_IN_WORKER = "all before the router is the same in Polars"
_MIXED = f"{_IN_WORKER}; Spark decodes what is not plain JSON"
_SPARK_HAS = ("_timestamp", "_event_time", "_processing_time", "_topic", "_source")
_SYSTEM = (*_SPARK_HAS, "_partition", "_offset", "_headers", "_key")
_ASKED = "system columns are asked for"
_WORDS: dict[type[Node], str] = {
    Deduplicate: "deduplication",
    Distinct: "DISTINCT",
    JoinStreams: "the join",
    JoinTable: "the join",
    RowWindows: "OVER",
    SubqueryCheck: "the subquery",
    TopN: "the ranking",
    Union: "UNION",
    Unnest: "UNNEST",
}


def choose_scan(plan: ApplicationPlan) -> ApplicationPlan:
    """Every scan gets a way, and the reason for it."""
    return replace(plan, jobs=tuple(replace(job, root=_chosen(job, job.root, ())) for job in plan.jobs))


def _chosen(job: Job, node: Node, above: tuple[Node, ...]) -> Node:
    if isinstance(node, Scan):
        return replace(node, way=_way(job, node, above))
    return node.with_children([_chosen(job, child, (*above, node)) for child in node.children])


def _way(job: Job, scan: Scan, above: tuple[Node, ...]) -> ScanWay:
    """The way of a scan under the nodes `above`, the root first."""
    if scan.connector == "kafka_source":
        if not any(node.keeps_state for node in above):
            return ScanWay("spark", "its Kafka connector")
        obstacle = _obstacle(job, scan, above)
        return ScanWay("spark", f"its Kafka connector; {obstacle}") if obstacle else ScanWay("mixed", _MIXED)
    if scan.connector not in FILES:
        return ScanWay("source", f"only Velostream reads {scan.connector}")
    strategy = strategy_of(job.settings)
    limited = strategy in (FIXED_SIZE, MEMORY, ADAPTIVE) or value_of(scan.settings, "max.records.per.batch", "")
    if not any(node.keeps_state for node in above):
        if limited:
            return ScanWay("source", "micro-batches are limited by more than a number of files")
        asked = [name for name in (f.name.split(".")[-1] for f in scan.columns if f.system) if name not in _SPARK_HAS]
        if scan.read_back is not None:
            return ScanWay("source", "there may be no file when it starts")
        growing = bool(value_of(scan.settings, "growing", otherwise=False))
        lossy = _loses_bytes(scan)
        if lossy and not growing:
            return ScanWay("source", lossy)
        if not asked and not growing:
            return ScanWay("spark", "no state, and neither positions nor growing files are asked for")
        return ScanWay("source", "files may grow" if growing else f"Spark's source has no {', '.join(asked)}")
    obstacle = _obstacle(job, scan, above)
    if obstacle:
        return ScanWay("source", obstacle)
    return ScanWay("mixed", _MIXED) if _form(scan) == "jsonl" else ScanWay("worker", _IN_WORKER)


def _loses_bytes(scan: Scan) -> str:
    """Why Spark's source would lose bytes of a file; empty where it would not."""
    texts = any(member.type == STRING for member in scan.declared)
    return "Spark's source loses bytes of CSV that are not UTF-8" if _form(scan) == "csv" and texts else ""


def _obstacle(job: Job, scan: Scan, above: tuple[Node, ...]) -> str:
    """What keeps rows from being combined while they are read; empty where nothing does."""
    for settings in (scan.settings, job.settings):
        if value_of(settings, "scan.in_worker", "auto") == "never":
            return "scan.in_worker is never"
    for node in reversed(above):
        if isinstance(node, Aggregate):
            combining = node.combining
            return (
                _of_source(scan) or _of_groups(node, headers=scan.connector == "kafka_source")
                if combining is not None and combining.before_shuffle
                else _why_not(node)
            )
        if not isinstance(node, Filter | Project):
            return f"{_WORDS.get(type(node), 'the plan')} needs the rows themselves"
        fields = node.children[0].fields
        strange = [each for each in node.expressions if form_of(each, fields) is None]
        if strange:
            return f"'{strange[0]}' may differ between Polars and Spark"
        if _asks_system(node, fields):
            return _ASKED
    return "nothing is aggregated"


def _of_source(scan: Scan) -> str:
    """What of a source keeps it from being read in the worker."""
    time = scan.event_time
    kinds = {column.name.casefold(): column.type for column in scan.declared}
    reasons = [
        (bool(value_of(scan.settings, "growing", otherwise=False)), "files may grow"),
        (time.semantics != "event", "event time is that of processing"),
        (time.fallback != "dead_letter", "records without an event time have another one"),
        (time.max_clock_skew is not None, "clocks that run ahead are looked for"),
        (scan.watermark.strategy == "punctuated", "records carry the watermark"),
        (value_of(scan.settings, "partition.by", "") not in ("", None, "file"), "a column says the partition"),
    ]
    general = next((reason for holds, reason in reasons if holds), "")
    held = kinds.get(time.column.casefold())
    return general or (_of_parquet(held) if _form(scan) == "parquet" else _of_json(scan, held))


def _of_parquet(time: Type | None) -> str:
    return "" if time == TIMESTAMP else "event time is no TIMESTAMP column"


def _of_json(scan: Scan, time: Type | None) -> str:
    """What keeps the records of a source from being decoded in the worker, where `time` is the type of event times."""
    if _form(scan) not in ("json", "jsonl") or (scan.connector in FILES and _form(scan) == "json"):
        return "only Parquet and JSON are decoded in the worker"
    if value_of(scan.settings, "schema.registry.url", ""):
        return "messages begin with the number of a schema"
    if scan.connector == "kafka_source" and is_several(scan.settings):
        return "it has several topics"
    strange = [column for column in scan.declared if not is_plain(column.type)]
    if strange:
        return f"'{strange[0].name}' is {strange[0].type}"
    by_record = not scan.event_time.column and scan.connector == "kafka_source"
    number = (
        time is not None and time.is_integral and scan.event_time.format in ("auto", "epoch_millis", "epoch_seconds")
    )
    return "" if time == TIMESTAMP or number or by_record else "event time is neither a TIMESTAMP nor a whole number"


def _form(scan: Scan) -> str:
    settings = scan.settings
    named = value_of(settings, "format", "")
    return str(named or format_of(str(value_of(settings, "path", ""))) or ("jsonl" if scan.connector in FILES else ""))


def _asks_system(node: Filter | Project, fields: Fields) -> bool:
    """True where a condition or a column of the user's reads a system column."""
    if isinstance(node, Filter):
        return any(fields.of(name).system for name in node.condition.fields)
    made = (column.expression.fields for column in node.columns if not column.system)
    return any(name.split(".")[-1] in _SYSTEM for names in made for name in names)


def _of_groups(node: Aggregate, *, headers: bool) -> str:
    """What of an aggregation keeps its rows from being combined in the worker, which may have the headers."""
    for key in node.keys:
        if not hashable(key.expression.type.name):
            return f"a key is {key.expression.type}"
    if node.emission.early or node.emission.fallback:
        return "rows go out by the clock"
    if node.window is not None and node.window.time.name != node.input.time:
        return f"the window goes by '{node.window.time}'"
    read = [name for each in node.expressions for name in each.fields]
    system = [name for name in read if node.input.fields.of(name).system and name != node.input.time]
    unknown = _SYSTEM if not headers else tuple(name for name in _SYSTEM if name != "_headers")
    computed = {name for name in system if name.split(".")[-1] in unknown}
    arguments = [name for call in node.calls for each in call.expressions for name in each.fields]
    if computed or node.input.time in [*arguments, *(key.expression.name for key in node.keys)]:
        return _ASKED
    return ""


def _why_not(node: Aggregate) -> str:
    return f"rows are not combined: {node.combining.reason}" if node.combining is not None else "rows are not combined"
