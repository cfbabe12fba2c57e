"""Lineage as a graph, and as OpenLineage events that say where every column comes from."""

import json
from pathlib import Path
from typing import Any

from velostream.cli.check import validated
from velostream.cli.inputs import Input
from velostream.observability.datasets import Dataset, inputs_of, named, outputs_of, whole
from velostream.observability.graph import Graph
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
    drawn = Graph().add(planned()).data()
    json.dumps(drawn)
    places = {node["id"]: node["place"] for node in drawn["nodes"]}
    assert places == {
        **{"app/source/s": "file/in/*.jsonl", "app/table/totals": "", "app/sink/out": "file/out"},
        **{"app/job/totals": "", "app/job/joined": ""},
    }
    steps = {
        (f"{each['source']}.{each['source_column']}", f"{each['target']}.{each['target_column']}", each["how"])
        for each in drawn["edges"]
    }
    assert steps >= {
        ("app/source/s.v", "app/job/totals.total", "aggregate"),
        ("app/job/totals.total", "app/table/totals.total", "identity"),
        ("app/table/totals.total", "app/job/joined.total", "identity"),
        ("app/source/s.v", "app/job/joined.twice", "expression"),
        ("app/source/s.v", "app/job/totals.", "filter"),
        ("app/table/totals.k", "app/job/joined.", "join"),
    }


def test_every_end_of_an_edge_is_a_node_with_that_column_and_what_is_printed_is_of_its_job() -> None:
    more = "SELECT k FROM s; -- one\nSELECT v FROM s;"
    drawn = Graph().add(planned(SQL + more), "shop").data()
    columns = {(node["id"], column) for node in drawn["nodes"] for column in (*node["columns"], "")}
    for each in drawn["edges"]:
        assert (each["source"], each["source_column"]) in columns
        assert (each["target"], each["target_column"]) in columns
    assert [node["columns"] for node in drawn["nodes"] if "console of" in node["name"]] == [["k"], ["v"]]


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
    assert named("s", Told(path="s3://me:secret@lake/in/*.csv"), "ns") == ("s3://lake", "in/*.csv")
    assert named("s", None, "ns") == ("ns", "s")


def test_a_file_has_the_name_by_which_other_folders_know_it() -> None:
    folder = Path("/data/apps")
    assert whole(Dataset("s", "stream", "file", "../in/*.csv"), folder).name == "/data/in/*.csv"
    assert whole(Dataset("s", "stream", "file", "/in/a.csv"), folder).name == "/in/a.csv"
    assert whole(Dataset("s", "stream", "kafka://b:9092", "orders"), folder).name == "orders"


def test_a_job_reads_and_writes_what_its_plan_says() -> None:
    whole = planned()
    joined = next(job for job in whole.jobs if job.name == "joined")
    assert {each.label: each.kind for each in inputs_of(joined, whole, "ns")} == {"s": "stream", "totals": "table"}
    assert [(each.label, each.namespace, each.name) for each in outputs_of(joined, "ns")] == [("out", "file", "out")]
