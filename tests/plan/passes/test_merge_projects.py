from textwrap import dedent

from tests.plan.asking import around, found, job

from velostream.plan.nodes import Project
from velostream.plan.passes.merge_projects import merge_projects


def test_select_lists_over_each_other_become_one() -> None:
    before, after = around(
        merge_projects,
        """CREATE STREAM doubled AS SELECT symbol, price * 2 AS twice FROM trades;
           SELECT d.symbol AS s, d.twice + 1 AS t FROM doubled d""",
        "",
    )
    assert before == dedent("""\
        Print
          Project
            - : s = d.symbol, t = d.twice + 1
            Project
              - : d.symbol = symbol, d.twice = twice
              Project
                - : symbol = trades.symbol, twice = trades.price * 2
                Scan trades [kafka_source]""")
    assert after == dedent("""\
        Print
          Project
            - : s = trades.symbol, t = trades.price * 2 + 1
            Scan trades [kafka_source]""")


def test_what_is_computed_once_is_not_computed_twice() -> None:
    root = job(
        """CREATE STREAM doubled AS SELECT symbol, price * 2 AS twice FROM trades;
           SELECT twice + 1 AS a, twice + 2 AS b FROM doubled"""
    ).root
    assert len(found(root, Project)) == 2


def test_chance_is_asked_once() -> None:
    root = job("SELECT r AS a, r AS b FROM (SELECT RAND() AS r FROM trades) AS x").root
    assert [len(node.expressions) for node in found(root, Project)] == [2, 1]


def test_the_event_time_that_a_stream_sets_is_still_the_event_time_of_its_reader() -> None:
    root = job(
        """CREATE STREAM moved AS SELECT symbol, at, at + INTERVAL 1 HOUR AS _event_time FROM trades;
           SELECT symbol, COUNT(*) AS n FROM moved GROUP BY symbol WINDOW TUMBLING(1m)"""
    ).root
    [project] = [node for node in found(root, Project) if node.time.endswith("._event_time")]
    assert isinstance(project, Project)
    times = [str(column.expression) for column in project.columns if column.name == project.time]
    assert times == ["trades.at + INTERVAL 1 HOUR"]
