"""The tree of errors, its codes and domains, and findings."""

import pickle

import pytest

from velostream import errors
from velostream.codes import CODES, Domain
from velostream.diagnostics import Diagnostic, Findings, Severity
from velostream.errors import InvalidWindow, VeloError
from velostream.positions import Text

SPAN = Text("SELECT a FROM b").span(7, 8)
KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, VeloError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_survives_pickling(kind: type[VeloError]) -> None:
    error = kind("no such thing", hint="make one", span=SPAN, code="unknown-stream")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is kind
    assert (back.message, back.hint, back.span, back.error_code) == (
        "no such thing",
        "make one",
        SPAN,
        "unknown-stream",
    )
    assert str(back) == "no such thing"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_declared_code(kind: type[VeloError]) -> None:
    assert kind("x").error_code in CODES


def test_the_domain_decides_the_exit_code() -> None:
    assert InvalidWindow("x").exit_code == 2
    assert VeloError("x", code="source-unreadable").exit_code == 3
    assert VeloError("x").exit_code == 70
    assert VeloError("x", code="source-unreadable").domain is Domain.EXTERNAL


def test_an_undeclared_code_cannot_be_raised() -> None:
    with pytest.raises(ValueError, match="'no-such-code' is not declared"):
        VeloError("x", code="no-such-code")
    with pytest.raises(ValueError, match="'no-such-code' is not declared"):
        Diagnostic(Severity.ERROR, "no-such-code", "x")


def test_findings_are_shown_once_and_in_order_of_position() -> None:
    text = Text("SELECT a FROM b")
    findings = Findings(file="app.sql")
    findings.warning("unused-stream", "second", text.span(14, 15))
    findings.note("join-classified", "first", text.span(7, 8))
    findings.at("job_1").error("unknown-stream", "third", text.span(14, 15))
    findings.note("join-classified", "first", text.span(7, 8))
    findings.error("empty", "no place comes first of all")
    ordered = findings.ordered()
    assert [found.message for found in ordered] == ["no place comes first of all", "first", "second", "third"]
    assert [found.statement for found in ordered] == ["", "", "", "job_1"]
    assert {found.file for found in ordered} == {"app.sql"}
    assert [found.message for found in findings.errors] == ["third", "no place comes first of all"]


def test_a_raised_error_becomes_a_finding_at_its_own_place_or_at_the_given_one() -> None:
    text = Text("SELECT a FROM b")
    findings = Findings()
    findings.refuse(InvalidWindow("own place", hint="h", span=text.span(0, 6)), text.span(7, 8))
    findings.refuse(InvalidWindow("given place"), text.span(7, 8))
    assert [found.span for found in findings.found] == [text.span(0, 6), text.span(7, 8)]
    assert findings.found[0].hint == "h"
    assert findings.found[0].code == "invalid-window"


@pytest.mark.parametrize("code", CODES.values(), ids=lambda code: code.name)
def test_every_code_says_what_it_means_and_what_to_do(code: object) -> None:
    for text in (code.meaning, code.remedy):  # type: ignore[attr-defined]
        assert text
        assert not text.endswith(".")
