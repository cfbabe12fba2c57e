from typing import Any

import pytest
from tests.cli.live.test_figures import report

from velostream.cli.live.view import EVERY, SILENCE, View
from velostream.tables.progress import LOADING, REFRESHING, Progress


@pytest.fixture
def view() -> View:
    return View(bounded=False)


def test_elsewhere_a_line_comes_at_changes_and_now_and_then(view: View, capsys: pytest.CaptureFixture[str]) -> None:
    def lines(now: float, **said: Any) -> list[str]:
        view.look(None, [report(**said)], now)  # type: ignore[arg-type]
        return capsys.readouterr().err.splitlines()

    assert lines(0.0, state="created") == []
    [started] = lines(0.1, state="running")
    assert started.startswith("x running: read 0")
    assert lines(1.0, read=10) == []
    [first] = lines(0.2 + EVERY, read=10)
    assert "read 10" in first
    assert "late 6" in first
    assert lines(2 * EVERY + 1, read=10) == []
    assert len(lines(SILENCE + EVERY + 1, read=10)) == 1
    [last] = lines(SILENCE + EVERY + 2, read=10, state="failed")
    assert last.startswith("x failed")


def test_new_dead_letters_are_told_once(view: View, capsys: pytest.CaptureFixture[str]) -> None:
    for letters in ({"too_late": 5}, {"too_late": 5}, {"too_late": 7, "undecodable": 1}):
        given = report(state="created")
        given["records"]["dead_lettered"] = letters
        view.look(None, [given], 0.0)  # type: ignore[arg-type]
    assert capsys.readouterr().err == "x: dead letters: 2 too_late, 1 undecodable\n"


def test_results_are_lines_of_standard_output_where_that_is_no_terminal(
    view: View, capsys: pytest.CaptureFixture[str]
) -> None:
    view.show("a=1")
    assert capsys.readouterr().out == "a=1\n"


def test_a_table_has_a_line_while_it_loads_and_when_it_is_there(view: View, capsys: pytest.CaptureFixture[str]) -> None:
    about = Progress("rates")
    view.look(None, [], 0.0, [about])  # type: ignore[arg-type]
    about.begin(LOADING)
    for now in (1.0, 2.0, 9.0):
        view.look(None, [], now, [about])  # type: ignore[arg-type]
    about.end(3)
    view.look(None, [], 10.0, [about])  # type: ignore[arg-type]
    about.begin(REFRESHING)
    view.look(None, [], 40.0, [about])  # type: ignore[arg-type]
    told = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in told] == ["table rates loading", "table rates loading", "table rates ready"]
