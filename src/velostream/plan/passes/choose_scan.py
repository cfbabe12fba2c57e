"""Choose the scan: Spark's own source, ours yielding rows, or ours yielding routed payloads (DESIGN section 9)."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from velostream.plan.build.context import value_of
from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
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
from velostream.types import Type

FILES = ("file_source", "s3_source")
_SPARK_HAS = ("_timestamp", "_event_time", "_processing_time", "_topic", "_source")
_SAME_IN_POLARS = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Paren,
    exp.And,
    exp.Or,
    exp.Not,
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.Between,
    exp.In,
    exp.Is,
)
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
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)


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
        return ScanWay("spark", "its Kafka connector")
    if scan.connector not in FILES:
        return ScanWay("source", f"only Velostream reads {scan.connector}")
    if not any(node.keeps_state for node in above):
        asked = [name for name in (f.name.split(".")[-1] for f in scan.columns if f.system) if name not in _SPARK_HAS]
        growing = bool(value_of(scan.settings, "growing", otherwise=False))
        if not asked and not growing:
            return ScanWay("spark", "no state, and neither positions nor growing files are asked for")
        return ScanWay("source", "files may grow" if growing else f"Spark's source has no {', '.join(asked)}")
    obstacle = _obstacle(job, scan, above)
    return ScanWay("source", obstacle) if obstacle else ScanWay("worker", "all before the router is the same in Polars")


def _obstacle(job: Job, scan: Scan, above: tuple[Node, ...]) -> str:
    """What keeps rows from being combined while they are read; empty where nothing does."""
    for settings in (scan.settings, job.settings):
        if value_of(settings, "scan.in_worker", "auto") == "never":
            return "scan.in_worker is never"
    for node in reversed(above):
        if isinstance(node, Aggregate):
            combining = node.combining
            return "" if combining is not None and combining.before_shuffle else _why_not(node)
        if not isinstance(node, Filter | Project):
            return f"{_WORDS.get(type(node), 'the plan')} needs the rows themselves"
        strange = [each for each in node.expressions if not _is_same(each, node.children[0].fields)]
        if strange:
            return f"'{strange[0]}' may differ between Polars and Spark"
    return "nothing is aggregated"


def _why_not(node: Aggregate) -> str:
    return f"rows are not combined: {node.combining.reason}" if node.combining is not None else "rows are not combined"


def _is_same(expression: Expression, fields: Fields) -> bool:
    """True where every part means the same in Polars as in Spark."""
    for node in expression.tree.walk():
        if not isinstance(node, _SAME_IN_POLARS):
            return False
        if isinstance(node, _COMPARISONS) and not _compares_alike(node, fields):
            return False
    return True


def _compares_alike(node: exp.Expr, fields: Fields) -> bool:
    """Fields of one type, and literals that are of it: nothing is cast in silence."""
    parts = [part for part in node.iter_expressions() if not isinstance(part, exp.Query)]
    kinds = {_family(fields.of(part.name).type) for part in parts if isinstance(part, exp.Column)}
    literals = {_literal_family(part) for part in parts if isinstance(part, exp.Literal)}
    plain = all(isinstance(part, exp.Column | exp.Literal | exp.Boolean) for part in parts)
    allowed = {"integer", "number", "double"} if kinds == {"double"} else kinds
    return plain and len(kinds) == 1 and literals <= allowed and "other" not in kinds


def _family(kind: Type) -> str:
    if kind.is_integral:
        return "integer"
    return {"STRING": "text", "DOUBLE": "double"}.get(kind.name, "other")


def _literal_family(node: exp.Literal) -> str:
    if node.is_string:
        return "text"
    return "integer" if node.name.isdecimal() else "number"
