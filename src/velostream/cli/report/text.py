"""Findings for people: what is wrong, the place in the text underlined, and what to do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from velostream.cli.colours import Colours
from velostream.cli.report.base import Checked, underlined
from velostream.cli.report.source_line import NARROWEST, WIDEST, mark
from velostream.cli.report.system_columns import reference
from velostream.diagnostics import Diagnostic, Severity
from velostream.positions import Text


@dataclass(frozen=True, slots=True)
class TextReport:
    """Each finding as a few lines, a summary for each file, and one for all."""

    name: str = "text"

    def render(self, checked: Sequence[Checked], *, colours: Colours, system_columns: bool) -> str:
        """All findings, then the summaries, then the reference of system columns."""
        blocks = ["\n".join(finding(found, each.text, colours)) for each in checked for found in each.diagnostics]
        summaries = [summary(each, colours) for each in checked]
        if len(checked) > 1:
            summaries.append(total(checked, colours))
        blocks.append("\n".join(summaries))
        if system_columns:
            columns = dict.fromkeys(column for each in checked for column in each.system_columns)
            blocks.append(reference(tuple(columns), colours))
        return "\n\n".join(blocks)


def finding(diagnostic: Diagnostic, text: Text, colours: Colours) -> Iterator[str]:
    """One finding as lines."""
    head = colours.severe(f"{diagnostic.severity.value}[{diagnostic.code}]", diagnostic.severity)
    yield f"{head}: {colours.paint(one_line(diagnostic.message), 'bold')}"
    file = diagnostic.file or text.name
    place = underlined(diagnostic, text)
    if place is None:
        if file:
            yield f"  {colours.paint('-->', 'blue')} {file}"
    else:
        line, column, end = place
        gutter = " " * (len(str(line)) + 2)
        bar = colours.paint("|", "blue")
        source, marks = mark(text.line(line), column, end, widest=_room() - len(gutter))
        yield f"{gutter[1:]}{colours.paint('-->', 'blue')} {file}:{line}:{column}"
        yield f"{gutter}{bar}"
        yield f" {colours.paint(str(line), 'blue')} {bar} {source}".rstrip()
        yield f"{gutter}{bar} {marks.replace('^', '')}{colours.severe('^' * marks.count('^'), diagnostic.severity)}"
    if diagnostic.hint:
        yield f"{colours.paint('hint:', 'bold', 'green')} {one_line(diagnostic.hint)}"


def one_line(text: str) -> str:
    """A text with what would break its line, or speak to the terminal, written out: `\\n`."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def _room() -> int:
    """Columns for a line of source: those of the terminal, or plenty where the output goes elsewhere."""
    return max(shutil.get_terminal_size((WIDEST, 24)).columns, NARROWEST)


def summary(checked: Checked, colours: Colours) -> str:
    """`2 errors, 1 warning in app.sql`, or `app.sql: 12 statements, no errors`."""
    if checked.failed:
        return colours.severe(f"{', '.join(_counts([checked]))} in {checked.text.name}", Severity.ERROR)
    parts = [_amount(checked.statements, "statement"), "no errors", *_counts([checked])]
    return colours.paint(f"{checked.text.name}: {', '.join(parts)}", "green")


def total(checked: Sequence[Checked], colours: Colours) -> str:
    """`3 files: 2 errors, 1 warning`."""
    counts = _counts(checked)
    if not any(each.failed for each in checked):
        counts.insert(0, "no errors")
    return colours.paint(f"{len(checked)} files: {', '.join(counts)}", "bold")


def _counts(checked: Sequence[Checked]) -> list[str]:
    amounts = ((sum(each.count(severity) for each in checked), severity.value) for severity in Severity)
    return [_amount(amount, word) for amount, word in amounts if amount]


def _amount(amount: int, word: str) -> str:
    return f"{amount} {word}" + ("" if amount == 1 else "s")
