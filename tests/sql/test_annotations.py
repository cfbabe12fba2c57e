"""Annotations: read, checked, sorted to their statements, never skipped."""

import pytest

from velostream.config.property import Text
from velostream.diagnostics import Diagnostic
from velostream.sql.annotations import KINDS, Scope, help_lines, kind_of, value_of
from velostream.sql.application import Annotation
from velostream.sql.parse import parse


def annotations(text: str, statement: int = 0) -> list[tuple[str, str]]:
    application = parse(text)
    assert not application.findings.found, application.findings.found
    return [(one.name, one.value) for one in application.statements[statement].annotations]


def finding(text: str) -> tuple[Diagnostic, str]:
    """The only finding, and the text that it marks."""
    (found,) = parse(text).findings.found
    assert found.span is not None
    return found, text[found.span.start : found.span.end]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_of_every_annotation_is_understood(kind) -> None:  # type: ignore[no-untyped-def]
    lead = "" if not kind.group or kind.leads else f"-- @{kind.group}: x_total\n"
    extra = "-- @metric_type: histogram\n-- @metric_field: a\n" if kind.name == "metric_buckets" else ""
    extra = "-- @metric_field: a\n" if kind.name == "metric_type" else extra
    application = parse(f"{lead}-- @{kind.name}: {kind.example}\n{extra}SELECT a FROM s")
    assert not application.findings.found


def test_every_annotation_is_told_in_help() -> None:
    lines = help_lines()
    assert len(lines) == len(KINDS)
    assert ("@name", "names the job", "-- @name: trade_counts") in lines


def test_an_annotation_belongs_to_the_next_statement() -> None:
    text = "-- @name: one\nSELECT a FROM s; -- @name: two\n-- a comment\n\n-- @batch_size: 5\nSELECT b FROM t"
    assert annotations(text) == [("name", "one")]
    assert annotations(text, 1) == [("name", "two"), ("batch_size", "5")]


def test_an_annotation_knows_where_it_and_its_value_stand() -> None:
    text = "\n  -- @failure_strategy :  SendToDLQ  \nSELECT a FROM s"
    (annotation,) = parse(text).statements[0].annotations
    assert text[annotation.span.start : annotation.span.end].startswith("-- @failure_strategy")
    assert text[annotation.value_span.start : annotation.value_span.end] == "SendToDLQ"
    assert annotation.value_span.line == 2


def test_names_and_choices_go_in_any_letter_case() -> None:
    (annotation,) = parse("-- @Job_Mode: TRANSACTIONAL\nSELECT a FROM s").statements[0].annotations
    assert (annotation.name, value_of(annotation)) == ("job_mode", "transactional")


@pytest.mark.parametrize(
    ("comment", "code", "hint"),
    [
        ("-- @metrc: x", "unknown-annotation", "metric"),
        ("-- @zzz: x", "unknown-annotation", "known are"),
        ("-- @name", "invalid-annotation", "-- @name:"),
        ("-- @name:", "invalid-annotation", "-- @name:"),
        ("-- @nam", "unknown-annotation", "name"),
        ("-- @name: not a name", "invalid-annotation", "letters"),
        ("-- @batch_size: many", "invalid-annotation", "1000"),
        ("-- @batch_size: 0", "invalid-annotation", "at least 1"),
        ("-- @job_mode: fast", "invalid-annotation", "simple"),
        ("-- @partitioning_strategy: random", "invalid-annotation", "roundrobin"),
        ("-- @failure_strategy: Panic", "invalid-annotation", "SendToDLQ"),
        ("-- @observability.metrics.enabled: yes", "invalid-annotation", "true"),
        ("-- @sla.latency.p99: soon", "invalid-annotation", "500ms"),
        ("-- @sla.availability: 101", "invalid-annotation", "100"),
        ("-- @metric: 5xx", "invalid-annotation", "digit"),
        ("-- @metric: a-b", "invalid-annotation", "letters"),
        ("-- @metric_type: gauge", "invalid-annotation", "@metric"),
        ("-- @log_level: info", "invalid-annotation", "@log"),
        ("/* @name: x */", "invalid-annotation", "-- @name"),
    ],
)
def test_a_faulty_annotation_is_found_at_its_place(comment: str, code: str, hint: str) -> None:
    found, marked = finding(f"-- before\n{comment}\nSELECT a FROM s")
    assert found.code == code
    assert marked in comment
    assert marked
    assert hint in found.hint
    assert found.span is not None
    assert found.span.line == 2


def test_prose_that_begins_with_an_at_sign_is_a_comment() -> None:
    assert annotations("-- @everyone please look at this\nSELECT a FROM s") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT a FROM s;\n-- @name: x", "before no statement"),
        ("SELECT a -- @name: x\nFROM s", "inside of a statement"),
        ("SELECT a FROM s;\n-- @application: x\nSELECT b FROM t", "whole application"),
    ],
)
def test_an_annotation_that_belongs_nowhere_is_found(text: str, message: str) -> None:
    found, marked = finding(text)
    assert found.code == "invalid-annotation"
    assert message in found.message
    assert marked.startswith("-- @")


def test_an_annotation_that_stands_twice_is_found() -> None:
    found, marked = finding("-- @batch_size: 1\n-- @batch_size: 2\nSELECT a FROM s")
    assert found.code == "duplicate-annotation"
    assert marked == "-- @batch_size: 2"


def test_annotations_of_the_header_hold_for_all_statements() -> None:
    text = (
        "-- SQL Application: shop\n-- @job_mode: transactional\n-- @deployment.region: eu\n\n"
        "-- @batch_size: 5\nSELECT a FROM s;\n-- @job_mode: simple\nSELECT b FROM t"
    )
    assert annotations(text) == [("job_mode", "transactional"), ("deployment.region", "eu"), ("batch_size", "5")]
    assert annotations(text, 1) == [("deployment.region", "eu"), ("job_mode", "simple")]


def test_without_a_header_they_hold_for_the_next_statement_only() -> None:
    text = "-- @job_mode: transactional\nSELECT a FROM s;\nSELECT b FROM t"
    assert annotations(text) == [("job_mode", "transactional")]
    assert annotations(text, 1) == []


def test_a_statement_that_is_refused_keeps_its_annotations() -> None:
    application = parse("-- @name: broken\nSELCT a")
    assert application.statements[0].name == "broken"
    assert application.findings.found[0].statement == "broken"


def test_kinds_are_found_by_alias() -> None:
    kind = kind_of("APP")
    assert kind is not None
    assert (kind.name, kind.scope) == ("application", Scope.APPLICATION)
    assert kind_of("nothing") is None


def test_values_have_their_types() -> None:
    def value(name: str, text: str) -> object:
        span = parse("SELECT 1").statements[0].span
        return value_of(Annotation(name, text, span, span))

    assert value("batch_size", "1_000") == 1000
    assert value("sla.latency.p99", "500ms") == 500_000
    assert value("sla.availability", "99.9 %") == 99.9
    assert value("metric_buckets", "[0.1, 1, 10]") == (0.1, 1.0, 10.0)
    assert value("metric_labels", "a, b") == ("a", "b")
    assert value("metric_help", "how many") == Text().parse("how many")
