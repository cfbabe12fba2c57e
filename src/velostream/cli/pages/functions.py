"""The page of functions."""

from __future__ import annotations

from velostream.cli.pages import markdown
from velostream.functions import LIBRARY
from velostream.functions.base import Function

_INTRO = (
    "All functions by family. `velo functions NAME` shows one in the terminal. Arguments in brackets are optional,",
    "`…` means that there may be more. Types and NULLs behave as in Spark SQL.",
)


def page() -> str:
    """Functions by family, each with its signature, what it does, an example."""
    families = LIBRARY.families()
    index = (" · ".join(f"[{family}](#{family.casefold().replace(' ', '-')})" for family in families),)
    parts: list[tuple[str, ...] | list[str]] = [_INTRO, index]
    for family in families:
        members = sorted((one for one in LIBRARY.functions if one.family == family), key=lambda one: one.name)
        parts.append((f"## {family}",))
        parts.append(markdown.table(("function", "does", "example"), map(_row, members)))
    return markdown.page("Functions", *parts)


def _row(function: Function) -> tuple[str, str, str]:
    signatures = "<br>".join(map(markdown.code, function.signatures))
    also = f" Also {', '.join(map(markdown.code, function.aliases))}." if function.aliases else ""
    refused = f" Not on a stream: {function.refused}." if function.refused else ""
    result = f" → {markdown.code(function.result)}" if function.result is not None else ""
    return signatures, f"{function.doc.rstrip('.')}.{also}{refused}", markdown.code(function.example) + result
