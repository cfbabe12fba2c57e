"""A run that is watched in every way: metrics, log lines, spans to a real receiver, lineage to a file and an address.

One job of Spark shows all of it, and its repetition that a micro-batch counts once.
"""

from __future__ import annotations

import json
import re
import shutil
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.observability.conftest import Receiver as Spans
from tests.observability.test_exposition import parsed

from velostream.cli.check import validated
from velostream.cli.inputs import Input
from velostream.errors import VeloError
from velostream.jobs import writing
from velostream.jobs.asking import ask_history
from velostream.jobs.runner import Runner
from velostream.observability.exposition import exposition
from velostream.observability.history.reading import kept
from velostream.observability.snapshot import application, snapshot
from velostream.observability.watching import watched
from velostream.plan import plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START = 1_700_000_000_000
SQL = """
CREATE STREAM s (k STRING, v INT, p DECIMAL(10,2), at BIGINT) WITH ('s.type' = 'file_source', 's.path' = 'in/*.jsonl',
    's.format' = 'jsonl', 's.files.per.batch' = '1', 's.event.time.field' = 'at',
    's.event.time.format' = 'epoch_millis');
-- @name: plain
-- @metric: rows_total
-- @metric_help: Rows that came out
-- @metric_labels: k
-- @metric: paid_total
-- @metric_field: p
-- @metric: big_total
-- @metric_condition: v > 5
-- @metric: ratio
-- @metric_type: histogram
-- @metric_field: 10 / (v - 3)
-- @metric_buckets: 1, 2, 5
-- @metric: last_v
-- @metric_type: gauge
-- @metric_field: v
-- @metric_labels: k
-- @metric: sampled_total
-- @metric_sample_rate: 0.5
-- @log: nine
-- @log_level: warning
-- @log_condition: v = 9 AND 1 / (v - 3) > 0
-- @log: quiet
-- @log_level: debug
CREATE STREAM o AS SELECT k, v, p FROM s INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out',
    'out.format' = 'jsonl', 'metrics.max_series' = '3', 'lineage.file' = 'lineage.jsonl',
    'lineage.every' = '1h');
-- @name: windows
-- @metric: window_rows_total
-- @metric_field: n
-- @metric_labels: k
CREATE STREAM w AS SELECT k, COUNT(*) AS n FROM s WHERE v >= 0 GROUP BY k WINDOW TUMBLING(1m)
    INTO sums WITH ('sums.type' = 'file_sink', 'sums.path' = 'sums', 'sums.format' = 'jsonl', 'lineage.url' = '{url}',
    'lineage.every' = '1ms', 'observability.tracing.enabled' = 'false');
"""


class Receiver:
    """Lineage events by HTTP."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.events.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(201)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()


def run(spark: SparkSession, home: Path, url: str, said: list[str]) -> tuple[Runner, str]:
    text = SQL.replace("{url}", url)
    answer = validated(Input("shop.sql", text, home), preset="", overrides={})
    assert not answer.findings.errors, answer.findings.errors
    runner = Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)
    with watched(runner, said.append, 0, "json", "info"):
        port = re.search(r"metrics: http://127.0.0.1:(\d+)/metrics", "".join(said))[1]  # type: ignore[index]
        runner.read_all()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as page:
            served = page.read().decode()
        for job in runner.jobs:
            if job.lowered.stateful:
                job.flush()
            job.stop()
    return runner, served


def values(text: str, name: str) -> dict[str, float]:
    """The series of a metric, by the values of their own labels."""
    return {
        ",".join(value for key, value in labels if key not in ("app", "job_name")): number
        for (found, labels), number in parsed(text).items()
        if found == name
    }


def test_all_that_is_said_of_a_run_is_true_also_after_a_repeated_micro_batch(
    one_spark: SparkSession, tmp_path: Path, otlp: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{otlp.http}")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "shop")
    (tmp_path / "in").mkdir()
    for file in range(3):
        rows = [
            {"k": "abcde"[i % 5], "v": i % 10, "p": "0.10", "at": START + file * 60_000 + i * 100} for i in range(200)
        ]
        (tmp_path / "in" / f"{file}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    receiver, said = Receiver(), list[str]()
    url = f"http://127.0.0.1:{receiver.server.server_port}"
    first, served = run(one_spark, tmp_path, url, said)

    _metrics_are_exact(served)
    _lines_are_written(said)
    _spans_are_received(otlp.spans())
    _lineage_is_told(tmp_path / "lineage.jsonl", receiver)
    taken = application(first)
    json.dumps(taken, allow_nan=False)
    assert exposition(taken["jobs"], taken["tables"]).strip() == ""

    _history_is_kept(one_spark, tmp_path, first)

    # The last micro-batch is done again, by the other way: its rows stay in Spark.
    folder = tmp_path / "checkpoint" / "plain" / "spark" / "commits"
    commits = sorted(folder.glob("[0-9]*"), key=lambda file: int(file.name))
    commits[-1].unlink()
    commits[-1].with_name(f".{commits[-1].name}.crc").unlink(missing_ok=True)
    shutil.copy(tmp_path / "in" / "0.jsonl", tmp_path / "in" / "3.jsonl")
    monkeypatch.setattr(writing, "FEW", 10)
    _, again = run(one_spark, tmp_path, url, [])
    assert values(again, "rows_total") == {"a": 160, "b": 160, "c": 160, "_other": 320}
    assert values(again, "paid_total") == {"": 80.0}
    assert values(again, "last_v") == {"a": 5, "b": 6, "c": 7, "_other": 9}
    assert values(again, "ratio_count") == {"": 720}


def _metrics_are_exact(served: str) -> None:
    assert values(served, "rows_total") == {"a": 120, "b": 120, "c": 120, "_other": 240}
    assert values(served, "paid_total") == {"": 60.0}
    assert values(served, "big_total") == {"": 240}
    assert values(served, "ratio_bucket") == {"1.0": 180, "2.0": 300, "5.0": 480, "+Inf": 540}
    assert values(served, "last_v") == {"a": 5, "b": 6, "c": 7, "_other": 9}
    assert 200 < values(served, "sampled_total")[""] < 400
    assert values(served, "window_rows_total") == dict.fromkeys("abcde", 80)
    skipped = values(served, "velo_metric_skipped_total")
    assert skipped == {"rows_total,over": 6, "last_v,over": 6, "ratio,failed": 60}
    assert values(served, "velo_sink_rows_total") == {"out": 600, "sums": 10}
    assert "# HELP rows_total Rows that came out" in served


def _lines_are_written(said: list[str]) -> None:
    lines = [json.loads(line) for line in said if line.startswith("{")]
    nine = [line for line in lines if line["message"] == "nine"]
    assert len(nine) == 60
    assert nine[0] | {"time": "", "trace_id": "", "span_id": ""} == {
        **{"time": "", "level": "warning", "message": "nine", "job": "plain", "statement": nine[0]["statement"]},
        **{"batch": 0, "trace_id": "", "span_id": "", "row": {"k": "e", "v": 9, "p": "0.10"}},
    }
    assert len(nine[0]["trace_id"]) == 32
    assert not any(line["message"] == "quiet" for line in lines)
    assert sum("label combinations" in line["message"] for line in lines) == 2
    assert {line["job"] for line in lines if line["message"] == "job started"} == {"plain", "windows"}


def _spans_are_received(received: list[dict[str, Any]]) -> None:
    assert {span["service"] for span in received} == {"shop"}
    assert {span["attributes"]["velostream.job"] for span in received} == {"plain"}  # the other job said no
    (job,) = [span for span in received if span["name"] == "job plain"]
    batches = [span for span in received if span["name"] == "batch plain"]
    assert [span["attributes"]["velostream.batch"] for span in batches][:3] == [0, 1, 2]
    assert all(span["links"] == [job["trace"]] and not span["parent"] for span in batches)
    stages = {span["name"] for span in received if span["parent"] == batches[0]["span"]}
    assert stages == {"compute", "rows", "sink out", "accounts"}


def _history_is_kept(spark: SparkSession, home: Path, runner: Runner) -> None:
    tables = kept(runner.plan, home / "checkpoint", home)
    sql = "SELECT job, MAX(records_read) AS n, MAX(state) AS state FROM jobs WHERE app = 'shop' GROUP BY job ORDER BY 1"
    pieces = {name: pa.concat_tables([table.slice(0, 0), table.slice(0, 0), table]) for name, table in tables.items()}
    assert ask_history(sql, pieces, spark).to_pylist() == ask_history(sql, tables, spark).to_pylist()
    assert ask_history(sql, tables, spark).to_pylist() == [
        {"job": "plain", "n": 600, "state": "stopped"},
        {"job": "windows", "n": 600, "state": "stopped"},
    ]
    finals = "SELECT window_start, SUM(rows) AS rows, SUM(records) AS records FROM windows GROUP BY 1 ORDER BY 1"
    assert [(row["rows"], row["records"]) for row in ask_history(finals, tables, spark).to_pylist()] == [(5, 200)] * 3
    with pytest.raises(VeloError, match="cannot be answered") as failure:
        ask_history("SELECT * FROM nothing", tables, spark)
    assert "tables: jobs, partitions" in failure.value.hint
    windows = snapshot(runner.jobs[1], "shop")
    assert [window["final"] for window in windows["emissions"]] == [5, 5, 5]
    (stage,) = windows["stages"]
    assert (stage["node"], stage["records"], stage["rows"]) == ("Aggregate", 600, 15)
    assert stage["seconds"] > 0
    assert windows["delivered"]["s/0"]["records"] == 600


def _lineage_is_told(file: Path, receiver: Receiver) -> None:
    told = [json.loads(line) for line in file.read_text().splitlines()]
    assert [event["eventType"] for event in told] == ["START", "COMPLETE"]
    assert len({event["run"]["runId"] for event in told}) == 1
    last = told[-1]
    assert last["job"]["name"] == "shop.plain"
    assert last["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] == 600
    (output,) = last["outputs"]
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 600
    field = output["facets"]["columnLineage"]["fields"]["v"]["inputFields"][0]
    assert (field["name"], field["field"]) == (str(file.parent.resolve() / "in/*.jsonl"), "v")
    assert field["transformations"][0]["subtype"] == "IDENTITY"
    kinds = [event["eventType"] for event in receiver.events]
    assert (kinds[0], kinds[-1], set(kinds)) == ("START", "COMPLETE", {"START", "RUNNING", "COMPLETE"})
    deciding = receiver.events[0]["outputs"][0]["facets"]["columnLineage"]["dataset"]
    assert {each["transformations"][0]["subtype"] for each in deciding} == {"FILTER", "GROUP_BY", "WINDOW"}
