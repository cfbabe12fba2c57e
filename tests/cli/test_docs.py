"""`velo docs` writes what is not up to date, and nothing else."""

from pathlib import Path

from tests.cli.conftest import Velo

from velostream.cli.pages import PAGES
from velostream.cli.pages.markdown import cell, code


def test_pages_are_written_once(velo: Velo, tmp_path: Path) -> None:
    first = velo("docs", tmp_path)
    assert first.code == 0
    assert first.out.count("wrote ") == len(PAGES)
    assert velo("docs", tmp_path).out == "all pages are up to date\n"


def test_a_check_writes_nothing_and_fails_where_a_page_is_stale(velo: Velo, tmp_path: Path) -> None:
    velo("docs", tmp_path)
    assert velo("docs", "--check", tmp_path).code == 0
    (tmp_path / "errors.md").write_text("old")
    answer = velo("docs", "--check", tmp_path)
    assert answer.code == 2
    assert answer.out == f"{tmp_path / 'errors.md'} is not up to date\n"
    assert (tmp_path / "errors.md").read_text() == "old"


def test_a_missing_folder_is_a_user_error(velo: Velo, tmp_path: Path) -> None:
    answer = velo("docs", tmp_path / "nowhere")
    assert answer.code == 2
    assert "there is no folder" in answer.err


def test_text_cannot_break_a_table() -> None:
    assert cell("a | b\n c") == "a \\| b c"
    assert code("a`b") == "``a`b``"
    assert code("`b`") == "`` `b` ``"
    assert code("") == ""
