"""Where something stands in a text: lines and columns count from 1, offsets from 0, ends are exclusive."""

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file's text."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int

    def __deepcopy__(self, memo: object) -> "Span":
        """Itself, since it never changes: every node of a tree has one, and trees are copied often."""
        return self

    def to(self, other: "Span") -> "Span":
        """The smallest span that holds both."""
        first, last = min(self, other), max(self, other, key=lambda span: span.end)
        return Span(first.start, last.end, first.line, first.column, last.end_line, last.end_column)


class Text:
    """A file's text that knows its lines."""

    def __init__(self, content: str, name: str = "<query>") -> None:
        self.content = content
        self.name = name
        self._starts = [0]
        self._starts += [index + 1 for index, character in enumerate(content) if character == "\n"]

    def span(self, start: int, end: int) -> Span:
        """The span of `content[start:end]`."""
        line, column = self._place(start)
        end_line, end_column = self._place(max(start, end))
        return Span(start, max(start, end), line, column, end_line, end_column)

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.content)
        return self.content[start:end].rstrip("\r")

    def _place(self, offset: int) -> tuple[int, int]:
        offset = min(max(offset, 0), len(self.content))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
