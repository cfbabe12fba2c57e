from textwrap import dedent

from tests.plan.asking import around, built, planned

from velostream.plan.passes.fuse_streams import fuse_streams

SINK = """INTO kept_topic WITH (
  'kept_topic.type' = 'kafka_sink', 'kept_topic.topic' = 'kept', 'kept_topic.bootstrap.servers' = 'localhost:9092')"""


def test_a_stream_without_a_sink_becomes_part_of_its_reader() -> None:
    before, after = around(
        fuse_streams,
        """CREATE STREAM big AS SELECT symbol, price FROM trades WHERE price > 100;
           SELECT b.symbol FROM big b WHERE b.price < 200""",
    )
    assert before == dedent("""\
        Print
          Project
            Filter b.price < 200
              Stream big AS b [stream of this application]""")
    assert after == dedent("""\
        Print
          Project
            Filter b.price < 200
              Project
                Project
                  Filter trades.price > 100
                    Scan trades [kafka_source]""")


def test_windows_over_windows_stay_a_chain_in_one_job_and_early_rows_do_not_flow_on() -> None:
    _, after = around(
        fuse_streams,
        """CREATE STREAM minutes AS
             SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) EMIT EARLY EVERY 5s;
           SELECT symbol, SUM(n) AS total FROM minutes GROUP BY symbol WINDOW TUMBLING(1h)""",
    )
    assert after == dedent("""\
        Print
          Project
            Aggregate by minutes.symbol in TUMBLING(1h)
              Project
                Only rows that are not early: _emission <> 'early'
                  Project
                    Aggregate by trades.symbol in TUMBLING(1m)
                      Scan trades [kafka_source]""")


def test_early_rows_flow_on_where_the_reader_asks_for_them() -> None:
    _, after = around(
        fuse_streams,
        """CREATE STREAM minutes AS
             SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) EMIT EARLY EVERY 5s;
           SELECT symbol, n FROM minutes WITH ('minutes.read.early' = 'true')""",
    )
    assert "early" not in after


def test_a_stream_with_a_sink_is_fused_too() -> None:
    application = planned(f"CREATE STREAM kept AS SELECT symbol FROM trades {SINK}; SELECT symbol FROM kept")
    assert [job.name for job in application.jobs] == ["kept", "query_1"]
    assert application.jobs[1].definitions == ("kept",)
    assert application.jobs[1].scans[0].source == "trades"


def test_streams_over_streams_are_fused_all_the_way_and_named() -> None:
    application = planned(
        """CREATE STREAM a AS SELECT symbol, price FROM trades;
           CREATE STREAM b AS SELECT symbol, price FROM a WHERE price > 1;
           SELECT symbol FROM b"""
    )
    [job] = application.jobs
    assert job.definitions == ("b", "a")
    assert [scan.source for scan in job.scans] == ["trades"]


def test_before_fusing_a_job_names_the_streams_it_reads() -> None:
    application = built("CREATE STREAM a AS SELECT symbol FROM trades; SELECT symbol FROM a")
    assert application.jobs[0].streams == ("a",)
    assert application.definitions["a"].root.fields.visible[0].name == "symbol"
