"""The page of all codes of errors, warnings and notes."""

from __future__ import annotations

from velostream.cli.pages import markdown
from velostream.codes import CODES, Domain
from velostream.errors import EXIT_CODES

_TITLES = {
    Domain.USER: "Mistakes in what was given",
    Domain.EXTERNAL: "Something outside failed",
    Domain.INTERNAL: "Defects of Velostream",
}
_INTRO = (
    "Every finding has a code that never changes once released; messages may become better. An error keeps a file from",
    "running; the same code may come as a warning or a note where the file runs all the same.",
)


def page() -> str:
    """Codes by domain, each with what it means and what to do."""
    parts: list[tuple[str, ...] | list[str]] = [_INTRO]
    for domain, title in _TITLES.items():
        members = sorted((code for code in CODES.values() if code.domain is domain), key=lambda code: code.name)
        parts.append((f"## {title}",))
        parts.append((f"A command that ends with one of these exits with {EXIT_CODES[domain]}.",))
        rows = [(markdown.code(code.name), code.meaning, code.remedy) for code in members]
        parts.append(markdown.table(("code", "means", "what to do"), rows))
    return markdown.page("Errors and warnings", *parts)
