"""What cannot be done with a stream of changes is found by `velo validate`, with the reason; what can be is not."""

from __future__ import annotations

import pytest
from tests.spark.test_refusals import findings

STREAM = """CREATE STREAM s (id INT PRIMARY KEY, k STRING, v INT, l ARRAY<INT>) WITH ('type' = 'kafka_source',
    'topic' = 't', 'bootstrap.servers' = 'h:9092', 'format' = 'debezium_json');
"""
UPSERT = """INTO o WITH ('o.type' = 'kafka_sink', 'o.topic' = 'o', 'o.bootstrap.servers' = 'h:9092',
    'o.format' = 'json', 'o.write.mode' = 'upsert')"""
OTHER = STREAM.replace("STREAM s", "STREAM s2")
BOTH = """SELECT side PRIMARY KEY, id PRIMARY KEY, v FROM
    (SELECT {} AS side, id, v FROM s UNION ALL SELECT {}, id, v FROM s2) z WHERE v > 0"""
SAME, NOT_SAME = "'left'", "'right'"
RANKED = "SELECT id, k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM s"
BY_SUM = RANKED.replace("BY k", "BY v + 1")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (f"CREATE STREAM x AS SELECT k PRIMARY KEY, v FROM s {UPSERT}", "replaces rows by (k)"),
        ("CREATE TABLE x AS SELECT id PRIMARY KEY, v FROM s", "keeps rows by event time"),
        ("CREATE TABLE x AS SELECT k, SUM(v) AS v FROM s GROUP BY k EMIT CHANGES", "keeps rows by event time"),
        ("SELECT s.id, t.lot FROM s JOIN t ON s.v = t.lot", "may meet several rows"),
        ("SELECT z.id, t.lot FROM (SELECT id, k FROM s WHERE v > 0) z JOIN t ON z.k = t.k", "join with a table"),
        (
            "SELECT s.id, t.lot FROM s JOIN t ON s.k = t.k WITH ('t.missing.data.strategy' = 'wait_and_retry(3, 1s)')",
            "rows would wait",
        ),
        (
            "SELECT id FROM z WITH ('z.type' = 'file_source', 'z.path' = 'z.jsonl', 'z.format' = 'debezium_json', "
            "'z.schema' = 'id INT')",
            "nothing says whose row",
        ),
        ("SELECT id FROM s WHERE k IN (SELECT k FROM t)", "a subquery"),
        ("SELECT s.id FROM s JOIN a WITHIN 1h ON s.id = a.id", "a join of streams"),
        ("SELECT id, e FROM s CROSS JOIN UNNEST(l) AS u(e)", "UNNEST"),
        ("SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY _event_time) AS x FROM s", "OVER"),
        ("SELECT id FROM s UNION ALL SELECT id FROM a", "UNION"),
        (f"CREATE STREAM x AS {BOTH.format('k', 'k')} {UPSERT}", "a row of each side"),
        (f"CREATE STREAM x AS {BOTH.format(SAME, SAME)} {UPSERT}", "a row of each side"),
        ("SELECT id FROM s LIMIT 3", "LIMIT"),
        (f"CREATE STREAM x AS SELECT id PRIMARY KEY, r FROM ({RANKED}) z WHERE r <= 2 {UPSERT}", "are known by k, id"),
        (f"CREATE STREAM x AS SELECT k PRIMARY KEY, v FROM (SELECT DISTINCT k, v FROM s) z {UPSERT}", "known by k, v"),
        (f"SELECT k, COUNT(*) AS n FROM ({RANKED}) z WHERE r <= 2 GROUP BY k EMIT CHANGES", "ranked again"),
        (f"CREATE STREAM x AS SELECT id PRIMARY KEY FROM ({BY_SUM}) z WHERE r < 3 {UPSERT}", "known by v + 1, id"),
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
    _, found = findings(STREAM + OTHER + sql)
    assert any(reason in error.message and error.hint for error in found), found


@pytest.mark.parametrize(
    "sql",
    [
        f"CREATE STREAM x AS SELECT id PRIMARY KEY, v FROM s WHERE v > 0 {UPSERT}",
        f"CREATE STREAM x AS SELECT k, SUM(v) AS total FROM s GROUP BY k EMIT CHANGES {UPSERT}",
        "CREATE TABLE x AS SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)",
        f"SELECT id, r FROM ({RANKED}) z WHERE r <= 2",
        f"CREATE STREAM x AS SELECT k PRIMARY KEY, id PRIMARY KEY, r FROM ({RANKED}) z WHERE r <= 2 {UPSERT}",
        f"CREATE STREAM x AS SELECT k PRIMARY KEY, id FROM ({RANKED}) z WHERE r = 1 {UPSERT}",
        f"SELECT id, COUNT(*) AS n FROM ({RANKED}) z WHERE r = 1 GROUP BY id EMIT CHANGES",
        f"CREATE STREAM x AS SELECT k PRIMARY KEY, v PRIMARY KEY FROM (SELECT DISTINCT k, v FROM s) z {UPSERT}",
        "SELECT k, COUNT(*) AS n FROM (SELECT DISTINCT k, v FROM s) d GROUP BY k EMIT CHANGES",
        "SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW SESSION(1m)",
        f"CREATE STREAM x AS SELECT s.id PRIMARY KEY, t.lot FROM s JOIN t ON s.k = t.k WHERE t.lot > 1 {UPSERT}",
        f"CREATE STREAM x AS SELECT s.id PRIMARY KEY, t.lot FROM t JOIN s ON s.k = t.k JOIN u ON s.k = u.k {UPSERT}",
        f"CREATE STREAM x AS {BOTH.format(SAME, NOT_SAME)} {UPSERT}",
        "SELECT id, v FROM s UNION ALL SELECT id, v FROM s2",
    ],
)
def test_what_is_taken_back_over_changes_may_be_run(sql: str) -> None:
    assert findings(STREAM + OTHER + sql)[1] == []
