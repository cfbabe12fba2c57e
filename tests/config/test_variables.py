"""Variables in values: set ones are put in, missing ones are named, nothing is looked at twice."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from velostream.config.variables import substitute
from velostream.errors import VeloError

SET = {"HOST": "broker", "PORT": "9092", "EMPTY": "", "SLY": "${HOST}"}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("plain", "plain"),
        ("", ""),
        ("${HOST}:${PORT}", "broker:9092"),
        ("${MISSING:localhost}", "localhost"),
        ("${MISSING:}", ""),
        ("${EMPTY:default}", ""),
        ("${MISSING|HOST}", "broker"),
        ("${HOST|PORT:x}", "broker"),
        ("${A|B:fallback}", "fallback"),
        ("${MISSING:${HOST}}", "broker"),
        ("${MISSING:${OTHER:deep}}!", "deep!"),
        ("${HOST:${OTHER}}", "broker"),
        ("${MISSING:http://a:1/b}", "http://a:1/b"),
        ("$${HOST}", "${HOST}"),
        ("${SLY}", "${HOST}"),
        ("a$b {c} $", "a$b {c} $"),
        ("}", "}"),
    ],
)
def test_variables_are_put_in(text: str, result: str) -> None:
    assert substitute(text, SET) == result


@pytest.mark.parametrize(
    ("text", "named"),
    [("${MISSING}", "variable 'MISSING' is not set"), ("${A|B}", "none of the variables 'A' or 'B' is set")],
)
def test_a_missing_variable_is_named(text: str, named: str) -> None:
    with pytest.raises(VeloError) as refusal:
        substitute(text, SET)
    assert refusal.value.error_code == "missing-variable"
    assert refusal.value.message == named
    assert ":default}" in refusal.value.hint


@pytest.mark.parametrize("text", ["${", "${}", "${HOST", "${1A}", "${A B}", "${A:open", "${A:${B:x}", "${|A}", "${A|}"])
def test_what_does_not_name_a_variable_is_refused(text: str) -> None:
    with pytest.raises(VeloError) as refusal:
        substitute(text, SET)
    assert refusal.value.error_code == "invalid-config"


@given(st.text(alphabet=st.characters(exclude_characters="$")))
def test_text_without_a_dollar_stays_as_it_is(text: str) -> None:
    assert substitute(text, {}) == text


@given(st.text())
def test_what_a_variable_holds_comes_out_unchanged(value: str) -> None:
    assert substitute("<${V}>", {"V": value}) == f"<{value}>"


@given(st.text())
def test_any_text_gives_a_text_or_an_error_of_ours(text: str) -> None:
    with contextlib.suppress(VeloError):
        substitute(text, SET)
