"""The colours of a statement while it is typed."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer

from velostream.cli.prompt.pieces import COMMENT, NAME, STRING, WORD, Piece, pieces
from velostream.sql.words import ADDED, RESERVED

_WORDS = (
    RESERVED | set(ADDED) | {"STREAM", "TABLE", "SET", "DROP", "DESCRIBE", "IF", "ASC", "DESC", "OVER", "PARTITION"}
)
_STYLES = {COMMENT: "ansibrightblack", STRING: "ansigreen", NAME: "ansicyan"}


class StatementLexer(Lexer):
    """Words of the language, texts, names in backticks, numbers and comments, each in its colour."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The parts of each line with their styles."""
        lines: list[StyleAndTextTuples] = [[]]
        position = 0
        for piece in pieces(document.text):
            _add(lines, "", document.text[position : piece.start])
            _add(lines, _style(piece), piece.text)
            position = piece.end
        _add(lines, "", document.text[position:])
        return lambda number: lines[number] if number < len(lines) else []


def _style(piece: Piece) -> str:
    if piece.kind != WORD:
        return _STYLES.get(piece.kind, "")
    if piece.text[0].isdigit():
        return "ansimagenta"
    return "bold ansiblue" if piece.upper in _WORDS else ""


def _add(lines: list[StyleAndTextTuples], style: str, text: str) -> None:
    first, *rest = text.split("\n")
    lines[-1].append((style, first))
    lines.extend([(style, line)] for line in rest)
