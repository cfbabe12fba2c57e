"""Findings as workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from velostream.cli.colours import Colours
from velostream.cli.report.base import Checked, underlined
from velostream.diagnostics import Diagnostic, Severity
from velostream.positions import Text

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


@dataclass(frozen=True, slots=True)
class GithubReport:
    """One `::error file=…,line=…::message` for each finding."""

    name: str = "github"

    def render(self, checked: Sequence[Checked], *, colours: Colours, system_columns: bool) -> str:
        """One line each; nothing where nothing was found."""
        return "\n".join(_command(found, each.text) for each in checked for found in each.diagnostics)


def _command(diagnostic: Diagnostic, text: Text) -> str:
    properties = {"file": diagnostic.file or text.name}
    place = underlined(diagnostic, text)
    if place:
        properties |= dict(zip(("line", "col", "endColumn"), map(str, place), strict=True))
    properties["title"] = diagnostic.code
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    return f"::{_COMMANDS[diagnostic.severity]} {shown}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
