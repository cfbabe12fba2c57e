from dataclasses import replace
from pathlib import Path

import pytest
from tests.testing.plans import case_of, planned

from velostream.testing.document import InvalidSpec
from velostream.testing.feeding import Feed, feeds_of
from velostream.testing.rewiring import catch_sinks, feed_sources

QUERY = "SELECT k FROM s"


def feed(folder: Path, inputs: str, query: str = QUERY) -> Feed:
    case = case_of(f"sql: X\ninputs: {{s: {inputs}}}", folder)
    [found] = feeds_of(case, planned(query), folder / "input").values()
    return found


def test_rows_become_visible_batch_by_batch(tmp_path: Path) -> None:
    rows = feed(tmp_path, "{batches: [[{v: 1}], [], [{v: 2, _partition: 3}]]}")
    assert rows.batches == 3
    rows.reveal(1)
    assert [file.name for file in sorted((tmp_path / "input" / "s").iterdir())] == ["000000.jsonl"]
    rows.reveal(3)
    texts = [file.read_text().splitlines() for file in sorted((tmp_path / "input" / "s").iterdir())]
    assert [len(lines) for lines in texts] == [2, 1, 2]
    assert all("[0, 3]" in lines[0] for lines in texts)


def test_a_scan_reads_what_is_given_and_its_sinks_are_caught(tmp_path: Path) -> None:
    case = case_of("sql: X\ninputs: {S: [{v: 1}]}", tmp_path)
    plan = planned(QUERY)
    wired, caught = catch_sinks(feed_sources(plan, feeds_of(case, plan, tmp_path)), "run", keep_prints=False)
    [job] = wired.jobs
    assert [scan.connector for scan in job.scans] == ["given"]
    assert [(one.job, one.sink) for one in caught] == [("query_1", "")]
    printing, nothing = catch_sinks(plan, "run", keep_prints=True)
    assert printing == plan
    assert not nothing


def test_files_are_copied_in_order_of_name(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("b.jsonl", "a.jsonl", "c.jsonl"):
        (tmp_path / "data" / name).write_text("{}\n")
    files = feed(tmp_path, "{files: {path: data/*.jsonl, files.per.batch: 2, partition.by: file}}")
    assert files.batches == 2
    files.reveal(1)
    found = tmp_path / "input" / "s"
    assert [file.name for file in sorted(found.iterdir())] == ["000000-a.jsonl", "000001-b.jsonl"]
    [scan] = planned(QUERY).jobs[0].scans
    replaced = files.scan(scan)
    assert replaced.connector == "file_source"
    assert replaced.settings.text("path") == str(found)
    assert replaced.settings.text("format") == "jsonl"
    assert replaced.settings.text("partition.by") == "file"
    with pytest.raises(InvalidSpec, match="'s' is a stream of changes"):
        files.scan(replace(scan, changelog=True))


def test_generated_records_begin_on_the_day_of_the_case(tmp_path: Path) -> None:
    generated = feed(tmp_path, "{generate: {rows: 10, seed: 3}}")
    [scan] = planned(QUERY).jobs[0].scans
    replaced = generated.scan(scan)
    assert replaced.connector == "datagen_source"
    assert replaced.settings.integer("rows") == 10
    assert replaced.settings.get("start.time") == 1_704_067_200_000_000


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ("{files: {format: csv}}", "'files' needs 'path'"),
        ("{files: {path: nowhere/*}}", "no file matches 'nowhere/"),
        ("{generate: {seed: 3}}", "without end"),
        ("{generate: {rows: 3, sede: 3}}", "no property 'sede'"),
    ],
)
def test_inputs_that_cannot_be_read_or_made_are_refused(tmp_path: Path, inputs: str, message: str) -> None:
    [scan] = planned(QUERY).jobs[0].scans
    with pytest.raises(InvalidSpec, match=message) as refusal:
        feed(tmp_path, inputs).scan(scan)
    assert refusal.value.hint


def test_a_source_that_is_given_nothing_must_end_by_itself(tmp_path: Path) -> None:
    case = case_of("sql: X\ninputs: {}\nexpect: []", tmp_path)
    with pytest.raises(InvalidSpec, match="nothing is given to source 's', a kafka_source"):
        feeds_of(case, planned(QUERY), tmp_path)
