"""What an argument means: a file, a folder, a query, standard input."""

import io
from pathlib import Path

import pytest

from velostream.cli.inputs import STATEMENT_WORDS, looks_like_sql, read, resolve
from velostream.errors import NotFound, VeloError


@pytest.mark.parametrize(
    "argument",
    [
        "SELECT 1",
        "select*from t",
        "  SELECT 1",
        "(SELECT 1)",
        "-- c\nSELECT 1",
        "/* c */ SELECT 1",
        "SELCT a FROM b",
        "DROP STREAM x",
    ],
)
def test_a_query_is_known_by_its_look(argument: str) -> None:
    assert looks_like_sql(argument)


@pytest.mark.parametrize("word", STATEMENT_WORDS)
def test_every_statement_word_begins_a_query_and_may_name_a_file(word: str) -> None:
    assert looks_like_sql(word)
    assert not looks_like_sql(f"{word.lower()}.sql")
    assert not looks_like_sql(f"{word.lower()}/app.sql")
    assert not looks_like_sql(f"{word.lower()}-jobs")


@pytest.mark.parametrize("argument", ["app.sql", "jobs/app.sql", "my app.sql", "selected", "app"])
def test_a_path_is_no_query(argument: str) -> None:
    assert not looks_like_sql(argument)


def test_a_file_is_read_with_the_folder_of_its_relative_paths(tmp_path: Path) -> None:
    file = tmp_path / "app.sql"
    file.write_bytes(b"\xef\xbb\xbfSELECT 1")
    (given,) = resolve(str(file))
    assert (given.name, given.text, given.folder) == (str(file), "SELECT 1", tmp_path)


def test_a_file_wins_over_a_query_of_the_same_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("SELECT").write_text("SELECT 2")
    (given,) = resolve("SELECT")
    assert given.name == "SELECT"


def test_a_folder_means_its_sql_files_in_order(tmp_path: Path) -> None:
    for name in ("b.sql", "a.sql", "c.txt", "deep/er/d.sql", ".hidden/e.sql"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("SELECT 1")
    assert [Path(given.name).name for given in resolve(str(tmp_path))] == ["a.sql", "b.sql", "d.sql"]


def test_a_folder_without_sql_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no \.sql file in"):
        list(resolve(str(tmp_path)))


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"SELECT 1")))
    (given,) = resolve("-")
    assert (given.name, given.text) == ("<stdin>", "SELECT 1")


def test_a_missing_file_names_those_that_look_like_it(tmp_path: Path) -> None:
    (tmp_path / "trading.sql").write_text("SELECT 1")
    with pytest.raises(NotFound, match="there is no file") as refusal:
        list(resolve(str(tmp_path / "tradng.sql")))
    assert "'trading.sql'" in refusal.value.hint
    with pytest.raises(NotFound) as refusal:
        list(resolve(str(tmp_path / "zzz.sql")))
    assert refusal.value.hint == "SQL files there: trading.sql"
    with pytest.raises(NotFound) as refusal:
        list(resolve(str(tmp_path / "nowhere" / "app.sql")))
    assert "there is no folder" in refusal.value.hint


def test_a_word_alone_may_have_been_meant_as_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound) as refusal:
        list(resolve("SELCT"))
    assert "SELECT" in refusal.value.hint
    with pytest.raises(NotFound) as refusal:
        list(resolve("app.sql"))
    assert refusal.value.hint == "there is no .sql file here"


def test_nothing_is_an_empty_query_and_not_the_current_folder() -> None:
    assert [given.name for given in resolve("")] == ["<query>"]


def test_a_long_query_is_not_taken_for_a_path() -> None:
    (given,) = resolve("SELECT " + ", ".join(f"column_{n}" for n in range(2000)) + " FROM trades")
    assert given.name == "<query>"


def test_a_file_that_is_not_text_is_an_error_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "app.sql"
    file.write_bytes(b"SELECT 1;\nSELECT '\xff'")
    with pytest.raises(VeloError, match="is not UTF-8 text: byte 0xff in line 2") as refusal:
        read(file)
    assert refusal.value.error_code == "unreadable-file"
    assert refusal.value.exit_code == 2


def test_one_file_is_wanted_where_a_folder_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1")
    with pytest.raises(NotFound, match="is a folder") as refusal:
        read(tmp_path)
    assert "a.sql" in refusal.value.hint
    with pytest.raises(NotFound, match="there is no file"):
        read(tmp_path / "b.sql")


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "app.sql"
    file.write_text("SELECT 1")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(VeloError, match="Permission denied"):
        read(file)
