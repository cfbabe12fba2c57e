"""A stream that is read back from its sink: a scan of what the sink writes, with event times and corrections."""

from __future__ import annotations

import pytest
from tests.plan.asking import SETUP, planned

from velostream.errors import VeloError
from velostream.jobs.rounds import rounds
from velostream.observability.datasets import inputs_of, outputs_of
from velostream.plan import explain_text, plan
from velostream.plan.nodes import Aggregate, TopN
from velostream.plan.passes.inherit_lateness import inherit_lateness
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
