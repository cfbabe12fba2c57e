"""What a shell remembers: the statements so far, checked with every new one; nothing here runs anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from velostream.cli.check import validated
from velostream.cli.inputs import Input
from velostream.cli.prompt.completion import Known
from velostream.diagnostics import Diagnostic, Severity
from velostream.errors import VeloError
from velostream.positions import Text
from velostream.registry import did_you_mean
from velostream.sql import statements as sql
from velostream.sql.parse import ended

if TYPE_CHECKING:
    from velostream.config.settings import Settings
    from velostream.functions.base import Function
    from velostream.sql.statements import Statement
    from velostream.validation import Validated

NAME = "<shell>"
_QUIET = ("unused-stream",)
"""What is no news while somebody types one statement after the other."""


@dataclass(frozen=True, slots=True)
class Read:
    """One statement, checked behind those before it. `tree` is None where it was refused."""

    text: Text
    findings: tuple[Diagnostic, ...]
    answer: Validated
    tree: Statement | None

    @property
    def ok(self) -> bool:
        """True where nothing keeps it from running."""
        return self.tree is not None and all(found.severity is not Severity.ERROR for found in self.findings)


@dataclass(slots=True)
class Session:
    """The text that has grown so far, as one file that is checked again with each statement."""

    given: Input
    preset: str = ""
    overrides: Mapping[str, str] = field(default_factory=dict)
    name: str = NAME
    """What messages call a statement."""
    kept: list[str] = field(default_factory=list)
    functions: tuple[Function, ...] = ()
    """Those that a program has registered."""
    _known: Known | None = None

    @property
    def so_far(self) -> str:
        """All statements that are remembered, as text that another can follow."""
        return "".join(map(ended, (self.given.text, *self.kept)))

    def checked(self) -> Validated:
        """The statements so far, without a new one."""
        return self._validated(self.so_far)

    def read(self, statement: str) -> Read:
        """One statement behind those so far, with its own findings at their places in its own text."""
        start = len(self.so_far)
        answer = self._validated(self.so_far + statement)
        text = Text(statement, self.name)
        own = [found for found in answer.findings.ordered() if found.span is None or found.span.start >= start]
        before = [found for found in answer.findings.errors if found.span is not None and found.span.start < start]
        known = {(found.code, found.message) for found in self.checked().findings.errors} if before else set()
        own += [found for found in before if (found.code, found.message) not in known]
        trees = [one.tree for one in answer.application.statements if one.span.start >= start]
        heard = (found for found in own if found.code not in _QUIET and found.severity is not Severity.NOTE)
        placed = tuple(_placed(found, start, text) for found in heard)
        return Read(text, placed, answer, trees[-1] if trees else None)

    def remember(self, read: Read) -> None:
        """A statement that defines or sets something holds from now on."""
        self.kept.append(read.text.content.rstrip().rstrip(";"))
        self._known = None

    def forget(self, name: str) -> bool:
        """A stream or table is no longer there; False where it stands in the file that the shell was opened with."""
        for place, statement in reversed(list(enumerate(self.kept))):
            tree = self._validated(statement).application.statements[0].tree
            if isinstance(tree, sql.CreateRelation) and tree.name.casefold() == name.casefold():
                del self.kept[place]
                self._known = None
                return True
        return False

    def printed(self, tree: sql.PrintTopic) -> str:
        """PRINT of a topic as a query: the rows of the stream that reads it."""
        name = tree.this.name
        relations = self.known.relations.values()
        streams = [each for each in relations if each.is_external and not each.is_table and each.settings is not None]
        read = {each.name.casefold(): each.name for each in streams}
        read |= {str(each.settings.get("topic")).casefold(): each.name for each in streams if _has_topic(each.settings)}
        stream = read.get(name.casefold())
        if stream is None:
            message = f"no stream reads the topic '{name}'"
            hint = did_you_mean(name, read.values(), "streams") or "declare one: CREATE STREAM x (…) WITH ('topic' = …)"
            raise VeloError(message, hint=hint, code="unknown-stream")
        limit = tree.args.get("limit")
        return f"SELECT * FROM `{stream}`" + (f" LIMIT {limit.name}" if limit else "")

    @property
    def known(self) -> Known:
        """What completion may offer."""
        if self._known is None:
            answer = self.checked()
            jobs = tuple(one.name for one in answer.bound.statements if one.is_job)
            self._known = Known(answer.library, dict(answer.bound.relations), jobs)
        return self._known

    def _validated(self, text: str) -> Validated:
        given = replace(self.given, text=text)
        return validated(given, preset=self.preset, overrides=self.overrides, functions=self.functions)


def _has_topic(settings: Settings) -> bool:
    return settings.known.find("topic") is not None


def _placed(found: Diagnostic, start: int, text: Text) -> Diagnostic:
    """A finding at its place in the statement alone; one of an earlier statement has none there."""
    if found.span is None or found.span.start < start:
        return replace(found, span=None, file=text.name)
    return replace(found, span=text.span(found.span.start - start, found.span.end - start), file=text.name)
