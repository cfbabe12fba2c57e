"""`velo query`: questions to the tables of an application, and to what its jobs have written."""

import json
from pathlib import Path
from typing import Any

import pytest

from velostream.cli.main import main

APP = """CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl',
    'format' = 'jsonl', 'event.time.field' = 'at');
CREATE TABLE totals AS SELECT k, SUM(v) AS total FROM s GROUP BY k EMIT CHANGES WITH ('state.ttl' = '1d');
CREATE STREAM minutes AS SELECT k, _window_start AS began, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)
    INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'parquet', 'allowed.lateness' = '1m');
-- @name: shout
CREATE STREAM loud AS SELECT k, v FROM s WHERE v > 0
    INTO text WITH ('text.type' = 'file_sink', 'text.path' = 'text', 'text.format' = 'csv');
CREATE STREAM fives AS SELECT k, SUM(n) AS n FROM minutes GROUP BY k WINDOW TUMBLING(5m);
-- @name: shown
SELECT k, v FROM s WHERE v > 1; -- the end
"""


def ask(home: Path, sql: str, *more: str) -> int:
    options = ["--app", str(home / "app.sql"), "--checkpoint", str(home / "state"), "--master", "local[2]"]
    return main(["query", sql, *options, *more])


def test_closed_windows_and_tables_are_asked(
    one_spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"k": k, "v": v, "at": f"2026-01-01T10:0{v}:00Z"} for k, v in [("a", 0), ("a", 0), ("", 1), ("b", 3)]]
    (tmp_path / "in" / "0.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "app.sql").write_text(APP)
    assert ask(tmp_path, "SELECT COUNT(*) AS n FROM minutes", "--format", "csv") == 0
    assert capsys.readouterr().out == "n\n0\n", "nothing is written yet"
    run = ["run", str(tmp_path / "app.sql"), "--until-done", "--checkpoint", str(tmp_path / "state")]
    assert main([*run, "--master", "local[2]"]) == 0
    capsys.readouterr()
    question = """SELECT m.k, m.n, date_format(m.began, 'HH:mm') AS began, t.total
        FROM minutes m JOIN totals t ON m.k = t.k ORDER BY m.k DESC"""
    assert ask(tmp_path, question, "--format", "json") == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["k"], row["n"], row["began"], row["total"]) for row in found][:2] == [
        ("b", 1, "10:03", 3),
        ("a", 2, "10:00", 0),
    ]
    assert ask(tmp_path, "SELECT k, v FROM loud ORDER BY v", "--format", "json") == 0
    assert [json.loads(line)["v"] for line in capsys.readouterr().out.splitlines()] == [1, 3]
    assert ask(tmp_path, "SELECT DISTINCT _emission, _revision FROM minutes", "--format", "csv") == 0
    assert capsys.readouterr().out == "_emission,_revision\nfinal,1\n", "rows keep the columns that tell corrections"
    assert ask(tmp_path, "SELECT COUNT(*) AS n FROM shout", "--format", "csv") == 0
    assert capsys.readouterr().out == "n\n2\n", "the job and the stream that it makes are both names of the rows"
    assert ask(tmp_path, "SELECT k, NULLIF(total, 1) AS total FROM totals WHERE k = ''") == 0
    assert capsys.readouterr().out.splitlines()[2] == "   NULL"


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT * FROM fives", "the query reads 's', which never ends"),
        ("SELECT * FROM shown", "job 'shown' writes to the terminal, which cannot be asked"),
        ("SELECT v FROM s", "the query reads 's', which never ends"),
        ("SHOW TABLES", "'SHOW TABLES' is not one query"),
        ("SELECT k FROM totals; SELECT n FROM totals", "no column 'n'"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sql: str, told: str
) -> None:
    (tmp_path / "app.sql").write_text(APP)
    assert ask(tmp_path, sql) == 2
    assert told in capsys.readouterr().err
