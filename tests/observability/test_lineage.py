"""Lineage as a graph, and as OpenLineage events that say where every column comes from."""

import json
from pathlib import Path
from typing import Any

from velostream.cli.check import validated
from velostream.cli.inputs import Input
from velostream.observability.datasets import inputs_of, named, outputs_of
from velostream.observability.graph import graph
from velostream.plan import plan
from velostream.plan.job import ApplicationPlan

SQL = """
CREATE STREAM s (k STRING, v DOUBLE, at TIMESTAMP) WITH ('s.type' = 'file_source', 's.path' = 'in/*.jsonl',
    's.format' = 'jsonl', 's.event.time.field' = 'at');
CREATE TABLE totals AS SELECT k PRIMARY KEY, SUM(v) AS total FROM s WHERE v > 0 GROUP BY k;
CREATE STREAM joined AS SELECT s.k, s.v * 2 AS twice, t.total FROM s JOIN totals t ON s.k = t.k
    INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl');
"""


def planned(sql: str = SQL) -> ApplicationPlan:
    answer = validated(Input("app.sql", sql, Path()), preset="", overrides={})
    assert not answer.findings.errors, answer.findings.errors
    return plan(answer.bound, answer.library)


def test_columns_can_be_followed_through_a_table() -> None:
    drawn = graph(planned())
    json.dumps(drawn)
    ids = {node["id"]: node for node in drawn["nodes"]}
    assert set(ids) == {"stream:s", "table:totals", "sink:out", "job:totals", "job:joined"}
    assert {"from": "job:totals", "to": "table:totals"} in drawn["edges"]
    assert {"from": "table:totals", "to": "job:joined"} in drawn["edges"]
    steps = {(tuple(each["from"]), tuple(each["to"]), each["how"]) for each in drawn["columns"]}
    assert (("stream:s", "v"), ("table:totals", "total"), "aggregate") in steps
    assert (("table:totals", "total"), ("sink:out", "total"), "identity") in steps
    assert (("stream:s", "v"), ("sink:out", "twice"), "expression") in steps
    hows = {(tuple(each["from"]), each["how"], each["job"]) for each in drawn["influences"]}
    assert {(("stream:s", "v"), "filter", "totals"), (("table:totals", "k"), "join", "joined")} <= hows


def test_every_end_of_an_edge_is_a_node_with_that_column() -> None:
    drawn = graph(planned())
    columns = {(node["id"], column["name"]) for node in drawn["nodes"] for column in node["columns"]}
    for each in drawn["columns"]:
        assert tuple(each["from"]) in columns
        assert tuple(each["to"]) in columns


class Told:
    """Settings as a dictionary."""

    def __init__(self, **values: Any) -> None:
        self.values = {name.replace("_", "."): value for name, value in values.items()}

    def get(self, name: str) -> Any:
        return self.values[name]


def test_things_have_the_names_that_others_know_them_by_and_no_password() -> None:
    assert named("s", Told(bootstrap_servers="b:9092,c:9092", topic=("orders",)), "ns") == ("kafka://b:9092", "orders")
    url = "postgresql://me:secret@db:5432/shop"
    assert named("s", Told(url=url, table="t"), "ns") == ("postgresql://db:5432", "shop.t")
    assert named("s", Told(path="in/*.csv"), "ns") == ("file", "in/*.csv")
    assert named("s", None, "ns") == ("ns", "s")


def test_a_job_reads_and_writes_what_its_plan_says() -> None:
    whole = planned()
    joined = next(job for job in whole.jobs if job.name == "joined")
    assert {each.label: each.kind for each in inputs_of(joined, whole, "ns")} == {"s": "stream", "totals": "table"}
    assert [(each.label, each.namespace, each.name) for each in outputs_of(joined, "ns")] == [("out", "file", "out")]
