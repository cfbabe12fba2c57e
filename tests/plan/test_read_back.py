"""A stream that is read back from its sink: a scan of what the sink writes, with event times and corrections."""

from __future__ import annotations

import pytest
from tests.plan.asking import SETUP, planned

from velostream.errors import VeloError
from velostream.functions import LIBRARY
from velostream.jobs.rounds import rounds
from velostream.observability.datasets import inputs_of, outputs_of
from velostream.plan import explain_text, plan
from velostream.plan.build import build
from velostream.plan.nodes import Aggregate, TopN
from velostream.plan.passes.inherit_lateness import inherit_lateness
from velostream.plan.passes.recognise_top_n import with_top_n
from velostream.spark.lower.changelog_refusals import unchangeable
from velostream.validation import validate

TOPIC = """INTO kept_topic WITH ('kept_topic.type' = 'kafka_sink', 'kept_topic.topic' = 'kept',
  'kept_topic.bootstrap.servers' = 'localhost:9092', 'kept_topic.acks' = 'all', 'kept_topic.client.id' = 'us'"""
FILES = "INTO files WITH ('files.type' = 'file_sink', 'files.path' = 'out/kept', 'files.format' = 'json'"
READER = "SELECT symbol FROM kept WITH ('kept.read.from.sink' = 'true')"
LATE = "'allowed.lateness' = '10m'"


def kept(select: str, sink: str, more: str = "", reader: str = READER) -> str:
    return f"CREATE STREAM kept AS {select} {sink}{more and ', '}{more}); {reader}"


def refusal(sql: str) -> VeloError:
    answer = validate(SETUP + sql, "app.sql")
    assert answer.ok, answer.findings.errors
    with pytest.raises(VeloError) as refused:
        plan(answer.bound)
    return refused.value


def test_a_topic_is_read_from_its_beginning_as_the_sink_reaches_it() -> None:
    application = planned(kept("SELECT symbol FROM trades", TOPIC))
    writer, reader = application.jobs
    [scan] = reader.scans
    assert (scan.connector, scan.source, reader.definitions, reader.reads_back) == (
        "kafka_source",
        "kept",
        (),
        ("kept",),
    )
    assert scan.settings.get("topic") == ("kept",)
    assert scan.settings.text("auto.offset.reset") == "earliest"
    assert list(scan.settings.client) == ["client.id"]
    assert scan.event_time.column == ""
    assert scan.watermark.out_of_orderness == 5_000_000
    assert "read back: from sink kept_topic of job kept" in explain_text(application)
    assert rounds(application) == [[writer], [reader]]


def test_files_are_those_of_the_sink_and_one_dataset_for_lineage() -> None:
    application = planned(kept("SELECT symbol, at AS happened FROM trades", FILES))
    writer, reader = application.jobs
    [scan] = reader.scans
    assert scan.settings.text("path") == "out/kept/part-files-*"
    assert scan.settings.text("format") == "jsonl"
    assert scan.event_time.column == "happened"
    [read], [written] = inputs_of(reader, application, "n"), outputs_of(writer, "n")
    assert (read.namespace, read.name) == (written.namespace, written.name) == ("file", "out/kept")


@pytest.mark.parametrize(
    "select",
    [
        "SELECT symbol, _event_time AS told FROM trades",
        "SELECT symbol, at AS told FROM (SELECT * FROM trades WHERE price > 1) t",
        "SELECT symbol, quantity, price, at + INTERVAL 1 MINUTE AS _event_time, at AS other FROM trades",
    ],
)
def test_the_column_of_the_event_time_is_found_or_asked_for(select: str) -> None:
    if "told" in select:
        assert planned(kept(select, FILES)).jobs[1].scans[0].event_time.column == "told"
        return
    error = refusal(kept(select, FILES))
    assert "does not tell the event time of 'kept'" in error.message
    assert "_event_time AS" in error.hint
    reader = f"{READER[:-1]}, 'kept.event.time.field' = 'other')"
    assert planned(kept(select, FILES, reader=reader)).jobs[1].scans[0].event_time.column == "other"


def test_messages_with_the_time_of_writing_do_not_tell_the_event_time() -> None:
    timeless = "'kept_topic.message.time' = 'processing_time'"
    assert "does not tell the event time" in refusal(kept("SELECT symbol FROM trades", TOPIC, timeless)).message


def test_rows_that_are_corrected_are_changes_by_group_and_window_with_the_lateness_of_their_maker() -> None:
    select = "SELECT symbol, _window_start AS started, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"
    reader = READER.replace("SELECT symbol", "SELECT symbol, SUM(n) AS n").replace(
        "WITH", "GROUP BY symbol WINDOW TUMBLING(1h) WITH"
    )
    job = inherit_lateness(planned(kept(select, TOPIC, LATE, reader))).jobs[1]
    [scan] = job.scans
    assert scan.changelog
    assert scan.key == ("symbol", "started")
    assert [column.name for column in scan.declared][-2:] == ["_emission", "_revision"]
    assert any(isinstance(node, TopN) and node.changes is scan for node in job.root.walk())
    [aggregate] = [node for node in job.root.walk() if isinstance(node, Aggregate)]
    assert aggregate.lateness.allowed == 600_000_000


@pytest.mark.parametrize(
    ("select", "more", "said", "hint"),
    [
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol",
            "",
            "does not write _window_start",
            "_window_start",
        ),
        (
            "SELECT symbol, _window_start AS started, COUNT(*) AS n FROM trades GROUP BY symbol",
            "'kept_topic.write.mode' = 'upsert'",
            "replaces them and does not say so",
            "'append'",
        ),
    ],
)
def test_corrections_that_could_not_be_told_are_refused(select: str, more: str, said: str, hint: str) -> None:
    error = refusal(kept(f"{select} WINDOW TUMBLING(1m)", TOPIC, f"{LATE}{more and ', '}{more}"))
    assert said in error.message
    assert hint in error.hint


def test_formats_of_changes_are_refused() -> None:
    error = refusal(kept("SELECT symbol PRIMARY KEY FROM trades", TOPIC, "'kept_topic.format' = 'debezium_json'"))
    assert "debezium_json replaces rows by the key of messages" in error.message


RANKED = """SELECT symbol, price, happened FROM (SELECT symbol, price, _event_time AS happened, ROW_NUMBER()
  OVER (PARTITION BY symbol ORDER BY price DESC) AS place FROM trades) t WHERE place = 1"""


def test_a_ranking_corrects_its_rows_also_where_another_stream_passes_them_on() -> None:
    reader = "SELECT symbol, price FROM kept WITH ('kept.read.from.sink' = 'true')"
    direct = planned(kept(RANKED, FILES, reader=reader)).jobs[1].scans[0]
    assert (direct.changelog, direct.key) == (True, ("symbol",))
    passed = f"CREATE STREAM best AS {RANKED}; " + kept(
        "SELECT symbol, price, happened FROM best", FILES, reader=reader
    )
    assert planned(passed).jobs[1].scans[0].changelog


MINUTES = "SELECT symbol, _window_start AS started, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"


@pytest.mark.parametrize(
    "select",
    [
        "SELECT symbol FROM trades",
        "SELECT DISTINCT symbol FROM trades",
        "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol",
        MINUTES,
        f"{MINUTES} EMIT CHANGES",
        f"{MINUTES} EMIT EARLY EVERY 5s",
        MINUTES.replace("TUMBLING(1m)", "TUMBLING(SIZE 1m, GRACE PERIOD 5s)"),
        "SELECT symbol, LAG(price) OVER (PARTITION BY symbol ORDER BY at) AS p FROM trades",
        "SELECT symbol, AVG(price) OVER (ROWS WINDOW BUFFER 5 ROWS PARTITION BY symbol) AS p FROM trades",
        RANKED,
        RANKED.replace("price DESC", "_event_time DESC"),
        RANKED.replace("price DESC", "_event_time").replace("ROW_NUMBER", "RANK"),
        "SELECT symbol FROM trades UNION SELECT symbol FROM quotes",
        "SELECT n, COUNT(*) AS symbol FROM (SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol) t GROUP BY n",
    ],
)
@pytest.mark.parametrize("more", ["", LATE, "'late.data.strategy' = 'process_all'"])
def test_validation_knows_as_the_plan_does_whether_rows_are_corrected(select: str, more: str) -> None:
    answer = validate(f"{SETUP} CREATE STREAM made AS {select} WITH ({more}); SELECT symbol FROM made", "app.sql")
    if answer.ok:
        root = with_top_n(build(answer.bound, LIBRARY).definitions["made"].root)
        assert answer.bound.relations["made"].revises == root.revises


def warned(reader: str) -> list[str]:
    answer = validate(SETUP + kept(MINUTES, TOPIC, LATE, reader), "app.sql")
    assert answer.ok, answer.findings.errors
    return [found.message for found in answer.findings.found if found.code == "unbounded-state"]


@pytest.mark.parametrize(
    ("reader", "hint"),
    [
        ("SELECT symbol, n FROM kept", "add a WINDOW"),
        ("SELECT symbol, n FROM (SELECT * FROM kept WHERE n > 1) t", "add a WINDOW"),
        ("SELECT symbol, SUM(n) AS n FROM kept GROUP BY symbol WINDOW SESSION(5m)", "add a MAX"),
        ("SELECT symbol, SUM(n) AS n FROM kept GROUP BY symbol WINDOW TUMBLING(started, 1h)", "without a column"),
    ],
)
def test_newest_rows_that_nothing_bounds_are_warned_about(reader: str, hint: str) -> None:
    said = "'kept' is read back with its corrections: its newest rows are kept for ever"
    asks = f"{reader} WITH ('kept.read.from.sink' = 'true'"
    answer = validate(f"{SETUP}{kept(MINUTES, TOPIC, LATE, asks)})", "app.sql")
    [found] = [found for found in answer.findings.found if found.code == "unbounded-state"]
    assert found.message == said
    assert "'state.ttl' = '1d'" in found.hint
    assert hint in found.hint
    assert warned(f"{asks}, 'state.ttl' = '1d')") == []
    planned(kept(MINUTES, TOPIC, LATE, f"{asks}, 'state.ttl' = '1d')"))


def test_windows_that_end_bound_them_so_that_a_time_to_live_would_have_no_effect() -> None:
    asks = READER[:-1].replace("symbol FROM kept", "COUNT(*) AS n FROM kept GROUP BY symbol WINDOW TUMBLING(1h)")
    assert warned(f"{asks})") == []
    answer = validate(f"{SETUP}{kept(MINUTES, TOPIC, LATE, asks)}, 'state.ttl' = '1d')", "app.sql")
    assert "this statement keeps none beside its windows" in answer.findings.errors[0].message


def test_a_time_to_live_needs_rows_that_are_corrected() -> None:
    answer = validate(f"{SETUP}{kept(MINUTES, TOPIC, '', READER[:-1])}, 'state.ttl' = '1d')", "app.sql")
    assert "'state.ttl' deletes state, and this statement keeps none" in answer.findings.errors[0].message


@pytest.mark.parametrize(("ttl", "refused"), [("10m", True), ("11m", False)])
def test_a_time_to_live_is_longer_than_rows_may_be_corrected(ttl: str, refused: bool) -> None:
    job = planned(kept(MINUTES, TOPIC, LATE, f"{READER[:-1]}, 'state.ttl' = '{ttl}')")).jobs[1]
    errors = list(unchangeable(job))
    assert bool(errors) == refused
    for error in errors:
        assert error.message == "'state.ttl' of 10m forgets rows of 'kept' that are corrected up to 10m late"
        assert error.hint == "make it longer than the 'allowed.lateness' of 'kept': 10m"
        assert error.span is not None


def test_a_sink_may_say_itself_that_it_is_read_and_a_reader_otherwise() -> None:
    asked = kept("SELECT symbol FROM trades", TOPIC, "'kept_topic.read.from.sink' = 'true'", "SELECT symbol FROM kept")
    assert planned(asked).jobs[1].reads_back == ("kept",)
    assert planned(f"{asked} WITH ('kept.read.from.sink' = 'false')").jobs[1].reads_back == ()


def test_a_job_that_asks_a_table_of_a_later_round_is_in_that_round() -> None:
    sql = kept("SELECT symbol, at FROM trades", TOPIC, reader="").strip("; ")
    application = planned(
        f"""{sql};
        CREATE TABLE counted AS SELECT symbol, COUNT(*) AS n FROM kept GROUP BY symbol
          WITH ('kept.read.from.sink' = 'true', 'state.ttl' = '1d');
        -- @name: asks
        SELECT q.symbol, c.n FROM quotes q JOIN counted c ON q.symbol = c.symbol"""
    )
    assert [[job.name for job in each] for each in rounds(application)] == [["kept"], ["counted", "asks"]]
