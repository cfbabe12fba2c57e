"""EMIT in all its forms."""

import pytest
from sqlglot import exp
from tests.sql.parsing import marked, refusal, select, tree

from velostream.durations import MINUTE, SECOND
from velostream.sql.nodes import Emit, Setting
from velostream.sql.printing.text import print_sql
from velostream.sql.statements import Query


def emits(text: str) -> list[Emit]:
    found = select(f"SELECT a FROM s {text}").args["emits"]
    assert all(isinstance(one, Emit) for one in found)
    return list(found)


@pytest.mark.parametrize("word", ["CHANGES", "FINAL", "ON WATERMARK"])
def test_emit_says_when(word: str) -> None:
    assert [one.this for one in emits(f"EMIT {word}")] == [word]
    assert [one.this for one in emits(f"emit {word.lower()}")] == [word]


def test_emit_when_has_a_condition_and_may_have_a_fallback() -> None:
    plain, guarded = emits("EMIT WHEN (a > 1 OR b) EMIT WHEN (c) FALLBACK EVERY 5s")
    assert print_sql(plain.args["condition"]) == "a > 1 OR b"
    assert plain.args.get("fallback") is None
    assert guarded.args["fallback"].micros == 5 * SECOND


def test_emit_early_has_a_length_of_time() -> None:
    assert emits("EMIT EARLY EVERY 1 MINUTE")[0].args["interval"].micros == MINUTE


def test_emit_every_has_a_number_of_rows() -> None:
    assert emits("EMIT EVERY 100 ROWS")[0].args["rows"].name == "100"


def test_several_may_stand_together_anywhere_among_the_clauses() -> None:
    found = emits("EMIT CHANGES WHERE x > 1 EMIT EARLY EVERY 5s GROUP BY a EMIT FINAL")
    assert [one.this for one in found] == ["CHANGES", "EARLY", "FINAL"]


def test_a_set_operation_has_its_own() -> None:
    statement = tree("SELECT a FROM s UNION ALL SELECT b FROM t EMIT CHANGES")
    assert isinstance(statement, Query)
    assert isinstance(statement.this, exp.Union)
    assert [one.this for one in statement.args["emits"]] == ["CHANGES"]
    assert not any(side.args.get("emits") for side in (statement.this.this, statement.this.expression))


def test_a_query_in_parentheses_hands_it_in() -> None:
    statement = tree("(SELECT a FROM s) EMIT CHANGES INTO x")
    assert isinstance(statement, Query)
    assert [one.this for one in statement.this.args["emits"]] == ["CHANGES"]
    assert [sink.name for sink in statement.args["sinks"]] == ["x"]


def test_emit_as_a_property() -> None:
    setting = tree("SELECT a FROM s WITH (EMIT = CHANGES)").find(Setting)
    assert setting is not None
    assert (setting.this.name, setting.expression.name) == ("EMIT", "CHANGES")


@pytest.mark.parametrize(
    ("clause", "at", "hint"),
    [
        ("EMIT CHANGE", "CHANGE", "CHANGES"),
        ("EMIT SOMETIMES", "SOMETIMES", "FINAL"),
        ("EMIT EVERY 5s", "5s", "EARLY EVERY"),
        ("EMIT EVERY 5", "5", "ROWS"),
        ("EMIT EARLY 5s", "EARLY", "EARLY EVERY"),
        ("EMIT WHEN a > 1", "a", "'('"),
        ("EMIT WHEN (a > 1) FALLBACK EVERY", "Y", "length of time"),
    ],
)
def test_what_emit_does_not_say_is_refused(clause: str, at: str, hint: str) -> None:
    text = f"SELECT a FROM s {clause}"
    assert marked(text) == at
    assert hint in refusal(text).hint


def test_emit_before_a_set_operation_is_refused() -> None:
    assert "parentheses" in refusal("SELECT a FROM s EMIT CHANGES UNION SELECT b FROM t").hint


def test_emit_of_a_set_operation_inside_of_a_query_is_refused() -> None:
    text = "SELECT a FROM (SELECT a FROM s UNION ALL SELECT b FROM t EMIT CHANGES) AS q"
    assert marked(text) == "EMIT CHANGES"
