"""The plan as plain data, for programs: nested dicts whose keys stay the same. Lengths of time are microseconds."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any

from velostream.plan.emission import Emission, Lateness
from velostream.plan.expression import Expression
from velostream.plan.fields import Field
from velostream.plan.fingerprint import digest, state_of
from velostream.plan.job import ApplicationPlan, Job, PlannedMetric
from velostream.plan.lineage import lineage_of
from velostream.plan.nodes import (
    Aggregate,
    AggregateCall,
    Column,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    KeyPair,
    Materialise,
    Node,
    Order,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowCall,
    RowWindows,
    Scan,
    Sinks,
    SinkTarget,
    SubqueryCheck,
    TableScan,
    TopN,
    Union,
    Unnest,
    Values,
    Window,
)
from velostream.plan.time import EventTime, Watermark
from velostream.plan.visitor import Visitor

Data = dict[str, Any]
DATA: Visitor[Data] = Visitor("explain data")
"""What is particular about a node; its kind, fields and inputs are added for all."""


def application_data(plan: ApplicationPlan) -> Data:
    """A whole application."""
    tables = [
        {"name": t.name, "connector": t.connector, "key": list(t.key), "columns": _fields(t.columns)}
        for t in plan.tables
    ]
    return {"application": plan.name, "version": plan.version, "tables": tables, "jobs": list(map(job_data, plan.jobs))}


def job_data(job: Job) -> Data:
    """One job, with its lineage and what its state depends on."""
    return {
        "name": job.name,
        "kind": job.kind,
        "mode": job.mode,
        "line": job.line,
        "partitioning": {"strategy": job.placement.strategy, "buckets": job.placement.buckets},
        "fused": list(job.definitions),
        "waits_for": list(job.tables),
        "metrics": list(map(_metric, job.metrics)),
        "annotations": dict(job.annotations),
        "plan": tree_data(job.root),
        "state": state_of(job),
        "fingerprint": digest(job),
        "lineage": lineage_of(job).data(),
    }


def tree_data(node: Node) -> Data:
    """A node and all below it."""
    return {
        "node": type(node).__name__,
        **DATA(node),
        "fields": _fields(node.fields),
        "inputs": [tree_data(child) for child in node.children],
    }


def _fields(fields: Any) -> list[Data]:
    return [_field(member) for member in fields]


def _field(member: Field) -> Data:
    return {"name": member.name, "type": str(member.type), "system": member.system}


def _text(expression: Expression | None) -> str | None:
    return None if expression is None else str(expression)


def _texts(expressions: tuple[Expression, ...]) -> list[str]:
    return [str(expression) for expression in expressions]


def _order(terms: tuple[Order, ...]) -> list[Data]:
    return [
        {"expression": str(term.expression), "descending": term.descending, "nulls_first": term.nulls_first}
        for term in terms
    ]


def _keys(pairs: tuple[KeyPair, ...]) -> list[Data]:
    return [{"left": str(pair.left), "right": str(pair.right)} for pair in pairs]


def _columns(columns: tuple[Column, ...]) -> list[Data]:
    return [
        {
            "name": column.name,
            "expression": str(column.expression),
            "type": str(column.expression.type),
            "system": column.system,
        }
        for column in columns
    ]


def _metric(metric: PlannedMetric) -> Data:
    return {
        "name": str(getattr(metric.metric, "name", metric.metric)),
        "condition": _text(metric.condition),
        "field": _text(metric.field),
        "labels": list(metric.labels),
    }


@DATA.on(Scan)
def _scan(node: Scan) -> Data:
    return {
        "source": node.source,
        "alias": node.alias,
        "connector": node.connector,
        "bounded": node.ends,
        "inferred": node.infers,
        "changelog": node.changelog,
        "event_time": _event_time(node.event_time),
        "watermark": _watermark(node.watermark),
        "scan": None if node.way is None else {"way": node.way.kind, "reason": node.way.reason},
    }


def _event_time(time: EventTime) -> Data:
    return {
        "column": time.column or None,
        "format": time.format,
        "zone": time.zone,
        "fallback": time.fallback,
        "max_clock_skew": time.max_clock_skew,
        "semantics": time.semantics,
    }


def _watermark(watermark: Watermark) -> Data:
    return {
        "strategy": watermark.strategy,
        "max_out_of_orderness": watermark.out_of_orderness,
        "idle_timeout": watermark.idle_timeout,
        "emit_interval": watermark.emit_interval,
        "scope": watermark.scope,
        "partitions": watermark.partitions,
        "punctuation": _text(watermark.punctuation),
    }


@DATA.on(TableScan)
def _table_scan(node: TableScan) -> Data:
    return {
        "table": node.table,
        "alias": node.alias,
        "statement": node.statement or None,
        "connector": node.connector or None,
        "key": list(node.key),
        "version_time": node.version_time or None,
        "refresh": node.refresh or None,
    }


@DATA.on(ReadStream)
def _read_stream(node: ReadStream) -> Data:
    sink = node.from_sink or None
    return {"stream": node.stream, "alias": node.alias, "from_sink": sink, "read_early": node.read_early}


@DATA.on(Values)
def _values(node: Values) -> Data:
    return {"rows": [_texts(row) for row in node.rows]}


@DATA.on(Filter)
def _filter(node: Filter) -> Data:
    return {"condition": str(node.condition), "mode": node.mode, "origin": node.origin}


@DATA.on(Project)
def _project(node: Project) -> Data:
    return {"columns": _columns(node.columns), "event_time": node.time or None, "star": node.star}


@DATA.on(Unnest)
def _unnest(node: Unnest) -> Data:
    return {"function": node.function, "arguments": _texts(node.arguments), "outer": node.outer}


@DATA.on(JoinTable)
def _join_table(node: JoinTable) -> Data:
    missing = {
        "strategy": node.missing.strategy,
        "defaults": {name: str(value) for name, value in node.missing.defaults},
        "retries": node.missing.retries,
        "delay": node.missing.delay,
    }
    return {
        "kind": node.kind,
        "classification": "table-table" if node.left.static else "stream-table",
        "keys": _keys(node.keys),
        "residual": _texts(node.residual),
        "as_of": _text(node.as_of),
        "missing_data": missing,
        "misses": node.misses,
        "broadcast": node.broadcast,
    }


@DATA.on(JoinStreams)
def _join_streams(node: JoinStreams) -> Data:
    bounds = None if node.bounds is None else {"lower": node.bounds.lower, "upper": node.bounds.upper}
    return {
        "kind": node.kind,
        "classification": "stream-stream",
        "keys": _keys(node.keys),
        "times": {"left": node.left_time, "right": node.right_time},
        "bounds": bounds,
        "residual": _texts(node.residual),
        "state_ttl": node.ttl,
        "watermark_delay": node.watermark_delay,
        "lateness": _lateness(node.lateness),
    }


@DATA.on(SubqueryCheck)
def _subquery_check(node: SubqueryCheck) -> Data:
    return {
        "name": node.name,
        "kind": node.kind,
        "operand": _text(node.operand),
        "operator": node.operator,
        "conditions": _texts(node.conditions),
        "empty": _text(node.empty),
    }


@DATA.on(Deduplicate)
def _deduplicate(node: Deduplicate) -> Data:
    return {"keys": _texts(node.keys), "state_ttl": node.ttl}


@DATA.on(Union)
def _union(node: Union) -> Data:
    return {"sides": len(node.inputs)}


@DATA.on(Aggregate)
def _aggregate(node: Aggregate) -> Data:
    combining = node.combining
    return {
        "keys": _columns(node.keys),
        "implicit_grouping": node.implicit,
        "window": None if node.window is None else _window(node.window),
        "aggregates": list(map(_call, node.calls)),
        "emission": _emission(node.emission),
        "lateness": _lateness(node.lateness),
        "state_ttl": node.state_ttl,
        "fill": node.fill,
        "replaces": list(node.replaces),
        "revises": node.revises,
        "combines_before_shuffle": None if combining is None else combining.before_shuffle,
        "combines_because": None if combining is None else combining.reason,
    }


def _window(window: Window) -> Data:
    lengths = {each.name: getattr(window.assigner, each.name) for each in dataclass_fields(window.assigner)}
    return {"kind": window.name, **lengths, "time": str(window.time), "retention": window.retention}


def _call(call: AggregateCall) -> Data:
    return {
        "name": call.name,
        "function": call.function,
        "accumulator": call.accumulator,
        "type": str(call.type),
        "arguments": _texts(call.arguments),
        "parameters": list(call.parameters),
        "distinct": call.distinct,
        "ignore_nulls": call.ignore_nulls,
        "order": _order(call.order),
        "filter": _text(call.where),
        "merges": call.merges,
    }


def _emission(emission: Emission) -> Data:
    return {
        "mode": emission.mode,
        "explicit": emission.explicit,
        "granularity": emission.granularity,
        "accumulation": emission.accumulation,
        "early": emission.early,
        "condition": _text(emission.condition),
        "fallback": emission.fallback,
        "every_count": emission.every_count,
    }


def _lateness(lateness: Lateness) -> Data:
    return {"allowed": lateness.allowed, "strategy": lateness.strategy}


@DATA.on(RowWindows)
def _row_windows(node: RowWindows) -> Data:
    buffer = node.buffer
    kept = None if buffer is None else {"rows": buffer.rows, "expire_after": buffer.expire_after, "emit": buffer.emit}
    return {
        "partition": _texts(node.partition),
        "order": _order(node.order),
        "calls": list(map(_row_call, node.calls)),
        "buffer": kept,
        "per_window": node.per_window,
        "lateness": _lateness(node.lateness),
        "state_ttl": node.ttl,
    }


def _row_call(call: RowCall) -> Data:
    return {
        "name": call.name,
        "function": call.function,
        "accumulator": call.accumulator or None,
        "type": str(call.type),
        "arguments": _texts(call.arguments),
        "parameters": list(call.parameters),
        "frame": {"unit": call.frame.unit, "start": call.frame.start, "end": call.frame.end},
        "ignore_nulls": call.ignore_nulls,
        "distinct": call.distinct,
        "filter": _text(call.where),
    }


@DATA.on(TopN)
def _top_n(node: TopN) -> Data:
    return {
        "n": node.n,
        "ranking": node.ranking,
        "rank": node.rank or None,
        "partition": _texts(node.partition),
        "order": _order(node.order),
        "deduplicates": node.deduplicates,
        "appends": node.appends,
        "per_window": node.per_window,
        "state_ttl": node.ttl,
    }


@DATA.on(Distinct)
def _distinct(node: Distinct) -> Data:
    return {"keys": list(node.keys), "per_window": node.per_window, "state_ttl": node.ttl}


@DATA.on(OrderLimit)
def _order_limit(node: OrderLimit) -> Data:
    return {"order": _order(node.order), "limit": node.limit, "scope": node.scope}


@DATA.on(Headers)
def _headers(node: Headers) -> Data:
    edits = [{"key": str(edit.key), "value": _text(edit.value)} for edit in node.edits]
    return {"edits": edits, "base": node.base or None}


@DATA.on(Sinks)
def _sinks(node: Sinks) -> Data:
    return {"sinks": [_target(target, node) for target in node.targets]}


def _target(target: SinkTarget, node: Sinks) -> Data:
    return {
        "name": target.name,
        "connector": target.connector,
        "format": target.format or None,
        "writes": target.writes.value,
        "guarantee": target.guarantee.value,
        "key": list(target.key),
        "identity": list(target.identity),
        "columns": [member.name for member in target.columns(node.fields)],
        "added": list(target.added),
    }


@DATA.on(Materialise)
def _materialise(node: Materialise) -> Data:
    return {"table": node.table, "key": list(node.key), "version": node.version or None}


@DATA.on(Print)
def _print(node: Print) -> Data:
    return {}
