"""The names of statements: `-- @name:`, else the relation or job that it creates, else `query_1`, `query_2` …"""

from __future__ import annotations

import re

from velostream.diagnostics import Findings
from velostream.sql.application import Annotation
from velostream.sql.statements import CreateRelation, DeployJob, InsertInto, Query, StartJob, Statement

_CREATED = re.compile(
    r"(?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:STREAM|TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?|(?:START|DEPLOY)\s+(?:JOB|QUERY)\s+)`?(\w+)",
    re.IGNORECASE,
)


class Namer:
    """Gives each statement of an application a name of its own. What is said comes first: no default takes it."""

    def __init__(self, annotations: tuple[tuple[Annotation, ...], ...], findings: Findings) -> None:
        self._said: list[str] = []
        self._taken: set[str] = set()
        for own in annotations:
            name = next((annotation for annotation in own if annotation.name == "name"), None)
            if name is not None and name.value.casefold() in self._taken:
                findings.error(
                    "duplicate-name", f"two statements are named '{name.value}'", name.span, hint="rename one of them"
                )
                name = None
            self._said.append(name.value if name else "")
            if name is not None:
                self._taken.add(name.value.casefold())
        self._number = 0

    def name(self, tree: Statement | None, text: str) -> str:
        """The name of the next statement; of one that was refused, as far as its text tells."""
        said = self._said[self._number]
        self._number += 1
        if said:
            return said
        default = _default(tree, text)
        if default in ("query", text[:0]) or isinstance(tree, (Query, InsertInto)):
            return self._free("query_1")
        return self._free(default)

    def _free(self, wanted: str) -> str:
        stem, _, number = wanted.rpartition("_")
        count = int(number) if stem and number.isdecimal() else 1
        base = stem if stem and number.isdecimal() else wanted
        name = wanted
        while name.casefold() in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name.casefold())
        return name


def _default(tree: Statement | None, text: str) -> str:
    if isinstance(tree, (CreateRelation, StartJob, DeployJob)):
        return str(tree.this.name)
    created = _CREATED.match(text)
    if created:
        return created[1]
    if tree is None:
        return "query"
    return f"{text.split(None, 1)[0].lower()}_1"
