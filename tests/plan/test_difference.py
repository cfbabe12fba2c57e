import pytest
from tests.plan.asking import job

from velostream.plan.difference import compatible, differences, report
from velostream.plan.fingerprint import digest, state_of

WINDOW = "SELECT symbol, SUM(price) AS total FROM trades WHERE price > 1 GROUP BY symbol WINDOW TUMBLING(1m)"
JOIN = """SELECT t.id, q.bid FROM trades t JOIN quotes q ON t.symbol = q.symbol
          AND q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time"""


@pytest.mark.parametrize(
    "changed",
    [
        WINDOW.replace("AS total", "AS sum"),
        WINDOW.replace("price > 1", "price > 2"),
        WINDOW + " HAVING SUM(price) > 3",
        WINDOW + " EMIT CHANGES",
        WINDOW + " WITH ('allowed.lateness' = '5m')",
        WINDOW + " INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out')",
        WINDOW.replace("SUM(price) AS total", "SUM(price) AS total, MAX(price) AS top"),
        WINDOW.replace("SUM(price) AS total", "MAX(price) AS top"),
        "SELECT t.symbol, SUM(t.price) AS total FROM trades t WHERE t.price > 1 GROUP BY t.symbol WINDOW TUMBLING(1m)",
        "CREATE STREAM dear AS SELECT * FROM trades WHERE price > 1;"
        + WINDOW.replace("trades WHERE price > 1", "dear"),
    ],
)
def test_what_does_not_touch_state_keeps_it(changed: str) -> None:
    assert compatible(job(WINDOW), job(changed)), report(job(WINDOW), job(changed))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            WINDOW.replace("GROUP BY symbol", "GROUP BY symbol, id").replace("SELECT symbol", "SELECT symbol, id"),
            "keys: trades.symbol STRING → trades.symbol STRING, trades.id STRING",
        ),
        (WINDOW.replace("1m", "2m"), "window: TUMBLING(size 1m) on trades._event_time → TUMBLING(size 2m)"),
        (WINDOW.replace("TUMBLING(1m)", "SESSION(1m)"), "→ SESSION(gap 1m)"),
        (WINDOW.replace("TUMBLING(1m)", "TUMBLING(at, 1m)"), "→ TUMBLING(size 1m) on trades.at"),
        (WINDOW.replace("WINDOW TUMBLING(1m)", "EMIT CHANGES WITH ('state.ttl' = '1d')"), "→ none"),
        ("SELECT symbol FROM trades", "is no longer there: its state would be dropped"),
        (WINDOW + " ORDER BY total LIMIT 3", "orderlimit-1: is new"),
    ],
)
def test_what_state_is_made_of_must_not_change(changed: str, text: str) -> None:
    assert not compatible(job(WINDOW), job(changed))
    assert text in report(job(WINDOW), job(changed))


def test_an_aggregate_of_another_type_cannot_go_on() -> None:
    old = job("SELECT symbol, SUM(quantity) AS s FROM trades GROUP BY symbol WINDOW TUMBLING(1m)")
    cast = "CREATE STREAM t AS SELECT symbol, CAST(quantity AS DOUBLE) AS quantity FROM trades;"
    new = job(cast + "SELECT symbol, SUM(quantity) AS s FROM t GROUP BY symbol WINDOW TUMBLING(1m)")
    assert [str(each) for each in differences(old, new)] == [
        "kept  aggregate-1: SUM(trades.quantity) is no longer computed",
        "kept  aggregate-1: SUM(CAST(trades.quantity AS DOUBLE)) is new: open windows have it from now on",
    ]
    described = state_of(old)
    described[0]["aggregates"]["SUM(trades.quantity)"]["type"] = "DOUBLE"
    from velostream.plan.difference import compare

    [difference] = compare(state_of(old), described)
    assert str(difference) == "lost  aggregate-1: SUM(trades.quantity): BIGINT of INT → DOUBLE of INT"


def test_rows_that_are_held_may_lose_columns_but_not_gain_them() -> None:
    wider = JOIN.replace("q.bid", "q.bid, t.price")
    assert report(job(wider), job(JOIN)) == "kept  joinstreams-1: trades.price is no longer held"
    assert report(job(JOIN), job(wider)) == "lost  joinstreams-1: trades.price is new: rows held so far do not have it"


def test_join_keys_kind_and_bounds_must_not_change() -> None:
    changed = report(job(JOIN), job(JOIN.replace("t.symbol = q.symbol", "t.id = q.symbol")))
    assert "keys: trades.symbol = quotes.symbol STRING = STRING → trades.id = quotes.symbol" in changed
    assert "kind: INNER → LEFT" in report(job(JOIN), job(JOIN.replace("JOIN", "LEFT JOIN")))
    assert "bounds: -5000000, 0 → -9000000, 0" in report(job(JOIN), job(JOIN.replace("5 SECONDS", "9 SECONDS")))


def test_nothing_changed_is_said_too() -> None:
    assert report(job(WINDOW), job(WINDOW)) == "kept  state: nothing about it changed"


def test_the_digest_does_not_depend_on_aliases() -> None:
    alias = (
        "SELECT x.symbol AS s, SUM(x.price) AS p FROM trades x WHERE x.price > 1 GROUP BY x.symbol WINDOW TUMBLING(1m)"
    )
    assert digest(job(WINDOW)) == digest(job(alias))
    assert digest(job(WINDOW)) != digest(job(WINDOW.replace("1m", "2m")))


@pytest.mark.parametrize(
    ("sql", "nodes"),
    [
        ("SELECT id FROM trades WITH ('trades.dedup.key' = 'id', 'trades.dedup.ttl' = '1h')", ["deduplicate-1"]),
        ("SELECT DISTINCT symbol FROM trades WITH ('state.ttl' = '1d')", ["distinct-1"]),
        ("SELECT LAG(price) OVER (PARTITION BY symbol ORDER BY _event_time) AS b FROM trades", ["rowwindows-1"]),
        (
            "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY _event_time) AS n FROM trades)"
            " AS x WHERE n = 1",
            ["topn-1"],
        ),
        (
            "SELECT t.id, l.owner FROM trades t JOIN limits FOR SYSTEM_TIME AS OF t._event_time AS l "
            "ON l.symbol = t.symbol WITH ('limits.version.time' = 'since')",
            ["jointable-1"],
        ),
        (
            "CREATE STREAM m AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m);"
            "SELECT symbol, SUM(n) AS t FROM m GROUP BY symbol WINDOW TUMBLING(1h)",
            ["aggregate-1", "aggregate-2"],
        ),
        (
            "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m) LIMIT 3",
            ["aggregate-1", "orderlimit-1"],
        ),
        ("SELECT symbol FROM trades", []),
    ],
)
def test_every_stateful_node_is_described_from_the_sources_up(sql: str, nodes: list[str]) -> None:
    assert [each["place"] for each in state_of(job(sql))] == nodes
    assert compatible(job(sql), job(sql))


def test_what_things_are_called_in_this_plan_is_told_beside_their_canonical_names() -> None:
    [state] = state_of(
        job("SELECT t.symbol AS s, SUM(t.price) AS p FROM trades t GROUP BY t.symbol WINDOW TUMBLING(1m)")
    )
    assert state["keys"] == [{"key": "trades.symbol", "type": "STRING", "field": "t.symbol"}]
    assert state["aggregates"]["SUM(trades.price)"]["field"] == "SUM(t.price)"
    assert state["window"] == {"kind": "TUMBLING", "size": 60_000_000, "offset": 0, "time": "trades._event_time"}
