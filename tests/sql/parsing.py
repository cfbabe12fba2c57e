"""Short ways to parse in tests."""

from typing import TypeVar

from sqlglot import exp

from velostream.diagnostics import Diagnostic
from velostream.sql.parse import parse
from velostream.sql.statements import Query, Statement

Node = TypeVar("Node", bound=exp.Expr)


def tree(text: str) -> Statement:
    """The only statement of a text that is in order."""
    application = parse(text)
    assert not application.findings.found, application.findings.found
    (statement,) = application.statements
    assert statement.tree is not None
    return statement.tree


def select(text: str) -> exp.Expr:
    """The query of a statement that is one."""
    statement = tree(text)
    assert isinstance(statement, Query)
    found: exp.Expr = statement.this
    return found


def first(text: str, kind: type[Node]) -> Node:
    """The first node of a kind in a statement."""
    found = tree(text).find(kind)
    assert found is not None
    return found


def refusal(text: str) -> Diagnostic:
    """What is wrong with a text in which one thing is wrong."""
    (finding,) = parse(text).findings.found
    return finding


def marked(text: str) -> str:
    """The part of a text at which it was refused."""
    span = refusal(text).span
    assert span is not None
    return text[span.start : span.end]
