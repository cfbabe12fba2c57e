"""`velo dlq`: what is listed, shown, replayed and purged."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Velo

from velostream.sinks.letters import letter, store_of

_APP = """
CREATE STREAM s (k STRING) WITH ('s.type' = 'file_source', 's.path' = 'in/*.jsonl', 's.format' = 'jsonl');
-- @name: flat
SELECT k FROM s INTO out WITH ('out.type' = 'file_sink', 'out.path' = 'out'{more});
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    file = tmp_path / "app.sql"
    file.write_text(_APP.format(more=""))
    home = tmp_path / "state" / "flat"
    (home / "spark").mkdir(parents=True)
    store = store_of("", "flat", home / "dead-letters", tmp_path)
    store.write("q", 0, [letter(reason="undecodable", error="not JSON", record="{", source="s", partition=0, offset=3)])
    store.write("q", 1, [letter(reason="too_late", record="x" * 100, source="s")])
    return file


def test_letters_are_listed_filtered_and_shown(app: Path, velo: Velo) -> None:
    state = app.parent / "state"
    answer = velo("dlq", "list", app, "--checkpoint", state)
    assert answer.code == 0
    assert answer.out.splitlines()[-1] == "2 letters: 1 too_late, 1 undecodable"
    assert "000000000-000000  flat" in answer.out
    assert "x" * 59 + "…" in answer.out
    found = velo(
        "dlq", "list", app, "--checkpoint", state, "--reason", "undecodable", "--since", "1h", "--format", "json"
    )
    [one] = [json.loads(line) for line in found.out.splitlines()]
    assert (one["offset"], one["record"], one["replayed_at"]) == (3, "{", None)
    none = velo("dlq", "list", app, "--checkpoint", state, "--reason", "undecodeable")
    assert none.out == "0 letters\nwithout these filters: 2 letters: 1 too_late, 1 undecodable\n"
    shown = velo("dlq", "show", app, "000000000-000000", "--checkpoint", state)
    assert "error        not JSON" in shown.out
    assert shown.out.rstrip().endswith("record       {")
    missing = velo("dlq", "show", app, "7", "--checkpoint", state)
    assert (missing.code, "there is no letter '7'" in missing.err) == (2, True)


def test_what_changes_things_asks_which(app: Path, velo: Velo) -> None:
    state = app.parent / "state"
    refused = velo("dlq", "replay", app, "--checkpoint", state)
    assert (refused.code, "is not told which letters" in refused.err) == (2, True)
    done = velo("dlq", "replay", app, "--checkpoint", state, "--reason", "undecodable", "--late", "drop")
    assert done.out == "flat: 1 record comes again\n"
    again = velo("dlq", "replay", app, "--checkpoint", state, "--all")
    assert again.out.startswith("flat: 1 record comes again\n  000000000-000000 does not: it was replayed at ")
    gone = velo("dlq", "purge", app, "--checkpoint", state, "--until", "2000-01-01")
    assert gone.out == "no letter is such a one\n"
    for verb in ("replay", "purge"):
        missing = velo("dlq", verb, app, "7", "--checkpoint", state)
        assert (missing.code, "there is no letter '7'" in missing.err) == (2, True)
    gone = velo("dlq", "purge", app, "--checkpoint", state, "--all")
    assert gone.out.startswith("flat: 2 letters taken out of ")
    assert velo("dlq", "list", app, "--checkpoint", state).out == "0 letters\n"


def test_an_id_that_two_jobs_have_is_not_taken_for_both(app: Path, velo: Velo) -> None:
    app.write_text(app.read_text() + _APP.format(more="").split(";", 1)[1].replace("flat", "wide"))
    home = app.parent / "state" / "wide"
    (home / "spark").mkdir(parents=True)
    store_of("", "wide", home / "dead-letters", app.parent).write("q", 0, [letter(reason="undecodable", record="[")])
    asked = ("dlq", "purge", app, "000000000-000000", "--checkpoint", app.parent / "state")
    refused = velo(*asked)
    assert (refused.code, "of each of flat, wide" in refused.err) == (2, True)
    assert velo(*asked, "--job", "wide").out.startswith("wide: 1 letter taken out of ")


def test_jobs_and_times_that_are_none_are_said(app: Path, velo: Velo) -> None:
    answer = velo("dlq", "list", app, "--job", "flta")
    assert "has no job or table 'flta'" in answer.err
    assert "'flat'" in answer.err or "flat" in answer.err
    assert "'soon' is not a time" in velo("dlq", "list", app, "--since", "soon").err


def test_letters_are_where_the_settings_of_the_run_have_put_them(app: Path, velo: Velo) -> None:
    elsewhere = store_of("elsewhere", "flat", app.parent / "state" / "flat" / "dead-letters", app.parent)
    elsewhere.write("q", 0, [letter(reason="bad_value", record="there", source="s")])
    answer = velo("dlq", "list", app, "--checkpoint", app.parent / "state", "--set", "dlq.location=elsewhere")
    assert answer.out.splitlines()[-1] == "1 letter: 1 bad_value"


def test_letters_of_tables_are_listed_and_purged_but_not_replayed(app: Path, velo: Velo) -> None:
    table = "CREATE TABLE prices (k STRING PRIMARY KEY, p INT) WITH ('type' = 'file_source', 'path' = 'prices.csv');"
    app.write_text(
        table
        + app.read_text().replace("FROM s", "FROM s JOIN prices ON s.k = prices.k").replace("SELECT k", "SELECT s.k")
    )
    state = ("--checkpoint", app.parent / "state")
    home = app.parent / "state" / ".tables" / "prices" / "dead-letters"
    store_of("", "prices", home, app.parent).write("", 7, [letter(reason="undecodable", error="not INT", record="a,x")])
    answer = velo("dlq", "list", app, *state)
    assert answer.out.splitlines()[-1] == "3 letters: 1 too_late, 2 undecodable"
    assert "000000007-000000  prices (table)" in answer.out
    shown = json.loads(velo("dlq", "show", app, "000000007-000000", *state, "--format", "json").out)
    assert (shown["job"], shown["table"], shown["record"]) == ("prices", True, "a,x")
    refused = velo("dlq", "replay", app, "--job", "prices", *state)
    assert (refused.code, "a table reads its source again" in refused.err) == (2, True)
    both = velo("dlq", "replay", app, "--reason", "undecodable", *state)
    assert both.out.startswith("flat: 1 record comes again\nprices: no record comes again: a table reads its source")
    assert velo("dlq", "purge", app, "000000007-000000", *state).out.startswith("prices: 1 letter taken out of ")
    assert "prices" not in velo("dlq", "list", app, *state).out
