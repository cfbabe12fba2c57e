"""No word is lost: what is parsed prints again, token for token, and a spoiled statement is refused or kept whole."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sql.accounting import invented, lost
from tests.sql.corpus import EXAMPLES, STATEMENTS
from tests.sql.generated import statements
from tests.sql.mutations import any_token, tokens_of

from velostream.sql.application import Application
from velostream.sql.parse import parse
from velostream.sql.printing.text import print_sql

GENERATED = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def assert_whole(application: Application, text: str) -> None:
    """Every statement prints to text that parses to the same tree, and all tokens of the text are there."""
    printed = []
    for statement in application.statements:
        assert statement.tree is not None
        printed.append(print_sql(statement.tree))
        again = parse(printed[-1])
        assert not again.findings.found, printed[-1]
        assert again.statements[0].tree == statement.tree, printed[-1]
    everything = " ; ".join(printed)
    assert not lost(text, everything), everything
    assert not invented(text, everything), everything


def assert_whole_or_refused(text: str) -> None:
    application = parse(text)
    if application.findings.found:
        assert all(finding.span is not None for finding in application.findings.found)
    else:
        assert_whole(application, text)


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_prints_and_parses_to_the_same_tree(text: str) -> None:
    application = parse(text)
    assert not application.findings.found
    assert_whole(application, text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_an_example_prints_and_parses_to_the_same_trees(path) -> None:  # type: ignore[no-untyped-def]
    application = parse(path.read_text(), str(path))
    assert not application.findings.found
    assert_whole(application, path.read_text())


@GENERATED
@given(statements())
def test_a_made_up_statement_prints_and_parses_to_the_same_tree(text: str) -> None:
    application = parse(text)
    assert not application.findings.found, (text, application.findings.found)
    assert_whole(application, text)


@GENERATED
@given(statements(), st.randoms(use_true_random=False), st.sampled_from(("delete", "double", "swap", "insert")))
def test_a_token_too_few_or_too_many_never_truncates(text: str, chance: random.Random, change: str) -> None:
    tokens = tokens_of(text)
    place = chance.randrange(len(tokens))
    if change == "delete":
        del tokens[place]
    elif change == "double":
        tokens.insert(place, tokens[place])
    elif change == "insert":
        tokens.insert(place, any_token(chance))
    else:
        other = chance.randrange(len(tokens))
        tokens[place], tokens[other] = tokens[other], tokens[place]
    assert_whole_or_refused(" ".join(tokens))


@pytest.mark.parametrize("text", STATEMENTS)
def test_every_beginning_of_a_statement_is_whole_or_refused(text: str) -> None:
    tokens = tokens_of(text)
    for end in range(1, len(tokens)):
        assert_whole_or_refused(" ".join(tokens[:end]))


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_without_any_one_of_its_tokens_is_whole_or_refused(text: str) -> None:
    tokens = tokens_of(text)
    for left_out in range(len(tokens)):
        assert_whole_or_refused(" ".join(tokens[:left_out] + tokens[left_out + 1 :]))
