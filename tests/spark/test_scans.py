"""Files of every format on Spark: by its own source where nothing is remembered, else by ours, with the same rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from velostream.errors import VeloError
from velostream.jobs.runner import Runner
from velostream.plan import plan
from velostream.validation import validate

ROWS = [("a", 1), ('say "hi", you', 2), ("two\nlines", None), ("é", -4)]
PLAIN = "SELECT k, v FROM s"
FROM_FILE = "SELECT k, v, _topic FROM s"
PLACED = "SELECT k, v, _partition, _offset, _topic FROM s"


def started(spark: Any, home: Path, query: str, *, columns: str = "k STRING, v INT", **settings: str) -> Runner:
    everything = {"type": "file_source", "path": f"{home}/in", **settings}
    written = ", ".join(f"'{key}' = '{value}'" for key, value in everything.items())
    sink = f"'out.type' = 'file_sink', 'out.path' = '{home}/out', 'out.format' = 'jsonl'"
    text = f"CREATE STREAM s ({columns}) WITH ({written});\nCREATE STREAM x AS {query} INTO out WITH ({sink})"
    answer = validate(text, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    return Runner(plan(answer.bound, answer.library), spark, home / "checkpoint", home, print)


def run(spark: Any, home: Path, query: str, **settings: str) -> dict[str, Any]:
    runner = started(spark, home, query, **settings)
    runner.run_until_done()
    [report] = runner.report()["jobs"]
    return dict(report)


def read(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(folder.rglob("*.jsonl")) for line in file.read_text().splitlines()]


def write(folder: Path, format_name: str) -> None:
    folder.mkdir(parents=True)
    if format_name == "parquet":
        table = pa.table({"v": pa.array([v for _, v in ROWS], pa.int32()), "k": [k for k, _ in ROWS]})
        pq.write_table(table, folder / "0.parquet")
    elif format_name == "csv":
        lines = ["k,v", *(f'"{k.replace(chr(34), chr(34) * 2)}",{"" if v is None else v}' for k, v in ROWS)]
        (folder / "0.csv").write_text("\n".join(lines) + "\n\n")
    else:
        with gzip.open(folder / "0.jsonl.gz", "wt") as file:
            file.writelines(json.dumps({"k": k, "v": v}) + "\n\n" for k, v in ROWS)


@pytest.mark.parametrize("format_name", ["jsonl", "csv", "parquet"])
def test_both_ways_read_the_same_records(one_spark: Any, tmp_path: Path, format_name: str) -> None:
    for name, query in (("native", FROM_FILE), ("ours", PLACED)):
        home = tmp_path / name
        write(home / "in", format_name)
        report = run(one_spark, home, query, format=format_name)
        found = sorted((row["k"], row["v"]) for row in read(home / "out"))
        assert found == sorted(ROWS), name
        assert {row["_topic"] for row in read(home / "out")} == {str(file) for file in (home / "in").iterdir()}, name
        assert report["records"]["read"] == len(ROWS)
    assert sorted(row["_offset"] for row in read(home / "out")) == [0, 1, 2, 3]


@pytest.mark.parametrize("query", [PLAIN, PLACED])
def test_bytes_that_are_not_text_are_a_dead_letter_that_keeps_them(one_spark: Any, tmp_path: Path, query: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.jsonl").write_bytes(b'{"k": "a", "v": 1}\n{"k": "\xff", "v": 2}\n{"k": "b", "v": "x"}\n')
    report = run(one_spark, tmp_path, query, format="jsonl", path=f"{tmp_path}/in/0.jsonl")
    assert [row["k"] for row in read(tmp_path / "out")] == ["a"]
    assert report["records"]["dead_lettered"] == {"undecodable": 2}
    letters = {letter["record"]: letter for letter in read(tmp_path / "checkpoint" / "x" / "dead-letters")}
    assert "UTF-8" in letters["base64:eyJrIjogIv8iLCAidiI6IDJ9"]["error"]
    assert '{"k": "b", "v": "x"}' in letters


def test_a_plan_without_state_does_not_enter_python(one_spark: Any, tmp_path: Path) -> None:
    plans = []
    for format_name in ("jsonl", "parquet"):
        home = tmp_path / format_name
        write(home / "in", format_name)
        runner = started(one_spark, home, f"{PLAIN} WHERE v > 0", format=format_name)
        runner.prepare(bounded=True)
        [job] = runner.jobs

        stream = job.lowered.stream.writeStream.foreachBatch(lambda batch, number: batch.count() and None)
        query = stream.option("checkpointLocation", str(home / "look")).trigger(availableNow=True).start()
        query.awaitTermination()
        plans.append(query._jsq.explainInternal(False))
    assert len(plans) == 2
    for text in plans:
        assert "FileScan" in text
        assert "Python" not in text
        assert "Arrow" not in text
        assert "velo_" not in text
        assert "_metadata" not in text, "nobody asked for the file of a record, nor for its number there"


def test_the_time_of_a_micro_batch_is_not_in_the_code_that_decodes_records(one_spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", "jsonl")
    query = "SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)"
    settings = {"format": "jsonl", "event.time.field": "at"}
    runner = started(one_spark, tmp_path, query, columns="k STRING, v INT, at TIMESTAMP", **settings)
    runner.prepare(bounded=True)
    [job] = runner.jobs
    behind, _, before = job.lowered.stream._jdf.queryExecution().analyzed().toString().partition("MapInArrow")
    assert "current_timestamp()" in behind
    assert "current_timestamp()" not in before, "Spark would compile all of it anew for every micro-batch"


def test_further_micro_batches_compile_nothing(one_spark: Any, tmp_path: Path) -> None:
    compiled = one_spark._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    query = "SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)"
    settings = {"format": "jsonl", "event.time.field": "at", "files.per.batch": "1", "scan.in_worker": "never"}
    before = 0
    for number, files in enumerate((2, 6)):
        home = tmp_path / str(number)
        (home / "in").mkdir(parents=True)
        for each in range(files):
            line = json.dumps({"k": "a", "at": f"2026-01-01T00:0{each}:00Z"})
            (home / "in" / f"{each}.jsonl").write_text(line + "\n")
        before = compiled.getCount()
        report = run(one_spark, home, query, columns="k STRING, at TIMESTAMP", **settings)
        assert report["records"]["in_results"] == files
    assert compiled.getCount() - before < 4, "what is generated has something of its micro-batch in it"


def test_a_csv_header_in_another_order_is_mapped_by_name(one_spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("extra,V,k\nx,1,a\ny,2\nz,NA,b\n")
    report = run(one_spark, tmp_path, PLAIN, format="csv", **{"csv.null": "NA"})
    assert [(row["k"], row["v"]) for row in read(tmp_path / "out")] == [("a", 1), ("b", None)]
    assert report["records"]["dead_lettered"] == {"undecodable": 1}
    [letter] = read(tmp_path / "checkpoint" / "x" / "dead-letters")
    assert (letter["record"], letter["error"]) == ("y,2", "2 values where the header has 3")


def test_a_column_that_no_file_has_is_refused(one_spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in", "csv")
    with pytest.raises(VeloError, match="no file of 's' has column 'vv'") as refusal:
        run(one_spark, tmp_path, "SELECT k FROM s", format="csv", columns="k STRING, vv INT")
    assert "'v'" in refusal.value.hint


def test_partitions_by_a_column_are_never_negative(one_spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    lines = [json.dumps({"k": k, "v": v}) for k, v in [("a", 7), ("b", -7), ("c", None), ("a", 7)]]
    (tmp_path / "in" / "0.jsonl").write_text("\n".join(lines) + "\n")
    run(one_spark, tmp_path, PLACED, format="jsonl", **{"partition.by": "v"})
    [first, second, third, last] = read(tmp_path / "out")
    assert first["_partition"] == last["_partition"] == 7
    assert second["_partition"] > 7
    assert third["_partition"] is None


def test_what_is_added_to_a_file_is_read_in_the_next_run(one_spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "0.csv"
    settings = {"format": "csv", "growing": "true", "partition.by": "file"}
    file.write_text("v,k\n1,a\n")
    run(one_spark, tmp_path, "SELECT k, v, _offset FROM s", **settings)
    with file.open("a") as more:
        more.write("2,b\n")
    report = run(one_spark, tmp_path, "SELECT k, v, _offset FROM s", **settings)
    assert [(row["k"], row["v"], row["_offset"]) for row in read(tmp_path / "out")] == [("a", 1, 0), ("b", 2, 1)]
    assert report["records"]["read"] == 2


def test_files_are_read_on_by_whoever_began_to_read_them(one_spark: Any, tmp_path: Path) -> None:
    for name, first, then in (("ours", PLACED, PLAIN), ("sparks", PLAIN, PLACED)):
        home = tmp_path / name
        write(home / "in", "jsonl")
        run(one_spark, home, first, format="jsonl")
        (home / "in" / "1.jsonl").write_text('{"k": "new", "v": 9}\n')
        if name == "ours":
            assert run(one_spark, home, then, format="jsonl")["records"]["read"] == len(ROWS) + 1
            assert sorted(row["k"] for row in read(home / "out")) == sorted([*(k for k, _ in ROWS), "new"])
            continue
        with pytest.raises(VeloError, match="source 's' was read by Spark so far") as caught:
            run(one_spark, home, then, format="jsonl")
        assert caught.value.error_code == "state-mismatch"
        assert "_partition, _offset" in caught.value.hint
        run(one_spark, home, first, format="jsonl")
        assert sorted(row["k"] for row in read(home / "out")) == sorted([*(k for k, _ in ROWS), "new"])
