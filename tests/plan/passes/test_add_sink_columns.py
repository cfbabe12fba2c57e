import pytest
from tests.plan.asking import found, job

from velostream.plan.nodes import Sinks, SinkTarget
from velostream.sinks.base import Guarantee, WriteMode

DATABASE = (
    "INTO out WITH ('out.type' = 'database_sink', 'out.url' = 'postgresql://localhost/d', 'out.table' = 't'{more})"
)
KAFKA = "INTO out WITH ('out.type' = 'kafka_sink', 'out.topic' = 't', 'out.bootstrap.servers' = 'localhost:9092'{more})"
LATE = ", 'allowed.lateness' = '1m'"
WINDOW = "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) "


def target(sql: str) -> SinkTarget:
    [sinks] = found(job(sql).root, Sinks)
    assert isinstance(sinks, Sinks)
    return sinks.targets[0]


@pytest.mark.parametrize(
    ("sql", "added"),
    [
        (WINDOW + DATABASE.format(more=""), ("_window_start", "_revision")),
        (WINDOW + KAFKA.format(more=""), ()),
        (WINDOW + KAFKA.format(more=LATE), ("_emission", "_revision")),
        (WINDOW + KAFKA.format(more=LATE + ", 'out.write.mode' = 'upsert'"), ("_revision",)),
        ("SELECT id PRIMARY KEY, price FROM trades " + DATABASE.format(more=""), ()),
        (
            "SELECT symbol, _window_start, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) "
            + DATABASE.format(more=""),
            ("_revision",),
        ),
        (
            "SELECT COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) "
            + DATABASE.format(more=", 'out.write.mode' = 'append'"),
            ("symbol", "_window_start", "_revision"),
        ),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW CUMULATE(1m, 1h) "
            + DATABASE.format(more=""),
            ("_window_start", "_window_end", "_revision"),
        ),
    ],
)
def test_sinks_get_what_they_need_beside_what_was_selected(sql: str, added: tuple[str, ...]) -> None:
    assert target(sql).added == added


def test_an_upsert_finds_its_row_by_the_key_and_the_window() -> None:
    chosen = target(WINDOW + DATABASE.format(more=""))
    assert chosen.writes is WriteMode.UPSERT
    assert chosen.key == ("symbol",)
    assert chosen.identity == ("symbol", "_window_start")


def test_a_sink_states_its_guarantee_by_the_mode_of_the_job() -> None:
    assert target(WINDOW + KAFKA.format(more="")).guarantee is Guarantee.AT_LEAST_ONCE
    transactional = KAFKA.format(more=", 'job.mode' = 'transactional'")
    assert target(WINDOW + transactional).guarantee is Guarantee.EXACTLY_ONCE


@pytest.mark.parametrize(
    ("sql", "revision"),
    [
        (WINDOW + DATABASE.format(more=LATE), "_revision"),
        ("SELECT symbol AS s, COUNT(*) AS n FROM trades GROUP BY symbol " + DATABASE.format(more=""), "_revision"),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol " + DATABASE.format(more=", 'state.ttl' = '1h'"),
            "",
        ),
        ("SELECT id PRIMARY KEY, price FROM trades " + DATABASE.format(more=""), ""),
        (
            "SELECT symbol, COUNT(*) AS n PRIMARY KEY FROM trades GROUP BY symbol " + DATABASE.format(more=""),
            "",
        ),
    ],
)
def test_rows_are_compared_by_revisions_that_count_what_an_upsert_replaces(sql: str, revision: str) -> None:
    [sinks] = found(job(sql).root, Sinks)
    assert isinstance(sinks, Sinks)
    assert sinks.shape(sinks.targets[0]).revision == revision
