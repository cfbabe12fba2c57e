"""Findings for programs: one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from velostream.catalog.system_columns import SystemColumn
from velostream.cli.colours import Colours
from velostream.cli.report.base import Checked, underlined
from velostream.diagnostics import Diagnostic
from velostream.positions import Text


@dataclass(frozen=True, slots=True)
class JsonReport:
    """`{"files": […], "diagnostics": […]}`; columns count from 1, `end_column` is the one after the last marked."""

    name: str = "json"

    def render(self, checked: Sequence[Checked], *, colours: Colours, system_columns: bool) -> str:
        """The object, indented."""
        answer: dict[str, Any] = {
            "files": [each.text.name for each in checked],
            "diagnostics": [_finding(found, each.text) for each in checked for found in each.diagnostics],
        }
        if system_columns:
            answer["system_columns"] = {each.text.name: list(map(_column, each.system_columns)) for each in checked}
        return json.dumps(answer, indent=2, ensure_ascii=False)


def _finding(diagnostic: Diagnostic, text: Text) -> dict[str, Any]:
    line, column, end_column = underlined(diagnostic, text) or (None, None, None)
    return {
        "file": diagnostic.file or text.name,
        "line": line,
        "column": column,
        "end_column": end_column,
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "statement": diagnostic.statement,
    }


def _column(column: SystemColumn) -> dict[str, str]:
    return {
        "name": column.name,
        "type": str(column.type),
        "category": column.category,
        "meaning": column.meaning,
        "example": column.example,
    }
