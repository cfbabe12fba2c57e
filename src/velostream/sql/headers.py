"""The header of an application: `-- SQL Application:`, `-- Version:` … at the top of a file, or their annotations."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from velostream.diagnostics import Findings
from velostream.positions import Span, Text
from velostream.sql.application import Annotation, Header
from velostream.sql.tokens import Comment

LINES: dict[str, str] = {
    "sql application": "name",
    "version": "version",
    "description": "description",
    "author": "author",
    "dependencies": "dependencies",
    "tag": "tags",
}
"""The lines of a header, and the part of it that each fills."""

_LINE = re.compile(r"\s*(" + "|".join(LINES) + r")\s*:[ \t]*(.*?)\s*", re.IGNORECASE | re.DOTALL)
_OF_ANNOTATIONS = {"application": "name", "version": "version", "description": "description"}
_LISTS = ("dependencies", "tags")


def is_header_line(body: str) -> bool:
    """True for a comment that is a line of the header."""
    return _LINE.fullmatch(body) is not None


@dataclass(slots=True)
class _Draft:
    """A header while it is read."""

    single: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)


def read_header(
    text: Text, top: tuple[Comment, ...], annotations: tuple[Annotation, ...], default: str, findings: Findings
) -> Header:
    """The header that the comments at the top and the application's annotations make; its name may be the default."""
    draft = _Draft()
    for comment in top:
        found = _LINE.fullmatch(comment.body)
        if found is None:
            continue
        part, value = LINES[found[1].casefold()], found[2]
        span = text.span(comment.start, comment.end)
        if not value:
            findings.error("invalid-annotation", f"'{found[1]}:' has no value", span, hint="write it behind the colon")
        elif part in _LISTS:
            draft.places.setdefault(part, span)
            draft.lists.setdefault(part, []).extend(item.strip() for item in value.split(",") if item.strip())
        elif part in draft.single:
            findings.error("duplicate-annotation", f"'{found[1]}:' is given twice", span, hint="keep one of them")
        else:
            draft.single[part] = value
    for annotation in annotations:
        part = _OF_ANNOTATIONS.get(annotation.name, "")
        if part and draft.single.get(part, annotation.value) != annotation.value:
            message = f"'@{annotation.name}' says '{annotation.value}', and the header '{draft.single[part]}'"
            findings.error("duplicate-annotation", message, annotation.span, hint="keep one of them")
        elif part:
            draft.single[part] = annotation.value
    lists = {part: tuple(draft.lists.get(part, ())) for part in _LISTS}
    return Header(
        **{"name": default, **draft.single},
        dependencies=lists["dependencies"],
        tags=lists["tags"],
        dependencies_span=draft.places.get("dependencies"),
    )
