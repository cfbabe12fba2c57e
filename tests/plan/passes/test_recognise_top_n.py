from textwrap import dedent

import pytest
from tests.plan.asking import around, found, job

from velostream.plan.nodes import RowWindows, TopN
from velostream.plan.passes.recognise_top_n import recognise_top_n


def ranked(order: str, condition: str, ranking: str = "ROW_NUMBER()") -> str:
    inner = f"SELECT symbol, price, {ranking} OVER (PARTITION BY symbol ORDER BY {order}) AS n FROM trades"
    return f"SELECT symbol, price FROM ({inner}) AS x WHERE {condition}"


def test_a_bound_on_row_number_becomes_a_top_n_and_other_conditions_stay() -> None:
    before, after = around(recognise_top_n, ranked("price DESC", "n <= 3 AND price > 1"), "emits")
    assert before == dedent("""\
        Print
          Project
            Filter x.n <= 3 AND x.price > 1
              Project
                Project
                  RowWindows partition by trades.symbol, order by trades.price DESC
                    - emits: a row when the watermark has passed its event time, in event order
                    Scan trades [kafka_source]""")
    assert after == dedent("""\
        Print
          Project
            Filter x.price > 1
              Project
                Project
                  TopN first 3 rows by trades.price DESC of each trades.symbol
                    - emits: a better row withdraws one that went out
                    Scan trades [kafka_source]""")


@pytest.mark.parametrize(
    ("condition", "n"), [("n = 1", 1), ("n < 3", 2), ("3 >= n", 3), ("3 > n", 2), ("1 = n", 1), ("n <= 1", 1)]
)
def test_every_spelling_of_the_bound_is_understood(condition: str, n: int) -> None:
    [top] = found(job(ranked("_event_time", condition)).root, TopN)
    assert isinstance(top, TopN)
    assert top.n == n


@pytest.mark.parametrize("condition", ["n = 2", "n > 1", "n <> 1", "n <= price", "n >= 2"])
def test_what_is_no_bound_is_left_alone(condition: str) -> None:
    root = job(ranked("_event_time", condition)).root
    assert not found(root, TopN)
    assert found(root, RowWindows)


def test_the_first_row_by_event_time_is_deduplication_that_never_withdraws() -> None:
    [top] = found(job(ranked("_event_time", "n = 1")).root, TopN)
    assert isinstance(top, TopN)
    assert top.deduplicates
    assert top.appends
    assert not top.revises


def test_the_last_row_by_event_time_withdraws_the_one_before() -> None:
    [top] = found(job(ranked("_event_time DESC", "n = 1")).root, TopN)
    assert isinstance(top, TopN)
    assert top.deduplicates
    assert top.revises
    assert top.identity == ("trades.symbol",)


def test_rank_is_a_top_n_too_but_no_deduplication() -> None:
    [top] = found(job(ranked("price DESC", "n <= 1", "RANK()")).root, TopN)
    assert isinstance(top, TopN)
    assert not top.deduplicates
    assert top.ranking == "RANK"


def test_the_number_itself_is_kept_where_it_is_selected() -> None:
    inner = "SELECT symbol, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY price DESC) AS n FROM trades"
    [top] = found(job(f"SELECT symbol, n FROM ({inner}) AS x WHERE n <= 3").root, TopN)
    [bare] = found(job(f"SELECT symbol FROM ({inner}) AS x WHERE n <= 3").root, TopN)
    assert isinstance(top, TopN)
    assert isinstance(bare, TopN)
    assert (top.rank, bare.rank) == ("ROW_NUMBER() OVER (trades.symbol)", "")


def test_the_best_of_each_window_is_complete_when_the_window_closes() -> None:
    root = job(
        """SELECT symbol, n FROM (
             SELECT symbol, n, ROW_NUMBER() OVER (PARTITION BY _window_start ORDER BY n DESC) AS place FROM (
               SELECT symbol, COUNT(*) AS n, _window_start FROM trades GROUP BY symbol WINDOW TUMBLING(1m)) AS w) AS x
           WHERE place <= 2"""
    ).root
    [top] = found(root, TopN)
    assert isinstance(top, TopN)
    assert top.per_window
    assert top.appends
