"""Colours for a terminal, and none for anything else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO

from velostream.diagnostics import Severity

_RESET = "\x1b[0m"
_CODES = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36", "bold": "1", "dim": "2"}
_OF_SEVERITY = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


@dataclass(frozen=True, slots=True)
class Colours:
    """Paints text where `on`, leaves it as it is where not."""

    on: bool = False

    def paint(self, text: str, *styles: str) -> str:
        """The text in these styles."""
        if not self.on or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}{_RESET}"

    def severe(self, text: str, severity: Severity) -> str:
        """The text in the colour of a severity."""
        return self.paint(text, "bold", _OF_SEVERITY[severity])


def colours_of(stream: TextIO) -> Colours:
    """On for a terminal, unless NO_COLOR is set or the terminal is a dumb one."""
    terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    return Colours(on=terminal and not os.environ.get("NO_COLOR"))
