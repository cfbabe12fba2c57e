"""`velo explain` from its arguments to its exit code."""

import io
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Velo

SQL = """-- SQL Application: Bars
CREATE STREAM trades (symbol STRING, price DOUBLE, trade_time TIMESTAMP)
WITH ('trades.type' = 'datagen_source', 'trades.event.time.field' = 'trade_time');
CREATE STREAM priced AS SELECT symbol, price FROM trades WHERE price > 0;
-- @name: highs
CREATE STREAM high_prices AS
SELECT symbol, MAX(price) AS high FROM priced GROUP BY symbol WINDOW TUMBLING(1m)
INTO screen WITH ('screen.type' = 'console_sink');
-- @name: plain
SELECT symbol FROM priced;
"""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("app.sql").write_text(SQL)
    return "app.sql"


def test_all_jobs_are_shown(velo: Velo, app: str) -> None:
    answer = velo("explain", app)
    assert (answer.code, answer.err) == (0, "")
    assert "Job highs" in answer.out
    assert "Job plain" in answer.out
    assert "TUMBLING" in answer.out
    assert "watermark" in answer.out
    assert "console_sink" in answer.out


def test_how_a_table_is_joined_goes_by_its_size(velo: Velo, app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("more.sql").write_text(
        SQL + "CREATE TABLE limits (symbol STRING PRIMARY KEY, most INT) WITH ('type' = 'file_source',"
        " 'path' = 'limits.csv', 'format' = 'csv');"
        " SELECT t.symbol, l.most FROM trades t JOIN limits l ON t.symbol = l.symbol"
    )
    assert "looked up: in every task (broadcast) up to 16MB, else by shuffled keys\n" in velo("explain", "more.sql").out
    Path("limits.csv").write_text("symbol,most\nA,1\n")
    small = velo("explain", "more.sql").out
    assert "looked up: in every task (broadcast)\n" in small
    assert "size: 16 bytes" in small
    monkeypatch.setattr("velostream.plan.nodes.join_table.BROADCAST", 10)
    assert "looked up: by shuffled keys: the table is larger than" in velo("explain", "more.sql").out
    assert '"broadcast": false' in velo("explain", "--format", "json", "more.sql").out


@pytest.mark.parametrize("name", ["highs", "HIGHS", "high_prices"])
def test_one_is_found_by_its_name_or_by_what_it_makes(velo: Velo, app: str, name: str) -> None:
    answer = velo("explain", app, "--statement", name)
    assert answer.code == 0
    assert answer.out.startswith("Job highs")
    assert "Job plain" not in answer.out


def test_a_stream_without_a_sink_is_shown_as_a_definition(velo: Velo, app: str) -> None:
    answer = velo("explain", app, "-s", "priced")
    assert answer.code == 0
    assert answer.out.startswith("Stream priced (a definition")


def test_json_has_the_same(velo: Velo, app: str) -> None:
    everything = json.loads(velo("explain", "--format", "json", app).out)
    assert [job["name"] for job in everything["jobs"]] == ["highs", "plain"]
    one = json.loads(velo("explain", "--format", "json", "-s", "plain", app).out)
    assert [job["name"] for job in one["jobs"]] == ["plain"]
    definition = json.loads(velo("explain", "--format", "json", "-s", "priced", app).out)
    assert definition["definitions"][0]["name"] == "priced"


def test_a_query_and_standard_input_are_explained_too(velo: Velo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert velo("explain", SQL).code == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SQL.encode())))
    assert "Job highs" in velo("explain", "-").out


def test_a_wrong_file_shows_its_errors_and_no_plan(velo: Velo, app: str) -> None:
    Path(app).write_text(SQL.replace("MAX(price)", "MAX(pirce)"))
    answer = velo("explain", app)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error[unknown-column]")
    assert answer.err.endswith("1 error in app.sql\n")


@pytest.mark.parametrize(
    ("name", "words"), [("trades", "declared and not computed"), ("hihgs", "did you mean 'highs'")]
)
def test_what_has_no_plan_is_refused_with_a_way_out(velo: Velo, app: str, name: str, words: str) -> None:
    answer = velo("explain", app, "--statement", name)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error[unknown-job]: ")
    assert words in answer.err


def test_one_file_is_explained_at_a_time(velo: Velo, app: str) -> None:
    Path("other.sql").write_text(SQL)
    answer = velo("explain", Path(app).absolute().parent)
    assert answer.code == 2
    assert "is a folder of 2 files" in answer.err


def test_settings_of_the_command_line_are_in_the_plan(velo: Velo, app: str) -> None:
    assert "7m behind" in velo("explain", "--set", "watermark.max_out_of_orderness=7m", app).out
    assert velo("explain", "--preset", "prod", app).out != velo("explain", app).out
