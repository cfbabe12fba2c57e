"""What was found in SQL: all of it at once, with the places underlined as `velo validate` shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.api import markup
from velostream.diagnostics import Diagnostic, Severity
from velostream.errors import VeloError
from velostream.positions import Text

if TYPE_CHECKING:
    from velostream.positions import Span


@dataclass(frozen=True)
class Findings:
    """The findings of a text; true where nothing keeps it from running."""

    text: Text
    found: tuple[Diagnostic, ...] = ()
    statements: int = 0

    @property
    def ok(self) -> bool:
        """True where there is no error."""
        return not self.errors

    def __bool__(self) -> bool:
        return self.ok

    @property
    def errors(self) -> list[Diagnostic]:
        """What keeps the text from running."""
        return [one for one in self.found if one.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        """What runs, and is probably not what was meant."""
        return [one for one in self.found if one.severity is Severity.WARNING]

    def check(self) -> None:
        """Raises all errors as one exception, if there are any."""
        if self.errors:
            first, more = self.errors[0], len(self.errors) - 1
            message = first.message + (f" (and {more} more)" if more else "")
            raise InvalidSql(message, hint=first.hint, span=first.span, code=first.code, findings=self)

    def __str__(self) -> str:
        from velostream.cli.colours import Colours
        from velostream.cli.report.base import Checked
        from velostream.cli.report.text import TextReport

        checked = Checked(self.text, self.found, self.statements)
        return TextReport().render([checked], colours=Colours(), system_columns=False)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return markup.text(str(self))


class InvalidSql(VeloError):
    """SQL that cannot run; as text it shows every finding at its place."""

    code = "invalid-app"

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        span: Span | None = None,
        code: str = "",
        findings: Findings | None = None,
    ) -> None:
        super().__init__(message, hint=hint, span=span, code=code)
        self.findings = findings

    def __str__(self) -> str:
        return self.message if self.findings is None else f"{self.message}\n\n{self.findings}"


def told(found: Sequence[Mapping[str, Any]], text: Text, statements: int = 0) -> Findings:
    """The findings that a server told of a text."""
    from velostream.cli.deploy import span_of

    placed = (
        Diagnostic(
            Severity(one["severity"]),
            one["code"],
            one["message"],
            span=span_of(one, text),
            hint=one["hint"],
            statement=one["statement"],
        )
        for one in found
    )
    return Findings(text, tuple(placed), statements)
