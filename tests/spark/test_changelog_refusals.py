"""What cannot be done with a stream of changes is found by `velo validate`, with the reason; what can be is not."""

from __future__ import annotations

import pytest
from tests.spark.test_refusals import findings

STREAM = """CREATE STREAM s (id INT PRIMARY KEY, k STRING, v INT, l ARRAY<INT>) WITH ('type' = 'kafka_source',
    'topic' = 't', 'bootstrap.servers' = 'h:9092', 'format' = 'debezium_json');
"""
UPSERT = """INTO o WITH ('o.type' = 'kafka_sink', 'o.topic' = 'o', 'o.bootstrap.servers' = 'h:9092',
    'o.format' = 'json', 'o.write.mode' = 'upsert')"""
RANKED = "SELECT id, k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM s"


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (f"CREATE STREAM x AS SELECT k PRIMARY KEY, v FROM s {UPSERT}", "replaces rows by (k)"),
        ("CREATE TABLE x AS SELECT id PRIMARY KEY, v FROM s", "keeps rows by event time"),
        ("CREATE TABLE x AS SELECT k, SUM(v) AS v FROM s GROUP BY k EMIT CHANGES", "keeps rows by event time"),
        ("SELECT s.id, t.lot FROM s JOIN t ON s.k = t.k", "a join with a table"),
        ("SELECT id FROM s WHERE k IN (SELECT k FROM t)", "a subquery"),
        ("SELECT s.id FROM s JOIN a WITHIN 1h ON s.id = a.id", "a join of streams"),
        ("SELECT id, e FROM s CROSS JOIN UNNEST(l) AS u(e)", "UNNEST"),
        ("SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY _event_time) AS x FROM s", "OVER"),
        ("SELECT id FROM s UNION ALL SELECT id FROM a", "UNION"),
        ("SELECT id FROM s LIMIT 3", "LIMIT"),
        (f"CREATE STREAM x AS SELECT id PRIMARY KEY, r FROM ({RANKED}) z WHERE r <= 2 {UPSERT}", "only be appended"),
        ("SELECT k, COUNT(*) AS n FROM (SELECT DISTINCT k, v FROM s) d GROUP BY k EMIT CHANGES", "only be appended"),
        ("SELECT id FROM s WITH ('s.topic' = 'a,b')", "several topics"),
        ("SELECT id FROM s WITH ('s.dedup.key' = 'id')", "dedup.key"),
        (
            "SELECT id FROM z WITH ('z.type' = 'kafka_source', 'z.topic' = 't', 'z.bootstrap.servers' = 'h:9092', "
            "'z.format' = 'debezium_json')",
            "the columns of 'z' are not known",
        ),
    ],
)
def test_what_would_be_wrong_over_changes_is_refused(sql: str, reason: str) -> None:
    _, found = findings(STREAM + sql)
    assert any(reason in error.message and error.hint for error in found), found


@pytest.mark.parametrize(
    "sql",
    [
        f"CREATE STREAM x AS SELECT id PRIMARY KEY, v FROM s WHERE v > 0 {UPSERT}",
        f"CREATE STREAM x AS SELECT k, SUM(v) AS total FROM s GROUP BY k EMIT CHANGES {UPSERT}",
        "CREATE TABLE x AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)",
        f"SELECT id, r FROM ({RANKED}) z WHERE r <= 2",
        "SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW SESSION(1m)",
    ],
)
def test_what_is_taken_back_over_changes_may_be_run(sql: str) -> None:
    assert findings(STREAM + sql)[1] == []
