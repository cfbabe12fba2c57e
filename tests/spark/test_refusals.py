"""What validates runs: all that a run would refuse is found before, with its place and a way out; no Spark is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from velostream.cli.check import validated
from velostream.cli.inputs import Input
from velostream.diagnostics import Diagnostic
from velostream.sources import SOURCES
from velostream.spark.loading import LOADED
from velostream.spark.lower.refusals import find
from velostream.testing.findings import check_case
from velostream.testing.reading import read_specs

DECLARED = """CREATE STREAM a (id INT, k STRING, v DOUBLE, n BIGINT, at TIMESTAMP) WITH (
    'type' = 'datagen_source', 'event.time.field' = 'at');
CREATE STREAM b (id INT, k STRING, w DOUBLE, bt TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'bt');
CREATE TABLE t (k STRING PRIMARY KEY, lot INT, since TIMESTAMP) WITH (
    'type' = 'file_source', 'path' = 't.csv', 'format' = 'csv', 'version.time' = 'since');
CREATE TABLE u (k STRING PRIMARY KEY, lot INT) WITH ('type' = 'file_source', 'path' = 't.csv', 'format' = 'csv');
CREATE STREAM counts AS SELECT k, COUNT(*) AS c FROM a GROUP BY k WINDOW TUMBLING(1m) WITH ('allowed.lateness' = '1m');
CREATE STREAM groups AS SELECT k, COUNT(*) AS c FROM a GROUP BY k EMIT CHANGES WITH ('state.ttl' = '1d');
CREATE STREAM timed AS SELECT k, MAX(at) AS _event_time FROM a GROUP BY k WINDOW TUMBLING(1m)
    WITH ('allowed.lateness' = '1m');
"""
GROUPED = "FROM a GROUP BY k WINDOW TUMBLING(1m)"
SUMS = "SELECT k, SUM(c) AS c FROM counts GROUP BY k WINDOW TUMBLING(1h)"
REFUSED = ("join-as-of", "a.at")
WAITS = "WITH ('t.missing.data.strategy' = 'wait_and_retry(3, 1s)')"


def findings(sql: str) -> tuple[str, list[Diagnostic]]:
    answer = validated(Input("app.sql", DECLARED + sql, Path()), preset="", overrides={})
    return answer.text.content, answer.findings.errors


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        (
            f"SELECT k, COUNT(*) AS n, PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY v) AS p {GROUPED}",
            "wrong-arguments",
            "PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY v)",
        ),
        (
            "SELECT a.k, b.w FROM a LEFT JOIN b WITHIN 1h ON a.id = b.id AND LN(a.v * b.w) > 3",
            "join-unsupported",
            "LN(a.v * b.w) > 3",
        ),
        (f"SELECT a.k, t.lot FROM a JOIN t ON a.k = t.k AND a.v + 1 > t.lot {WAITS}", "join-unsupported", "a.v + 1"),
        (f"SELECT u.k, t.lot FROM u JOIN t ON u.k = t.k {WAITS}", "join-unsupported", "SELECT u.k"),
        ("SELECT c.k, b.w FROM groups c JOIN b WITHIN 1h ON c.k = b.k", "unsupported", "SELECT c.k"),
        (
            "CREATE STREAM met AS SELECT c.k, b.w FROM groups c JOIN b WITHIN 1h ON c.k = b.k; SELECT k FROM met",
            "unsupported",
            "SELECT k FROM met",
        ),
        ("SELECT c.k, b.w FROM timed c JOIN b WITHIN 1h ON c.k = b.k", "unsupported", "SELECT c.k"),
        (
            "SELECT c.k, b.w FROM counts c JOIN b WITHIN 1h ON c.k = b.k AND c.c + b.id > 1",
            "join-unsupported",
            "c.c + b.id > 1",
        ),
        (f"{SUMS} WITH ('emit.accumulation' = 'discarding')", "unsupported", "'discarding'"),
        (f"{SUMS} WITH ('late.data.strategy' = 'update_previous')", "unsupported", "'update_previous'"),
        (
            "SELECT a.k, b.w FROM a JOIN b WITHIN 1h ON a.k = b.k WITH ('late.data.strategy' = 'process_all')",
            "late-strategy",
            "'process_all'",
        ),
        (f"{SUMS} WITH ('partitioning_strategy' = 'sticky')", "invalid-annotation", "'sticky'"),
        (
            "SELECT k, COUNT(*) AS n FROM a GROUP BY k EMIT CHANGES WITH ('partitioning_strategy' = 'smart')",
            "unsupported",
            "'smart'",
        ),
        (f"SELECT k, TOPK(v, 0) AS x {GROUPED}", "wrong-arguments", "TOPK(v, 0)"),
        (f"SELECT k, APPROX_PERCENTILE(v, 0.5, 0) AS x {GROUPED}", "wrong-arguments", "APPROX_PERCENTILE(v, 0.5, 0)"),
        ("SELECT a.k, t._offset FROM a JOIN t ON a.k = t.k", "no-system-column", "t._offset"),
        ("SELECT k FROM a WITH ('batch.strategy' = 'memory')", "unsupported", "'memory'"),
        (
            "CREATE STREAM f (k STRING) WITH ('type' = 'file_source', 'path' = 'x.avro', 'growing' = 'true');"
            "SELECT k FROM f",
            "unsupported",
            "'true'",
        ),
        (
            "CREATE STREAM f (k STRING, v INT) WITH ('type' = 'file_source', 'path' = 'x', 'format' = 'string');"
            "SELECT k FROM f",
            "invalid-schema",
            "'string'",
        ),
        (
            "CREATE TABLE g (k STRING PRIMARY KEY) WITH ('type' = 'datagen_source');"
            "SELECT a.k FROM a JOIN g ON a.k = g.k",
            "unsupported",
            "'datagen_source'",
        ),
        *(
            (
                f"CREATE TABLE m AS {query}; SELECT a.k FROM a JOIN m FOR SYSTEM_TIME AS OF a.at AS m ON a.{key}",
                *REFUSED,
            )
            for query, key in (
                ("SELECT lot, COUNT(*) AS n FROM t GROUP BY lot", "id = m.lot"),
                ("SELECT k PRIMARY KEY, CURRENT_DATE() AS today FROM t", "k = m.k"),
                ("SELECT k PRIMARY KEY, RAND() AS r FROM t", "k = m.k"),
                ("SELECT k PRIMARY KEY FROM u", "k = m.k"),
                ("SELECT lot PRIMARY KEY, k FROM t", "id = m.lot"),
                ("SELECT t.k PRIMARY KEY FROM t JOIN t o ON t.lot = o.lot", "k = m.k"),
                ("SELECT k PRIMARY KEY FROM t WHERE k IN (SELECT k FROM t)", "k = m.k"),
            )
        ),
        (
            "CREATE TABLE g (k STRING PRIMARY KEY) WITH ('type' = 'http_source', 'listen' = '127.0.0.1:9');"
            "SELECT a.k FROM a JOIN g ON a.k = g.k",
            "unsupported",
            "'127.0.0.1:9'",
        ),
    ],
)
def test_a_refusal_is_a_finding_with_its_place(sql: str, code: str, place: str) -> None:
    text, [found, *more] = findings(sql)
    assert not more
    assert found.code == code
    assert found.span is not None
    assert place in text[found.span.start : found.span.end], found
    assert found.hint


def test_what_can_be_run_is_not_refused() -> None:
    joined = "SELECT a.k, t._event_time AS e FROM a JOIN t ON a.k = t.k"
    versions = """CREATE TABLE m AS SELECT t.k PRIMARY KEY, UPPER(t.k) AS big, o.lot FROM t LEFT JOIN t o ON t.k = o.k;
        SELECT a.k FROM a JOIN m FOR SYSTEM_TIME AS OF a.at AS m ON a.k = m.k"""
    corrected = "SELECT c.k, b.w FROM counts c FULL JOIN b WITHIN 1h ON c.k = b.k AND c.c > 3"
    made = """CREATE TABLE g (k STRING PRIMARY KEY, v INT, at TIMESTAMP) WITH ('type' = 'datagen_source', 'rows' = '9',
        'rate' = '3', 'event.time.field' = 'at', 'fields.k.values' = 'x'); SELECT a.k FROM a JOIN g ON a.k = g.k"""
    for sql in (SUMS, f"SELECT k, TOPK(v, 3) AS x {GROUPED}", joined, versions, corrected, made):
        assert not findings(sql)[1]


CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.yaml"))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_only_settings_and_tables_that_are_not_there_yet_are_refused_of_cases_that_validate(file: Path) -> None:
    for case in (each for each in read_specs(file) if not each.findings.refuses):
        answer, _ = check_case(case)
        find(answer)
        codes = {(found.code, found.span is None) for found in answer.findings.errors}
        assert codes <= {("unsupported", False)}, (case.name, answer.findings.errors)


def test_tables_are_loaded_from_every_source() -> None:
    assert set(LOADED) == set(SOURCES)
