"""Checks a file: parse, bind, rules. All findings of all statements in one pass, without a JVM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from velostream.config.origin import command
from velostream.config.resolve import Surroundings
from velostream.diagnostics import Findings
from velostream.errors import VeloError
from velostream.functions import LIBRARY
from velostream.functions.base import Function
from velostream.functions.library import Library
from velostream.functions.loading import library_with
from velostream.positions import Text
from velostream.sql.application import Application
from velostream.sql.parse import parse
from velostream.validation.bind import bind
from velostream.validation.bound import BoundApplication
from velostream.validation.rules import RULES
from velostream.validation.rules.base import Look


@dataclass(frozen=True, slots=True)
class Validated:
    """A file with all that was found. `bound` is what could be bound: complete where there are no errors."""

    text: Text
    application: Application
    findings: Findings
    bound: BoundApplication
    library: Library

    @property
    def ok(self) -> bool:
        """True where nothing keeps it from running."""
        return not self.findings.errors


def validate(
    text: str,
    name: str = "<query>",
    *,
    folder: Path | None = None,
    preset: str = "",
    overrides: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    functions: Iterable[Function] = (),
) -> Validated:
    """Checks SQL text. Its paths are relative to `folder`; `overrides` come from --set, `functions` from a program."""
    application = parse(text, name)
    findings = application.findings
    around = Surroundings.of(folder or Path(), variables)
    given = [
        command(key, value) for key, value in {**({"preset": preset} if preset else {}), **(overrides or {})}.items()
    ]
    library = _library(application, folder or Path(), tuple(functions))
    bound = bind(application, around, library, given, folder or Path())
    statements = {statement.name.casefold(): statement for statement in bound.statements}
    for statement in bound.statements:
        look = Look(findings.at(statement.name), library, statements)
        for rule in RULES:
            rule(statement, look)
    return Validated(application.text, application, findings, bound, library)


def _library(application: Application, folder: Path, more: tuple[Function, ...]) -> Library:
    """The functions of the file: the built-in ones, those of the Python files in its header, and those given."""
    try:
        library = library_with(application.header.dependencies, folder)
        return library.with_functions(more) if more else library
    except VeloError as error:
        typed = error.message.replace(f"'{folder}/", "'") if folder != Path() else error.message
        span = application.header.dependencies_span
        application.findings.error(error.error_code, typed, error.span or span, hint=error.hint)
        return LIBRARY
