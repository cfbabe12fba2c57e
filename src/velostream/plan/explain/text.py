"""The plan as a tree of text: each node with its title, its details, and its inputs below it."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.plan.explain.node_text import TEXT
from velostream.plan.explain.words import listed
from velostream.plan.nodes import Node

WIDTH = 112


def tree(node: Node) -> str:
    """A node and all below it."""
    return "\n".join(_lines(node, "", ""))


def _lines(node: Node, first: str, rest: str) -> Iterator[str]:
    title, details = TEXT(node)
    if node.keeps_state:
        details = [*details, ("buckets", _buckets(node))]
    yield f"{first}{title}"
    children = node.children
    bar = "│  " if children else "   "
    for label, text in details:
        head = f"{label}: " if label else ""
        for number, line in enumerate(_wrapped(f"{head}{text}", WIDTH - len(rest) - len(bar))):
            yield f"{rest}{bar}{'    ' if number else ''}{line}"
    for number, child in enumerate(children):
        last = number == len(children) - 1
        yield from _lines(child, f"{rest}{'└─ ' if last else '├─ '}", f"{rest}{'   ' if last else '│  '}")


def _buckets(node: Node) -> str:
    """How rows are spread."""
    if not node.spread:
        return "all rows go to one"
    moving = not set(node.spread) <= set(node.route)
    return f"by {listed(node.spread)}{'; what a correction moves is withdrawn where it was' if moving else ''}"


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Breaks at commas and spaces; what has neither stays long."""
    while len(text) > width:
        place = text.rfind(", ", 20, width)
        place = place + 1 if place > 0 else text.rfind(" ", 20, width)
        if place < 0:
            break
        yield text[:place].rstrip()
        text, width = text[place:].lstrip(), max(width - 4, 40)
    yield text
