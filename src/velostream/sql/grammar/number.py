"""A number as a node."""

from sqlglot import exp


def number(text: str) -> exp.Literal:
    """A number as it is written."""
    return exp.Literal(this=text, is_string=False)
