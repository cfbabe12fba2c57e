"""Plans of SQL text over a few streams and tables, and short outlines of them."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.functions import LIBRARY
from velostream.plan import plan
from velostream.plan.build import build
from velostream.plan.explain.node_text import TEXT
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Node
from velostream.plan.passes import PASSES, Pass
from velostream.validation import validate
from velostream.validation.bound import BoundApplication

SETUP = """
CREATE STREAM trades (id STRING, symbol STRING, price DOUBLE, quantity INT, tags ARRAY<STRING>, at TIMESTAMP) WITH (
  'type' = 'kafka_source', 'topic' = 'trades', 'bootstrap.servers' = 'localhost:9092',
  'event.time.field' = 'at', 'watermark.max_out_of_orderness' = '5s');
CREATE STREAM quotes (symbol STRING, bid DOUBLE, quoted TIMESTAMP) WITH (
  'type' = 'kafka_source', 'topic' = 'quotes', 'bootstrap.servers' = 'localhost:9092', 'event.time.field' = 'quoted');
CREATE STREAM readings (sensor STRING, level DOUBLE, grade INT, taken TIMESTAMP) WITH (
  'type' = 'file_source', 'path' = 'readings/*.parquet', 'format' = 'parquet', 'event.time.field' = 'taken');
CREATE TABLE limits (symbol STRING PRIMARY KEY, most INT, owner STRING, since TIMESTAMP) WITH (
  'type' = 'file_source', 'path' = 'limits.csv', 'format' = 'csv');
"""


def bound(sql: str) -> BoundApplication:
    """The bound form of SQL that has no errors."""
    answer = validate(SETUP + sql, "app.sql")
    assert not answer.findings.errors, answer.findings.errors
    return answer.bound


def built(sql: str) -> ApplicationPlan:
    """The plan as written, before any pass."""
    return build(bound(sql), LIBRARY)


def planned(sql: str) -> ApplicationPlan:
    """The plan after all passes."""
    return plan(bound(sql))


def job(sql: str) -> Job:
    """The last job after all passes."""
    return planned(sql).jobs[-1]


def around(change: Pass, sql: str, *labels: str) -> tuple[str, str]:
    """Outlines of the last job before and after one pass, all earlier passes done."""
    application = built(sql)
    for earlier in PASSES[: PASSES.index(change)]:
        application = earlier(application)
    return outline(application.jobs[-1].root, *labels), outline(change(application).jobs[-1].root, *labels)


def outline(node: Node, *labels: str) -> str:
    """The titles of a plan, indented, and the details that have one of these labels."""
    return "\n".join(_outlined(node, "", set(labels)))


def _outlined(node: Node, indent: str, labels: set[str]) -> Iterator[str]:
    title, details = TEXT(node)
    yield f"{indent}{title}"
    yield from (f"{indent}  - {label}: {text}" for label, text in details if label in labels)
    for child in node.children:
        yield from _outlined(child, f"{indent}  ", labels)


def found(node: Node, kind: type[Node]) -> list[Node]:
    """All nodes of a kind, from the root down."""
    return [each for each in node.walk() if type(each) is kind]
