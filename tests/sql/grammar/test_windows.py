"""Time windows in every spelling."""

import pytest
from sqlglot import exp
from tests.sql.parsing import first, marked, refusal, select

from velostream.durations import DAY, HOUR, MILLISECOND, MINUTE, SECOND, WEEK
from velostream.sql.nodes import Duration, TimeWindow
from velostream.sql.printing.text import print_sql


def window(clause: str) -> TimeWindow:
    return first(f"SELECT a FROM s {clause}", TimeWindow)


def parts(found: TimeWindow) -> list[object]:
    """Positional arguments: lengths in microseconds, all else as text."""
    return [part.micros if isinstance(part, Duration) else print_sql(part) for part in found.expressions]


def options(found: TimeWindow) -> dict[str, int]:
    return {option.this: option.expression.micros for option in found.args.get("options") or ()}


@pytest.mark.parametrize(
    ("written", "micros"),
    [
        ("500ms", 500 * MILLISECOND),
        ("5s", 5 * SECOND),
        ("1m", MINUTE),
        ("2h", 2 * HOUR),
        ("1d", DAY),
        ("1w", WEEK),
        ("1h30m", 90 * MINUTE),
        ("1.5s", 1500 * MILLISECOND),
        ("5S", 5 * SECOND),
        ("30", 30 * SECOND),
        ("0.5", 500 * MILLISECOND),
        ("1 MINUTE", MINUTE),
        ("30 SECONDS", 30 * SECOND),
        ("1 HOUR 30 MINUTES", 90 * MINUTE),
        ("2 m", 2 * MINUTE),
        ("INTERVAL '1' MINUTE", MINUTE),
        ("INTERVAL 1 MINUTE", MINUTE),
        ("interval '90' second", 90 * SECOND),
        ("INTERVAL '5 minutes'", 5 * MINUTE),
        ("INTERVAL '5m'", 5 * MINUTE),
        ("INTERVAL 1 HOUR 30 MINUTES", 90 * MINUTE),
    ],
)
def test_a_length_of_time_in_every_spelling(written: str, micros: int) -> None:
    found = window(f"WINDOW TUMBLING({written})")
    assert parts(found) == [micros]
    assert found.expressions[0].this == written


@pytest.mark.parametrize(
    ("clause", "name", "arguments", "named"),
    [
        ("WINDOW TUMBLING(1m)", "TUMBLING", [MINUTE], {}),
        ("WINDOW tumbling ( 1m )", "tumbling", [MINUTE], {}),
        ("WINDOW TUMBLING(ts, INTERVAL '1' MINUTE)", "TUMBLING", ["ts", MINUTE], {}),
        ("WINDOW TUMBLING(1m, OFFSET 5s)", "TUMBLING", [MINUTE], {"OFFSET": 5 * SECOND}),
        ("WINDOW TUMBLING(1m, OFFSET -5s)", "TUMBLING", [MINUTE], {"OFFSET": -5 * SECOND}),
        ("WINDOW TUMBLING(1m, OFFSET -INTERVAL '5' SECOND)", "TUMBLING", [MINUTE], {"OFFSET": -5 * SECOND}),
        ("WINDOW TUMBLING(1m, OFFSET INTERVAL '-5' SECOND)", "TUMBLING", [MINUTE], {"OFFSET": -5 * SECOND}),
        ("WINDOW TUMBLING(offset - INTERVAL 5 SECONDS, 1m)", "TUMBLING", ["offset - INTERVAL 5 SECONDS", MINUTE], {}),
        ("WINDOW SLIDING(15m, 1m)", "SLIDING", [15 * MINUTE, MINUTE], {}),
        ("WINDOW HOPPING(15m, 1m)", "HOPPING", [15 * MINUTE, MINUTE], {}),
        ("WINDOW HOP(s.ts, 15m, 1m)", "HOP", ["s.ts", 15 * MINUTE, MINUTE], {}),
        ("WINDOW SESSION(30m)", "SESSION", [30 * MINUTE], {}),
        ("WINDOW SESSION(30m, user_id, MAX 4h)", "SESSION", [30 * MINUTE, "user_id"], {"MAX": 4 * HOUR}),
        ("WINDOW SESSION(ts, 30m, user_id)", "SESSION", ["ts", 30 * MINUTE, "user_id"], {}),
        ("WINDOW CUMULATE(1m, 1h)", "CUMULATE", [MINUTE, HOUR], {}),
        ("WINDOW TUMBLING (SIZE 30 SECONDS)", "TUMBLING", [], {"SIZE": 30 * SECOND}),
        (
            "WINDOW HOPPING (SIZE 30 SECONDS, ADVANCE BY 10 SECONDS, GRACE PERIOD 1 HOUR, RETENTION 1 DAY)",
            "HOPPING",
            [],
            {"SIZE": 30 * SECOND, "ADVANCE BY": 10 * SECOND, "GRACE PERIOD": HOUR, "RETENTION": DAY},
        ),
        ("WINDOW SESSION (60 SECONDS, GRACE PERIOD 1 HOUR)", "SESSION", [60 * SECOND], {"GRACE PERIOD": HOUR}),
        ("WINDOW OF_MY_OWN(1m, f(x) + 1)", "OF_MY_OWN", [MINUTE, "f(x) + 1"], {}),
    ],
)
def test_a_window_clause(clause: str, name: str, arguments: list[object], named: dict[str, int]) -> None:
    found = window(clause)
    assert (found.this.name, parts(found), options(found)) == (name, arguments, named)
    assert found.args["spelling"] == "clause"


def test_a_named_window_has_no_parentheses() -> None:
    found = window("WINDOW performance_metrics GROUP BY a")
    assert (found.this.name, found.args["named"]) == ("performance_metrics", True)


def test_a_window_in_group_by_is_the_same_as_a_clause() -> None:
    found = select("SELECT a FROM s GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE), a")
    assert parts(found.args["time_window"]) == ["ts", MINUTE]
    assert found.args["time_window"].args["spelling"] == "group"
    assert [key.name for key in found.args["group"].expressions] == ["a"]


def test_only_a_window_in_group_by_leaves_no_keys() -> None:
    assert select("SELECT COUNT(*) FROM s GROUP BY SESSION(ts, 5m)").args["group"].expressions == []


def test_hop_of_flink_has_its_advance_first_and_is_normalised() -> None:
    grouped = window("GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)")
    assert parts(grouped) == ["ts", 5 * MINUTE, MINUTE]
    table = first("SELECT a FROM TABLE(HOP(TABLE s, DESCRIPTOR(ts), 1m, 5m, 10s))", TimeWindow)
    assert (parts(table), options(table)) == (["ts", 5 * MINUTE, MINUTE], {"OFFSET": 10 * SECOND})


@pytest.mark.parametrize(
    ("source", "arguments"),
    [
        ("TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '1' MINUTE))", ["ts", MINUTE]),
        ("TABLE(CUMULATE(TABLE s, DESCRIPTOR(ts), 2m, 10m))", ["ts", 2 * MINUTE, 10 * MINUTE]),
        ("TABLE(SESSION(TABLE s PARTITION BY k, l, DESCRIPTOR(ts), 5m))", ["ts", 5 * MINUTE, "k", "l"]),
    ],
)
def test_a_windowed_table_is_a_source_and_a_window(source: str, arguments: list[object]) -> None:
    found = select(f"SELECT a FROM {source} AS t")
    assert parts(found.args["time_window"]) == arguments
    assert found.args["time_window"].args["spelling"] == "table"
    table = found.args["from_"].this
    assert isinstance(table, exp.Table)
    assert (table.name, table.alias) == ("s", "t")


def test_the_windows_of_queries_inside_each_other_are_their_own() -> None:
    found = select(
        "SELECT a FROM TABLE(TUMBLE(TABLE (x), DESCRIPTOR(ts), 1m))".replace("(x)", "x")
        + " WHERE b IN (SELECT b FROM y)"
    )
    inner = next(query for query in found.find_all(type(found)) if query is not found)
    assert found.args["time_window"] is not None
    assert inner.args.get("time_window") is None


def test_named_windows_of_the_standard_still_work() -> None:
    found = select("SELECT SUM(a) OVER w FROM s WINDOW w AS (PARTITION BY b), v AS (w ORDER BY c)")
    assert [named.name for named in found.args["windows"]] == ["w", "v"]
    assert found.args.get("time_window") is None


def test_both_kinds_of_window_clause_may_stand_together() -> None:
    found = select("SELECT SUM(a) OVER w FROM s WINDOW w AS (ORDER BY c) WINDOW TUMBLING(1m)")
    assert found.args["windows"]
    assert found.args["time_window"]


@pytest.mark.parametrize(
    ("clause", "code", "at"),
    [
        ("WINDOW TUMBLING(1m) WINDOW TUMBLING(2m)", "syntax", "WINDOW TUMBLING(2m)"),
        ("WINDOW TUMBLING(1m) GROUP BY TUMBLE(ts, 1m)", "syntax", "TUMBLE(ts, 1m)"),
        ("WINDOW TUMBLING()", "syntax", ")"),
        ("WINDOW TUMBLING(1m", "syntax", "m"),
        ("WINDOW TUMBLING(5x)", "invalid-duration", "5x"),
        ("WINDOW TUMBLING(1 MONTH)", "invalid-duration", "1 MONTH"),
        ("WINDOW SESSION(1 minit, MAX 1h)", "invalid-duration", "1 minit"),
        ("WINDOW TUMBLING(INTERVAL '1' MINUT)", "invalid-duration", "INTERVAL '1' MINUT"),
        ("WINDOW TUMBLING(-1m)", "invalid-duration", "-"),
        ("WINDOW SLIDING(1m, -5s)", "invalid-duration", "-"),
        ("WINDOW TUMBLING(INTERVAL '1:30' HOUR TO MINUTE)", "invalid-duration", "TO"),
        ("WINDOW TUMBLING(INTERVAL 'x' MINUTE)", "invalid-duration", "INTERVAL 'x' MINUTE"),
        ("WINDOW TUMBLING(OFFSET 1s, 1m)", "syntax", "1m"),
        ("WINDOW w AS (ROWS WINDOW BUFFER 10 ROWS)", "syntax", "w AS (ROWS WINDOW BUFFER 10 ROWS)"),
        (
            "JOIN TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), 1m)) ON TRUE",
            "unsupported",
            "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), 1m))",
        ),
    ],
)
def test_a_window_that_is_not_understood_is_refused_at_its_place(clause: str, code: str, at: str) -> None:
    text = f"SELECT a FROM s {clause}"
    assert refusal(text).code == code
    assert marked(text) == at


@pytest.mark.parametrize(
    "source",
    [
        "TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts)))",
        "TABLE(HOP(TABLE s, DESCRIPTOR(ts), 1m))",
        "TABLE(TILE(TABLE s, DESCRIPTOR(ts), 1m))",
    ],
)
def test_a_windowed_table_needs_its_lengths(source: str) -> None:
    assert refusal(f"SELECT a FROM {source}").hint


@pytest.mark.parametrize(
    ("written", "same"),
    [
        (
            "TABLE(TUMBLE(DATA => TABLE s, TIMECOL => DESCRIPTOR(ts), SIZE => 1m))",
            "TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), 1m))",
        ),
        (
            "HOP(SIZE => 10m, OFFSET => 5s, TIMECOL => DESCRIPTOR(ts), SLIDE => 1m, DATA => TABLE s)",
            "TABLE(HOP(TABLE s, DESCRIPTOR(ts), 1m, 10m, 5s))",
        ),
        (
            "TABLE(SESSION(GAP => 5m, DATA => TABLE s PARTITION BY k, l, TIMECOL => DESCRIPTOR(ts)))",
            "TABLE(SESSION(TABLE s PARTITION BY k, l, DESCRIPTOR(ts), 5m))",
        ),
        (
            "CUMULATE(DATA => TABLE s, TIMECOL => DESCRIPTOR(ts), STEP => 1m, SIZE => 1h)",
            "CUMULATE(TABLE s, DESCRIPTOR(ts), 1m, 1h)",
        ),
    ],
)
def test_named_arguments_mean_the_same_in_any_order(written: str, same: str) -> None:
    tree = select(f"SELECT a FROM {written}")
    assert tree == select(f"SELECT a FROM {same}")
    assert select(print_sql(tree)) == tree


@pytest.mark.parametrize(
    ("written", "at", "hint"),
    [
        ("TUMBLE(DATA => TABLE s, TIMECOL => DESCRIPTOR(ts), SLIDE => 1m)", "SLIDE", "SIZE"),
        ("TUMBLE(DATA => TABLE s, DATA => TABLE t, SIZE => 1m)", "DATA", "one of them"),
        ("TUMBLE(DATA => TABLE s, SIZE => 1m)", ")", "TIMECOL"),
        ("TUMBLE(TIMECOL => DESCRIPTOR(ts), SIZE => 1m)", ")", "DATA"),
        ("HOP(DATA => TABLE s, TIMECOL => DESCRIPTOR(ts), SIZE => 1m)", ")", "SLIDE, SIZE"),
        ("HOP(DATA => TABLE s, 1m)", "1m", "named argument"),
        ("TABLE(ROLL(TABLE s, DESCRIPTOR(ts), 1m))", "ROLL", "TUMBLE"),
    ],
)
def test_named_arguments_that_do_not_fit_are_refused(written: str, at: str, hint: str) -> None:
    text = f"SELECT a FROM {written}"
    assert marked(text) == at
    assert hint in refusal(text).hint
