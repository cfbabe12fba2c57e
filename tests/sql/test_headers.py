"""The header of an application."""

import pytest

from velostream.sql.application import Header
from velostream.sql.parse import parse


def header(text: str, name: str = "apps/shop.sql") -> Header:
    application = parse(text, name)
    assert not application.findings.found, application.findings.found
    return application.header


def test_all_its_lines() -> None:
    text = (
        "-- SQL Application: Trading\n-- Version: 1.0.0\n-- Description: prices, per second\n-- Author: Market Data\n"
        "-- Dependencies: a.yaml, b.csv\n-- Dependencies: c.yaml\n-- Tag: equities\n-- tag: eu\nSELECT a FROM s"
    )
    assert header(text) == Header(
        "Trading", "1.0.0", "prices, per second", "Market Data", ("a.yaml", "b.csv", "c.yaml"), ("equities", "eu")
    )


def test_annotations_say_the_same() -> None:
    for word in ("application", "app"):
        found = header(f"-- @{word}: Trading\n-- @version: 2\n-- @description: prices\nSELECT a FROM s")
        assert (found.name, found.version, found.description) == ("Trading", "2", "prices")


def test_the_name_defaults_to_the_file_s() -> None:
    assert header("SELECT a FROM s").name == "shop"
    assert header("SELECT a FROM s", "<query>").name == "query"


def test_only_the_top_of_the_file_is_a_header() -> None:
    assert header("SELECT a FROM s;\n-- Version: of the next one\nSELECT b FROM t").version == ""


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("-- Version: 1\n-- Version: 2\nSELECT a FROM s", "duplicate-annotation", "-- Version: 2"),
        ("-- Version: 1\n-- @version: 2\nSELECT a FROM s", "duplicate-annotation", "-- @version: 2"),
        ("-- @app: a\n-- @application: b\nSELECT a FROM s", "duplicate-annotation", "-- @application: b"),
        ("-- Author:\nSELECT a FROM s", "invalid-annotation", "-- Author:"),
    ],
)
def test_what_contradicts_itself_is_found(text: str, code: str, at: str) -> None:
    (finding,) = parse(text).findings.found
    assert finding.span is not None
    assert (finding.code, text[finding.span.start : finding.span.end]) == (code, at)
