"""What stands before each statement: its annotations, found in the comments; and what stands at the top of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from velostream.diagnostics import Findings
from velostream.positions import Text
from velostream.sql.annotations import Scope, check, kind_of, unknown
from velostream.sql.application import Annotation
from velostream.sql.headers import is_header_line
from velostream.sql.metrics import check_metrics
from velostream.sql.tokens import Comment

_ANNOTATION = re.compile(r"\s*@([A-Za-z_][A-Za-z0-9_.]*)(\s*:)?[ \t]*(.*?)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prefaces:
    """The annotations of each statement in order, those of the application, and the comments at the top of the file."""

    of_statements: tuple[tuple[Annotation, ...], ...]
    of_application: tuple[Annotation, ...]
    top: tuple[Comment, ...]


def prefaces(text: Text, comments: list[Comment], statements: list[tuple[int, int]], findings: Findings) -> Prefaces:
    """Sorts annotations to the statements that follow them. One that belongs nowhere is a finding."""
    top_end = statements[0][0] if statements else len(text.content)
    top = tuple(comment for comment in comments if comment.end <= top_end)
    wide = _application_wide(text, top)
    collected: list[list[Annotation]] = [[] for _ in statements]
    application: list[Annotation] = []
    for comment in comments:
        annotation = _annotation(text, comment, findings)
        if annotation is None:
            continue
        target = next((number for number, (_, end) in enumerate(statements) if comment.start < end), None)
        scope = kind_of(annotation.name).scope  # type: ignore[union-attr]
        if target is None:
            _nowhere(annotation, "stands before no statement", findings)
        elif comment.start > statements[target][0]:
            _nowhere(annotation, "stands inside of a statement", findings)
        elif scope is Scope.APPLICATION and comment not in top:
            _nowhere(
                annotation,
                "speaks of the whole application, and stands behind a statement",
                findings,
                "put it at the top of the file",
            )
        elif scope is Scope.APPLICATION or (scope is Scope.EITHER and comment in wide):
            application.append(annotation)
        else:
            collected[target].append(annotation)
    shared = check(tuple(application), findings)
    inherited = [annotation for annotation in shared if kind_of(annotation.name).scope is Scope.EITHER]  # type: ignore[union-attr]
    return Prefaces(tuple(_merged(own, inherited, findings) for own in collected), shared, top)


def _merged(own: list[Annotation], inherited: list[Annotation], findings: Findings) -> tuple[Annotation, ...]:
    """A statement's annotations, with those of the application that it does not override."""
    good = check(tuple(own), findings)
    check_metrics(good, findings)
    said = {annotation.name for annotation in good}
    return (*(annotation for annotation in inherited if annotation.name not in said), *good)


def _application_wide(text: Text, top: tuple[Comment, ...]) -> set[Comment]:
    """The block of comments at the top that holds the application's header; a blank line ends a block."""
    blocks: list[list[Comment]] = []
    for comment in top:
        gap = text.content[blocks[-1][-1].end : comment.start] if blocks else "\n\n"
        if gap.count("\n") > 1:
            blocks.append([])
        blocks[-1].append(comment)
    headed = [block for block in blocks if any(_is_header(comment) for comment in block)]
    return {comment for block in headed for comment in block}


def _is_header(comment: Comment) -> bool:
    found = _ANNOTATION.fullmatch(comment.body)
    kind = kind_of(found[1]) if found else None
    return is_header_line(comment.body) or (kind is not None and kind.scope is Scope.APPLICATION)


def _annotation(text: Text, comment: Comment, findings: Findings) -> Annotation | None:
    """The annotation that a comment is; None for plain comments and for those that are refused."""
    found = _ANNOTATION.fullmatch(comment.body)
    if found is None:
        return None
    name, span = found[1], text.span(comment.start, comment.end)
    kind = kind_of(name)
    if kind is None or not found[2]:
        problem = unknown(name, has_colon=bool(found[2]))
        if problem is not None:
            findings.error(problem[0], problem[1], span, hint=problem[2])
        return None
    value_start = comment.body_start + found.start(3)
    annotation = Annotation(kind.name, found[3], span, text.span(value_start, value_start + len(found[3])))
    if text.content.startswith("/*", comment.start):
        _nowhere(annotation, "stands in a /* */ comment", findings, f"write -- @{kind.name}: {kind.example}")
        return None
    if not found[3]:
        findings.error(
            "invalid-annotation", f"'@{kind.name}' has no value", span, hint=f"write -- @{kind.name}: {kind.example}"
        )
        return None
    return replace(annotation)


def _nowhere(
    annotation: Annotation, why: str, findings: Findings, hint: str = "put it before the statement that it speaks of"
) -> None:
    findings.error("invalid-annotation", f"'@{annotation.name}' {why}", annotation.span, hint=hint)
