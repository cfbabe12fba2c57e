"""A line of source with a stretch of it underlined, as a terminal shows it: tabs and wide characters are counted."""

from __future__ import annotations

import unicodedata

TAB = 4
WIDEST = 200
NARROWEST = 60


def mark(line: str, column: int, end: int, widest: int = WIDEST) -> tuple[str, str]:
    """The line as shown, and the carets below the columns from `column` up to, not including, `end`."""
    cells = _cells(line)
    first = min(column - 1, len(cells))
    last = max(min(end - 1, len(cells)), first)
    before = sum(width for _, width in cells[:first])
    marked = sum(width for _, width in cells[first:last])
    shown = "".join(text for text, _ in cells)
    if sum(width for _, width in cells) <= widest:
        return shown.rstrip(), " " * before + "^" * max(marked, 1)
    return _cropped(cells, first, last, widest - 4)


def _cropped(cells: list[tuple[str, int]], first: int, last: int, room: int) -> tuple[str, str]:
    """A long line is shown around the marked stretch, with `…` where something is left out."""
    start = max(0, first - room // 3)
    lead = "… " if start else ""
    width, stop = 0, start
    while stop < len(cells) and width + cells[stop][1] <= room:
        width += cells[stop][1]
        stop += 1
    shown = lead + "".join(text for text, _ in cells[start:stop]).rstrip() + (" …" if stop < len(cells) else "")
    before = len(lead) + sum(size for _, size in cells[start:first])
    marked = sum(size for _, size in cells[first : min(last, stop)])
    return shown, " " * before + "^" * max(marked, 1)


def _cells(line: str) -> list[tuple[str, int]]:
    """Each character as it is printed, with the number of terminal columns that it takes."""
    cells: list[tuple[str, int]] = []
    place = 0
    for character in line:
        if character == "\t":
            text, width = " " * (TAB - place % TAB), TAB - place % TAB
        elif unicodedata.combining(character) or unicodedata.category(character) == "Cf":
            text, width = character, 0
        elif unicodedata.category(character).startswith("C"):
            text, width = "\ufffd", 1
        else:
            text, width = character, 2 if unicodedata.east_asian_width(character) in "WF" else 1
        cells.append((text, width))
        place += width
    return cells
