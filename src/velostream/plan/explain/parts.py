"""Small things of a plan as plain data: fields, expressions, windows, watermarks, emission, calls, sinks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields as dataclass_fields
from typing import Any

from velostream.plan.emission import Emission, Lateness
from velostream.plan.explain.places import place_data
from velostream.plan.expression import Expression
from velostream.plan.fields import Field
from velostream.plan.nodes import AggregateCall, Column, KeyPair, Order, RowCall, Sinks, SinkTarget, Window
from velostream.plan.time import EventTime, Watermark

Data = dict[str, Any]


def fields_data(fields: Iterable[Field]) -> list[Data]:
    """Fields in order."""
    return [field_data(member) for member in fields]


def field_data(member: Field) -> Data:
    """A field."""
    return {"name": member.name, "type": str(member.type), "system": member.system}


def text(expression: Expression | None) -> str | None:
    """An expression as SQL."""
    return None if expression is None else str(expression)


def texts(expressions: tuple[Expression, ...]) -> list[str]:
    """Expressions as SQL."""
    return [str(expression) for expression in expressions]


def order_data(terms: tuple[Order, ...]) -> list[Data]:
    """The terms of an ORDER BY."""
    return [
        {"expression": str(term.expression), "descending": term.descending, "nulls_first": term.nulls_first}
        for term in terms
    ]


def keys_data(pairs: tuple[KeyPair, ...]) -> list[Data]:
    """The equalities of a join."""
    return [{"left": str(pair.left), "right": str(pair.right)} for pair in pairs]


def columns_data(columns: tuple[Column, ...]) -> list[Data]:
    """Columns with what they are computed from."""
    return [
        {
            "name": column.name,
            "expression": str(column.expression),
            "type": str(column.expression.type),
            "system": column.system,
        }
        for column in columns
    ]


def event_time_data(time: EventTime) -> Data:
    """Where event time comes from."""
    return {
        "column": time.column or None,
        "format": time.format,
        "zone": time.zone,
        "fallback": time.fallback,
        "max_clock_skew": time.max_clock_skew,
        "semantics": time.semantics,
    }


def watermark_data(watermark: Watermark) -> Data:
    """How a watermark follows."""
    return {
        "strategy": watermark.strategy,
        "max_out_of_orderness": watermark.out_of_orderness,
        "idle_timeout": watermark.idle_timeout,
        "emit_interval": watermark.emit_interval,
        "scope": watermark.scope,
        "partitions": watermark.partitions,
        "punctuation": text(watermark.punctuation),
    }


def window_data(window: Window) -> Data:
    """A window with its lengths."""
    lengths = {each.name: getattr(window.assigner, each.name) for each in dataclass_fields(window.assigner)}
    return {"kind": window.name, **lengths, "time": str(window.time), "retention": window.retention}


def call_data(call: AggregateCall) -> Data:
    """An aggregate call."""
    return {
        "name": call.name,
        "function": call.function,
        "accumulator": call.accumulator,
        "type": str(call.type),
        "arguments": texts(call.arguments),
        "parameters": list(call.parameters),
        "distinct": call.distinct,
        "ignore_nulls": call.ignore_nulls,
        "order": order_data(call.order),
        "filter": text(call.where),
        "merges": call.merges,
    }


def emission_data(emission: Emission) -> Data:
    """When rows go out."""
    return {
        "mode": emission.mode,
        "explicit": emission.explicit,
        "granularity": emission.granularity,
        "accumulation": emission.accumulation,
        "early": emission.early,
        "condition": text(emission.condition),
        "fallback": emission.fallback,
        "every_count": emission.every_count,
    }


def lateness_data(lateness: Lateness) -> Data:
    """How late records may be."""
    return {"allowed": lateness.allowed, "strategy": lateness.strategy}


def row_call_data(call: RowCall) -> Data:
    """A call OVER rows."""
    return {
        "name": call.name,
        "function": call.function,
        "accumulator": call.accumulator or None,
        "type": str(call.type),
        "arguments": texts(call.arguments),
        "parameters": list(call.parameters),
        "frame": {"unit": call.frame.unit, "start": call.frame.start, "end": call.frame.end},
        "ignore_nulls": call.ignore_nulls,
        "distinct": call.distinct,
        "filter": text(call.where),
    }


def target_data(target: SinkTarget, node: Sinks) -> Data:
    """A sink."""
    return {
        "name": target.name,
        "connector": target.connector,
        "place": place_data(target.settings),
        "format": target.format or None,
        "writes": target.writes.value,
        "guarantee": target.guarantee.value,
        "key": list(target.key),
        "identity": list(target.identity),
        "columns": [member.name for member in target.columns(node.fields)],
        "added": list(target.added),
    }
