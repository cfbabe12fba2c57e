"""`velo validate` from its arguments to its exit code."""

import io
import json
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Velo

GOOD = """CREATE STREAM trades (symbol STRING, price DOUBLE, trade_time TIMESTAMP)
WITH ('trades.type' = 'datagen_source', 'trades.event.time.field' = 'trade_time');
SELECT symbol, _window_start AS minute, MAX(price) AS high
FROM trades GROUP BY symbol WINDOW TUMBLING(1m);
"""
BAD = GOOD.replace("MAX(price)", "MAX(pirce)")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.sql").write_text(GOOD)
    Path("bad.sql").write_text(BAD)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_good_file_is_one_line_and_no_error(velo: Velo) -> None:
    answer = velo("validate", "good.sql")
    assert (answer.code, answer.out, answer.err) == (0, "good.sql: 2 statements, no errors\n", "")


@pytest.mark.usefixtures("folder")
def test_a_bad_file_shows_the_place_and_exits_with_two(velo: Velo) -> None:
    answer = velo("validate", "bad.sql")
    assert answer.code == 2
    assert answer.out == (
        "error[unknown-column]: stream 'trades' has no column 'pirce'\n"
        "  --> bad.sql:3:45\n"
        "   |\n"
        " 3 | SELECT symbol, _window_start AS minute, MAX(pirce) AS high\n"
        "   |                                             ^^^^^\n"
        "hint: did you mean 'price'? columns: symbol, price, trade_time\n"
        "\n"
        "1 error in bad.sql\n"
    )


@pytest.mark.usefixtures("folder")
def test_several_files_and_queries_are_checked_in_one_go(velo: Velo) -> None:
    answer = velo("validate", "good.sql", "bad.sql", "missing.sql", "SELECT 1 AS one", "--query", "SELECT 2 AS two")
    assert answer.code == 2
    assert answer.out.count("no errors") == 3
    assert "error[file-not-found]: there is no file 'missing.sql'" in answer.out
    assert answer.out.endswith("5 files: 2 errors\n")


def test_a_query_may_begin_with_a_comment(velo: Velo) -> None:
    answer = velo("validate", "-- nothing but\nSELECT one AS two")
    assert answer.code == 2
    assert "--> <query>:2:8" in answer.out


def test_a_folder_means_its_files(velo: Velo, folder: Path) -> None:
    answer = velo("validate", folder)
    assert answer.code == 2
    assert answer.out.endswith("2 files: 1 error\n")


def test_standard_input_is_checked(velo: Velo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    answer = velo("validate", "-")
    assert answer.code == 2
    assert "--> <stdin>:3:45" in answer.out


@pytest.mark.usefixtures("folder")
def test_json_is_one_object(velo: Velo) -> None:
    answer = velo("validate", "--format", "json", "good.sql", "bad.sql")
    found = json.loads(answer.out)
    assert answer.code == 2
    assert found["files"] == ["good.sql", "bad.sql"]
    (finding,) = found["diagnostics"]
    assert (finding["file"], finding["line"], finding["column"], finding["end_column"]) == ("bad.sql", 3, 45, 50)
    assert (finding["severity"], finding["code"]) == ("error", "unknown-column")


@pytest.mark.usefixtures("folder")
def test_github_gets_annotations_and_nothing_else(velo: Velo) -> None:
    assert velo("validate", "--format", "github", "good.sql").out == ""
    answer = velo("validate", "--format", "github", "bad.sql")
    assert answer.code == 2
    assert answer.out.startswith("::error file=bad.sql,line=3,col=45,endColumn=50,title=unknown-column::")


@pytest.mark.usefixtures("folder")
def test_system_columns_are_those_of_the_source_and_the_query(velo: Velo) -> None:
    windowed = velo("validate", "--show-system-columns", "good.sql").out
    assert "_event_time" in windowed
    assert "_window_start" in windowed
    assert "closed_by" not in windowed
    plain = velo("validate", "--show-system-columns", GOOD.split(";")[0] + "; SELECT symbol FROM trades").out
    assert "_event_time" in plain
    assert "_window_start" not in plain


@pytest.mark.usefixtures("folder")
def test_system_columns_come_after_errors_too(velo: Velo) -> None:
    answer = velo("validate", "--show-system-columns", "bad.sql")
    assert answer.out.index("error[unknown-column]") < answer.out.index("system columns")
    assert "_event_time" in answer.out


def test_system_columns_are_shown_in_a_terminal_unless_refused(velo: Velo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "system columns" in velo("validate", "SELECT 1 AS one").out
    assert "system columns" not in velo("validate", "--no-system-columns", "SELECT 1 AS one").out
    assert "system columns" not in velo("validate", "--format", "json", "SELECT 1 AS one").out


@pytest.mark.usefixtures("folder")
def test_json_has_system_columns_only_when_asked(velo: Velo) -> None:
    answer = json.loads(velo("validate", "--format", "json", "--show-system-columns", "good.sql").out)
    names = [column["name"] for column in answer["system_columns"]["good.sql"]]
    assert "_window_end" in names


def test_an_empty_file_is_an_error(velo: Velo, tmp_path: Path) -> None:
    file = tmp_path / "empty.sql"
    file.write_text("-- nothing\n")
    answer = velo("validate", file)
    assert answer.code == 2
    assert "error[empty]" in answer.out


def test_settings_of_the_command_line_are_checked_and_hold(velo: Velo) -> None:
    good = velo("validate", "--preset", "prod", "--set", "allowed.lateness=5m", GOOD)
    assert good.code == 0
    bad = velo("validate", "--set", "allowed.lateness=soon", GOOD)
    assert bad.code == 2
    assert "'soon'" in bad.out
    unknown = velo("validate", "--set", "allowed.latenes=5m", GOOD)
    assert unknown.code == 2
    assert "allowed.lateness" in unknown.out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--set", "nonsense", "SELECT 1"),
        ("--set", "=x", "SELECT 1"),
        ("--preset", "pord", "SELECT 1"),
        ("--format", "github", "--show-system-columns", "SELECT 1"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(velo: Velo, arguments: tuple[str, ...]) -> None:
    answer = velo("validate", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("error[usage]: ")
    assert "hint: " in answer.err


@pytest.mark.usefixtures("folder")
def test_what_a_run_would_refuse_is_found_before(velo: Velo) -> None:
    settings = "'checkpoint.interval' = '30s', 'lake.type' = 'iceberg_sink', 'lake.table' = 'x'"
    Path("app.sql").write_text(GOOD.replace("TUMBLING(1m);", f"TUMBLING(1m) INTO lake WITH ({settings});"))
    answer = velo("validate", "app.sql", "--format", "json")
    found = {(each["code"], each["message"].split("'")[1]) for each in json.loads(answer.out)["diagnostics"]}
    assert answer.code == 2
    assert found >= {("unsupported", "lake"), ("unsupported", "checkpoint.interval")}


@pytest.mark.usefixtures("folder")
def test_corrections_that_a_join_cannot_take_are_found_before(velo: Velo) -> None:
    joined = """SELECT a.symbol, b.price
FROM (SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol) a
JOIN trades b WITHIN 5m ON a.symbol = b.symbol;
"""
    Path("app.sql").write_text(GOOD + joined)
    answer = velo("validate", "app.sql")
    assert answer.code == 2
    assert "a join of streams cannot take corrections of rows of groups without a window" in answer.out


@pytest.mark.usefixtures("folder")
def test_what_tables_made_of_others_cannot_do_is_found_before(velo: Velo) -> None:
    Path("names.csv").write_text("symbol,name\n")
    declared = """CREATE TABLE names (symbol STRING PRIMARY KEY, name STRING)
WITH ('type' = 'file_source', 'path' = 'names.csv', 'format' = 'csv');
CREATE TABLE named AS SELECT symbol PRIMARY KEY FROM names WHERE name IS NOT NULL{};
"""
    Path("app.sql").write_text(GOOD + declared.format(""))
    assert velo("validate", "app.sql").code == 0
    settings = ["retention' = '1d", "refresh.mode' = 'incremental", "version.time' = 'symbol"]
    told = ", ".join(f"'named.{one}'" for one in settings)
    asked = """-- @name: asked
SELECT t.symbol FROM trades t JOIN named FOR SYSTEM_TIME AS OF t._event_time AS n ON n.symbol = t.symbol;
CREATE TABLE ranked AS SELECT symbol PRIMARY KEY, ROW_NUMBER() OVER (PARTITION BY name ORDER BY symbol) AS n FROM names;
-- @metric: seen_total
-- @metric_type: counter
CREATE TABLE counted AS SELECT name, COUNT(*) AS n FROM names GROUP BY name EMIT CHANGES
INTO out WITH ('out.type' = 'console_sink', 'state.ttl' = '1d');
CREATE TABLE both AS SELECT a.symbol PRIMARY KEY, b.name FROM names a RIGHT JOIN names b ON a.symbol = b.name
WITH ('names.missing.data.strategy' = 'fail_fast');
"""
    Path("app.sql").write_text(GOOD + declared.format(f" WITH ({told})") + asked)
    answer = velo("validate", "app.sql", "--format", "json")
    found = [each["message"] for each in json.loads(answer.out)["diagnostics"] if each["code"] != "join-classified"]
    expected = [
        *("'retention' has no effect", "'refresh.mode' has no effect", "'version.time' has no effect"),
        "'names.version.time' is not set",
        *("OVER over tables alone", "no records to measure", "cannot be written to 'out'"),
        *("EMIT says when rows of a stream go out", "'state.ttl' has no effect", "keeps its rows whatever they meet"),
    ]
    assert answer.code == 2
    assert [part for part in expected if not any(part in message for message in found)] == [], found
    assert len(found) == len(expected), found
