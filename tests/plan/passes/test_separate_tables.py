"""Tables made of other tables are no jobs: the plan holds them apart, in order, and explain and lineage show them."""

from __future__ import annotations

from velostream.observability.graph import Graph
from velostream.plan import explain_data, explain_text, plan
from velostream.plan.job import ApplicationPlan
from velostream.validation import validate

TEXT = """CREATE STREAM s (k STRING, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
-- @name: x
SELECT s.k, c.n FROM s JOIN counted c ON s.k = c.g;
CREATE TABLE counted AS SELECT g, COUNT(v) AS n FROM few GROUP BY g WITH ('counted.refresh.interval' = '10s');
CREATE TABLE few AS SELECT k PRIMARY KEY, g, v FROM made WHERE v > 0 WITH ('few.refresh.mode' = 'none');
CREATE TABLE made AS SELECT k PRIMARY KEY, MAX(k) AS g, COUNT(*) AS v FROM s GROUP BY k WITH ('state.ttl' = '1d');
CREATE TABLE one AS SELECT 1 AS a PRIMARY KEY;
"""


def planned() -> ApplicationPlan:
    answer = validate(TEXT, "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    return plan(answer.bound, answer.library)


def test_they_are_apart_from_jobs_each_after_those_that_it_reads() -> None:
    found = planned()
    assert [job.name for job in found.jobs] == ["made", "x"]
    assert [job.name for job in found.derived if job.name != "one"] == ["few", "counted"]
    assert list(found.makers) == [*(job.made.table for job in found.derived), "made"]
    assert (found.job("few"), found.statement("FEW")) == (None, found.makers["few"])
    assert found.table_order[-1] == ("counted",)


def test_explain_says_what_they_are_made_of_and_when() -> None:
    text = explain_text(planned())
    assert "Table few (made of made: computed once)" in text
    assert "Table one (made of values: computed once)" in text
    assert "Table counted (made of few: computed anew when one of them has changed, 10s after the last time" in text
    assert [one["name"] for one in explain_data(planned())["derived"] if one["name"] != "one"] == ["few", "counted"]


def test_columns_can_be_followed_through_them() -> None:
    edges = Graph().add(planned()).data()["edges"]
    ends = {(edge["source"], edge["source_column"], edge["target"], edge["target_column"]) for edge in edges}
    assert {
        ("test/table/made", "v", "test/job/few", "v"),
        ("test/job/few", "v", "test/table/few", "v"),
        ("test/table/few", "v", "test/job/counted", "n"),
        ("test/table/counted", "n", "test/job/x", "n"),
    } <= ends
