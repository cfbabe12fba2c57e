"""Fingerprint: what of a stateful node its state depends on, as plain data, so that two plans can be compared (E6)."""

from __future__ import annotations

import json
from dataclasses import fields as dataclass_fields
from hashlib import blake2b
from typing import Any

from velostream.plan.job import Job
from velostream.plan.nodes import (
    Aggregate,
    AggregateCall,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    Node,
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
    Window,
)
from velostream.plan.visitor import Visitor

Data = dict[str, Any]
FINGERPRINT: Visitor[Data | None] = Visitor("fingerprint")
"""What the state of a node depends on; None for a node without state."""


def state_of(job: Job) -> list[Data]:
    """The stateful nodes of a job from the sources up, each with its place, its keys and what it keeps."""
    found: list[Data] = []
    for node in reversed(list(job.root.walk())):
        described = FINGERPRINT(node) if node.keeps_state else None
        if described is not None:
            kind = type(node).__name__
            number = sum(1 for each in found if each["node"] == kind)
            found.append({"node": kind, "place": f"{kind.casefold()}-{number + 1}", **described})
    return found


def digest(job: Job) -> str:
    """A short text that differs where the state differs."""
    text = json.dumps(state_of(job), sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=8).hexdigest()


@FINGERPRINT.on(Aggregate)
def _aggregate(node: Aggregate) -> Data:
    return {
        "keys": [[key.name, str(key.expression.type)] for key in node.keys],
        "window": None if node.window is None else window_data(node.window),
        "aggregates": {call.name: _call(call) for call in node.calls},
    }


def window_data(window: Window) -> Data:
    """The kind of a window and its lengths."""
    lengths = {each.name: getattr(window.assigner, each.name) for each in dataclass_fields(window.assigner)}
    return {"kind": window.name, **lengths, "time": window.time.name}


def _call(call: AggregateCall) -> Data:
    return {
        "accumulator": call.accumulator,
        "arguments": [str(argument.type) for argument in call.arguments],
        "parameters": list(call.parameters),
        "distinct": call.distinct,
        "type": str(call.type),
    }


@FINGERPRINT.on(JoinStreams)
def _join_streams(node: JoinStreams) -> Data:
    bounds = None if node.bounds is None else [node.bounds.lower, node.bounds.upper]
    return {
        "keys": [[str(pair), str(pair.left.type), str(pair.right.type)] for pair in node.keys],
        "kind": node.kind,
        "bounds": bounds,
        "columns": {f.name: str(f.type) for f in (*node.left.fields, *node.right.fields)},
    }


@FINGERPRINT.on(JoinTable)
def _join_table(node: JoinTable) -> Data:
    return {
        "keys": [[str(pair), str(pair.left.type), str(pair.right.type)] for pair in node.keys],
        "kind": node.kind,
        "columns": {f.name: str(f.type) for f in node.left.fields},
    }


@FINGERPRINT.on(Deduplicate)
def _deduplicate(node: Deduplicate) -> Data:
    return {"keys": [[key.name, str(key.type)] for key in node.keys]}


@FINGERPRINT.on(RowWindows)
def _row_windows(node: RowWindows) -> Data:
    return {
        "keys": [[key.name, str(key.type)] for key in node.partition],
        "order": [str(term) for term in node.order],
        "buffer": None if node.buffer is None else node.buffer.rows,
        "columns": {f.name: str(f.type) for f in node.input.fields},
    }


@FINGERPRINT.on(TopN)
def _top_n(node: TopN) -> Data:
    return {
        "keys": [[key.name, str(key.type)] for key in node.partition],
        "order": [str(term) for term in node.order],
        "n": node.n,
        "columns": {f.name: str(f.type) for f in node.input.fields},
    }


@FINGERPRINT.on(Distinct)
def _distinct(node: Distinct) -> Data:
    return {"keys": [[name, str(node.fields.of(name).type)] for name in node.keys], "per_window": node.per_window}


@FINGERPRINT.on(OrderLimit)
def _order_limit(node: OrderLimit) -> Data:
    return {"keys": [], "scope": node.scope, "columns": {f.name: str(f.type) for f in node.input.fields}}


@FINGERPRINT.on(Scan, TableScan, ReadStream, Values, Filter, Project, Unnest, SubqueryCheck, Union, Headers)
@FINGERPRINT.on(Sinks, Materialise, Print)
def _stateless(node: Node) -> None:
    return None
