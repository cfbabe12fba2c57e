"""Fingerprint: what of a stateful node its state depends on, as plain data, so that two plans can be compared (E6).

Everything is told in canonical names, so an alias may change; `field` says what a thing is called in this plan.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields as dataclass_fields
from hashlib import blake2b
from typing import Any

from velostream.plan.canonical import CANONICAL, Names, canonical, canonical_call
from velostream.plan.expression import Expression, reads
from velostream.plan.fields import Fields
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
    KeyPair,
    Materialise,
    Node,
    Order,
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
FINGERPRINT: Visitor[Data] = Visitor("fingerprint")
"""What the state of a node depends on; empty for a node without state."""


def state_of(job: Job) -> list[Data]:
    """The stateful nodes of a job from the sources up, each with its place, its keys and what it keeps."""
    found: list[Data] = []
    for node in reversed(list(job.root.walk())):
        if node.keeps_state:
            kind = type(node).__name__
            number = sum(1 for each in found if each["node"] == kind)
            found.append({"node": kind, "place": f"{kind.casefold()}-{number + 1}", **FINGERPRINT(node)})
    return found


def digest(job: Job) -> str:
    """A short text that differs where the state differs, and not where only aliases do."""
    text = json.dumps(without_fields(state_of(job)), sort_keys=True, default=str)
    return blake2b(text.encode(), digest_size=8).hexdigest()


def without_fields(data: Any) -> Any:
    """The data without what things are called in one plan."""
    if isinstance(data, dict):
        return {name: without_fields(each) for name, each in data.items() if name != "field"}
    return [without_fields(each) for each in data] if isinstance(data, list) else data


@FINGERPRINT.on(Aggregate)
def _aggregate(node: Aggregate) -> Data:
    names = CANONICAL(node.input)
    return {
        "keys": _keys((key.expression for key in node.keys), names),
        "window": None if node.window is None else _window(node.window, names),
        "aggregates": {canonical_call(call, names): _call(call) for call in node.calls},
    }


def _window(window: Window, names: Names) -> Data:
    lengths = {each.name: getattr(window.assigner, each.name) for each in dataclass_fields(window.assigner)}
    return {"kind": window.name, **lengths, "time": canonical(window.time, names)}


def _call(call: AggregateCall) -> Data:
    return {
        "field": call.name,
        "accumulator": call.accumulator,
        "arguments": [str(argument.type) for argument in call.arguments],
        "parameters": list(call.parameters),
        "type": str(call.type),
    }


def _keys(keys: Iterable[Expression], names: Names) -> list[Data]:
    return [{"key": canonical(key, names), "type": str(key.type), "field": key.name} for key in keys]


def _columns(fields: Fields, names: Names) -> Data:
    return {names[f.name]: {"type": str(f.type), "field": f.name} for f in fields}


def _order(order: tuple[Order, ...], names: Names) -> list[str]:
    return [f"{canonical(term.expression, names)}{' DESC' if term.descending else ''}" for term in order]


def _pairs(pairs: tuple[KeyPair, ...], left: Names, right: Names) -> list[Data]:
    found = []
    for pair in pairs:
        text = f"{canonical(pair.left, left)} = {canonical(pair.right, right)}"
        found.append({"key": text, "type": f"{pair.left.type} = {pair.right.type}", "field": str(pair)})
    return found


@FINGERPRINT.on(JoinStreams)
def _join_streams(node: JoinStreams) -> Data:
    left, right = CANONICAL(node.left), CANONICAL(node.right)
    return {
        "keys": _pairs(node.keys, left, right),
        "kind": node.kind,
        "bounds": None if node.bounds is None else [node.bounds.lower, node.bounds.upper],
        "columns": {"left": _columns(node.left.fields, left), "right": _columns(node.right.fields, right)},
    }


@FINGERPRINT.on(JoinTable)
def _join_table(node: JoinTable) -> Data:
    left, right = CANONICAL(node.left), CANONICAL(node.right)
    keys = _pairs(node.keys, left, right)
    return {"keys": keys, "kind": node.kind, "columns": {"left": _columns(node.left.fields, left)}}


@FINGERPRINT.on(Deduplicate)
def _deduplicate(node: Deduplicate) -> Data:
    return {"keys": _keys(node.keys, CANONICAL(node.input))}


@FINGERPRINT.on(RowWindows)
def _row_windows(node: RowWindows) -> Data:
    names = CANONICAL(node.input)
    return {
        "keys": _keys(node.partition, names),
        "order": _order(node.order, names),
        "buffer": None if node.buffer is None else node.buffer.rows,
        "columns": {"rows": _columns(node.input.fields, names)},
    }


@FINGERPRINT.on(TopN)
def _top_n(node: TopN) -> Data:
    names = CANONICAL(node.input)
    return {
        "keys": _keys(node.partition, names),
        "order": _order(node.order, names),
        "n": node.n,
        "columns": {"rows": _columns(node.input.fields, names)},
    }


@FINGERPRINT.on(Distinct)
def _distinct(node: Distinct) -> Data:
    keys = [reads(name, node.fields.of(name).type) for name in node.keys]
    return {"keys": _keys(keys, CANONICAL(node.input)), "per_window": node.per_window}


@FINGERPRINT.on(OrderLimit)
def _order_limit(node: OrderLimit) -> Data:
    return {"keys": [], "columns": {"rows": _columns(node.input.fields, CANONICAL(node.input))}}


@FINGERPRINT.on(Scan, TableScan, ReadStream, Values, Filter, Project, Unnest, SubqueryCheck, Union, Headers)
@FINGERPRINT.on(Sinks, Materialise, Print)
def _stateless(node: Node) -> Data:
    return {}
