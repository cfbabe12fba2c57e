from tests.plan.asking import around, found, job

from velostream.plan.nodes import Project, Sinks
from velostream.plan.passes.carry_revisions import carry_revisions

LAST = """SELECT symbol, price FROM (
            SELECT symbol, price, ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY price DESC) AS n FROM trades) AS x
          WHERE n = 1"""


def test_what_tells_a_correction_travels_up_through_every_projection() -> None:
    before, after = around(carry_revisions, LAST, "carries")
    assert "_emission" not in before
    assert after.count("x._emission = _emission, x._revision = _revision") == 1
    assert after.count("_emission = x._emission, _revision = x._revision") == 1


def test_a_sink_that_appends_gets_corrections_as_columns() -> None:
    root = job(f"{LAST} INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out')").root
    [sinks] = found(root, Sinks)
    assert isinstance(sinks, Sinks)
    assert sinks.targets[0].added == ("_emission", "_revision")
    assert [field.name for field in sinks.targets[0].columns(sinks.fields)] == [
        "symbol",
        "price",
        "_emission",
        "_revision",
    ]


def test_what_a_row_is_known_by_travels_even_where_it_is_not_selected() -> None:
    root = job(
        """CREATE STREAM minutes AS SELECT COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)
             WITH ('allowed.lateness' = '1m');
           SELECT SUM(n) AS total FROM minutes WINDOW TUMBLING(1h)"""
    ).root
    lower = found(root, Project)[-1]
    assert isinstance(lower, Project)
    assert {"minutes.symbol", "minutes._window_start", "minutes._revision"} <= set(lower.fields.names)


def test_rows_that_are_never_corrected_carry_nothing() -> None:
    root = job("SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)").root
    assert root.children[0].fields.names == ("symbol", "n")
