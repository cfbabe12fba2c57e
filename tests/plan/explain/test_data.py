import json
from pathlib import Path
from typing import Any

import pytest
from tests.plan.asking import planned

from velostream.plan import explain_data

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.sql"))


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(each for child in plan["inputs"] for each in nodes(child))]


@pytest.mark.parametrize("file", GOLDEN, ids=[file.stem for file in GOLDEN])
def test_every_plan_is_plain_data_that_is_the_same_each_time(file: Path) -> None:
    first, second = (json.dumps(explain_data(planned(file.read_text()))) for _ in range(2))
    assert first == second


def test_an_application_is_its_jobs_and_tables() -> None:
    data = explain_data(planned("SELECT t.id, l.owner FROM trades t JOIN limits l ON l.symbol = t.symbol"))
    assert data["application"] == "app"
    assert [table["name"] for table in data["tables"]] == ["limits"]
    [job] = data["jobs"]
    assert {"name", "kind", "mode", "plan", "lineage", "state", "fingerprint", "waits_for", "partitioning"} <= set(job)
    assert job["waits_for"] == ["limits"]
    assert job["kind"] == "query"


def test_a_window_tells_all_that_execution_needs() -> None:
    [job] = explain_data(
        planned(
            """SELECT symbol, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY price) AS p90 FROM trades
               GROUP BY symbol WINDOW TUMBLING(1m) EMIT EARLY EVERY 5s WITH ('allowed.lateness' = '1m')"""
        )
    )["jobs"]
    [aggregate] = [node for node in nodes(job["plan"]) if node["node"] == "Aggregate"]
    assert aggregate["window"] == {
        "kind": "TUMBLING",
        "size": 60_000_000,
        "offset": 0,
        "time": "trades._event_time",
        "retention": None,
    }
    assert aggregate["emission"]["mode"] == "FINAL"
    assert aggregate["emission"]["early"] == 5_000_000
    assert aggregate["lateness"] == {"allowed": 60_000_000, "strategy": "dead_letter"}
    assert aggregate["buckets_by"] == ["trades.symbol"]
    [call] = aggregate["aggregates"]
    assert call["accumulator"] == "percentile_cont"
    assert call["arguments"] == ["trades.price"]
    assert call["parameters"] == [0.9]
    [scan] = [node for node in nodes(job["plan"]) if node["node"] == "Scan"]
    assert scan["watermark"]["max_out_of_orderness"] == 5_000_000
    assert scan["event_time"]["column"] == "at"
    assert scan["scan"]["way"] == "spark"


def test_sinks_tell_columns_keys_and_guarantees() -> None:
    [job] = explain_data(
        planned(
            """SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) INTO out WITH (
                 'out.type' = 'database_sink', 'out.url' = 'postgresql://localhost/d', 'out.table' = 't')"""
        )
    )["jobs"]
    [sink] = job["plan"]["sinks"]
    assert sink == {
        "name": "out",
        "connector": "database_sink",
        "place": {"table": "t", "url": "postgresql://localhost/d"},
        "format": None,
        "writes": "upsert",
        "guarantee": "exactly once",
        "key": ["symbol"],
        "identity": ["symbol", "_window_start"],
        "columns": ["symbol", "n", "_window_start", "_revision"],
        "added": ["_window_start", "_revision"],
    }


def test_sources_and_sinks_tell_where_they_are_and_no_secret() -> None:
    [job] = explain_data(
        planned(
            """SELECT t.id PRIMARY KEY FROM trades t JOIN limits l ON l.symbol = t.symbol INTO out WITH (
                 'out.type' = 'database_sink', 'out.url' = 'postgresql://me:hush@h/d?sslpassword=hush&a=b',
                 'out.table' = 't', 'out.password' = 'hush')"""
        )
    )["jobs"]
    found = {node["node"]: node for node in nodes(job["plan"])}
    assert found["Scan"]["place"] == {"topic": "trades", "bootstrap.servers": "localhost:9092"}
    assert found["TableScan"]["place"] == {"path": "limits.csv"}
    assert found["Sinks"]["sinks"][0]["place"] == {
        "table": "t",
        "url": "postgresql://me:****@h/d?sslpassword=****&a=b",
    }
    assert "hush" not in json.dumps(job)


def test_a_project_that_sets_the_event_time_tells_the_watermark() -> None:
    sql = "SELECT symbol, at + INTERVAL '1' HOUR AS _event_time FROM trades"
    sink = " INTO o WITH ('o.type' = 'kafka_sink', 'o.topic' = 't', 'o.bootstrap.servers' = 'h:9092')"
    [job] = explain_data(planned(sql + sink))["jobs"]
    [project] = [node for node in nodes(job["plan"]) if node["node"] == "Project"]
    assert [mark["max_out_of_orderness"] for mark in project["watermarks"]] == [5_000_000]
    [job] = explain_data(planned("SELECT symbol FROM trades" + sink))["jobs"]
    assert all(node["watermarks"] == [] for node in nodes(job["plan"]) if node["node"] == "Project")
