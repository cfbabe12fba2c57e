"""What is particular about each node, as plain data: nested dicts whose keys stay the same."""

from __future__ import annotations

from velostream.plan.explain.parts import (
    Data,
    call_data,
    columns_data,
    emission_data,
    event_time_data,
    keys_data,
    lateness_data,
    order_data,
    row_call_data,
    target_data,
    text,
    texts,
    watermark_data,
    window_data,
)
from velostream.plan.explain.places import place_data
from velostream.plan.nodes import (
    Aggregate,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowWindows,
    Scan,
    Sinks,
    SubqueryCheck,
    TableScan,
    TopN,
    Union,
    Unnest,
    Values,
)
from velostream.plan.visitor import Visitor

DATA: Visitor[Data] = Visitor("explain data")
"""What is particular about a node; its kind, fields and inputs are added for all."""


@DATA.on(Scan)
def _scan(node: Scan) -> Data:
    return {
        "source": node.source,
        "alias": node.alias,
        "connector": node.connector,
        "place": place_data(node.settings),
        "bounded": node.ends,
        "inferred": node.infers,
        "changelog": node.changelog,
        "read_back": None if node.read_back is None else {"job": node.read_back.job, "sink": node.read_back.sink},
        "event_time": event_time_data(node.event_time),
        "watermark": watermark_data(node.watermark),
        "scan": None if node.way is None else {"way": node.way.kind, "reason": node.way.reason},
    }


@DATA.on(TableScan)
def _table_scan(node: TableScan) -> Data:
    return {
        "table": node.table,
        "alias": node.alias,
        "statement": node.statement or None,
        "connector": node.connector or None,
        "place": {} if node.statement else place_data(node.settings),
        "key": list(node.key),
        "size": node.size,
        "version_time": node.version_time or None,
        "refresh": node.refresh or None,
    }


@DATA.on(ReadStream)
def _read_stream(node: ReadStream) -> Data:
    return {"stream": node.stream, "alias": node.alias, "read_early": node.read_early}


@DATA.on(Values)
def _values(node: Values) -> Data:
    return {"rows": [texts(row) for row in node.rows]}


@DATA.on(Filter)
def _filter(node: Filter) -> Data:
    return {"condition": str(node.condition), "mode": node.mode, "origin": node.origin}


@DATA.on(Project)
def _project(node: Project) -> Data:
    marks = [watermark_data(scan.watermark) for scan in node.walk() if isinstance(scan, Scan)] if node.sets_time else []
    return {
        "columns": columns_data(node.columns),
        "event_time": node.time or None,
        "watermarks": marks,
        "star": node.star,
    }


@DATA.on(Unnest)
def _unnest(node: Unnest) -> Data:
    return {"function": node.function, "arguments": texts(node.arguments), "outer": node.outer}


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
        "keys": keys_data(node.keys),
        "residual": texts(node.residual),
        "as_of": text(node.as_of),
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
        "keys": keys_data(node.keys),
        "times": {"left": node.left_time, "right": node.right_time},
        "bounds": bounds,
        "residual": texts(node.residual),
        "asked_after": texts(node.asked_after),
        "state_ttl": node.ttl,
        "watermark_delay": node.watermark_delay,
        "lateness": lateness_data(node.lateness),
    }


@DATA.on(SubqueryCheck)
def _subquery_check(node: SubqueryCheck) -> Data:
    return {
        "name": node.name,
        "kind": node.kind,
        "operand": text(node.operand),
        "operator": node.operator,
        "conditions": texts(node.conditions),
        "empty": text(node.empty),
        "order": [str(term) for term in node.order],
        "limit": node.limit,
        "distinct": node.distinct,
        "fold": node.fold or None,
    }


@DATA.on(Deduplicate)
def _deduplicate(node: Deduplicate) -> Data:
    return {"keys": texts(node.keys), "state_ttl": node.ttl}


@DATA.on(Union)
def _union(node: Union) -> Data:
    return {"sides": len(node.inputs)}


@DATA.on(Aggregate)
def _aggregate(node: Aggregate) -> Data:
    combining = node.combining
    return {
        "keys": columns_data(node.keys),
        "implicit_grouping": node.implicit,
        "window": None if node.window is None else window_data(node.window),
        "aggregates": list(map(call_data, node.calls)),
        "emission": emission_data(node.emission),
        "lateness": lateness_data(node.lateness),
        "state_ttl": node.state_ttl,
        "fill": node.fill,
        "replaces": list(node.replaces),
        "revises": node.revises,
        "combines_before_shuffle": None if combining is None else combining.before_shuffle,
        "combines_because": None if combining is None else combining.reason,
    }


@DATA.on(RowWindows)
def _row_windows(node: RowWindows) -> Data:
    buffer = node.buffer
    kept = None if buffer is None else {"rows": buffer.rows, "expire_after": buffer.expire_after, "emit": buffer.emit}
    return {
        "partition": texts(node.partition),
        "order": order_data(node.order),
        "calls": list(map(row_call_data, node.calls)),
        "buffer": kept,
        "per_window": node.per_window,
        "lateness": lateness_data(node.lateness),
        "state_ttl": node.ttl,
    }


@DATA.on(TopN)
def _top_n(node: TopN) -> Data:
    return {
        "n": node.n,
        "ranking": node.ranking,
        "rank": node.rank or None,
        "partition": texts(node.partition),
        "order": order_data(node.order),
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
    return {"order": order_data(node.order), "limit": node.limit, "scope": node.scope}


@DATA.on(Headers)
def _headers(node: Headers) -> Data:
    edits = [{"key": str(edit.key), "value": text(edit.value)} for edit in node.edits]
    return {"edits": edits, "base": node.base or None}


@DATA.on(Sinks)
def _sinks(node: Sinks) -> Data:
    return {"sinks": [target_data(target, node) for target in node.targets]}


@DATA.on(Materialise)
def _materialise(node: Materialise) -> Data:
    return {"table": node.table, "key": list(node.key), "version": node.version or None}


@DATA.on(Print)
def _print(node: Print) -> Data:
    return {}
