"""Text that is still being typed, as pieces: words, texts in quotes that may have no end yet, comments, signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD, STRING, NAME, COMMENT, SIGN = "word", "string", "name", "comment", "sign"

_PIECES = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<string>'(?:[^'\\]|''|\\.)*(?:'|\Z)|"(?:[^"\\]|""|\\.)*(?:"|\Z))
      | (?P<name>`[^`]*(?:`|\Z))
      | (?P<word>[A-Za-z_$][\w$]*|\d[\w.]*)
      | (?P<sign>[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and what it is."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.start + len(self.text)

    @property
    def upper(self) -> str:
        """A word in capitals, a sign as it is; empty for the inside of quotes."""
        return self.text.upper() if self.kind in (WORD, SIGN) else ""

    @property
    def is_open(self) -> bool:
        """True for quotes that have no end yet."""
        return self.kind in (STRING, NAME) and (len(self.text) == 1 or self.text[-1] != self.text[0])

    @property
    def inside(self) -> str:
        """What stands between the quotes; a word as it is."""
        if self.kind not in (STRING, NAME):
            return self.text
        return self.text[1:] if self.is_open else self.text[1:-1]


def pieces(text: str) -> list[Piece]:
    """All pieces of a text in order, without the space between them."""
    return [Piece(str(found.lastgroup), found[0], found.start()) for found in _PIECES.finditer(text)]


def is_complete(text: str) -> bool:
    """True once nothing more is needed: nothing at all, a command of the shell, or a statement that ends with `;`."""
    told = [piece for piece in pieces(text) if piece.kind != COMMENT]
    if not told or text.lstrip().startswith("\\"):
        return True
    return told[-1].upper == ";" or is_leaving(text) or is_help(text)


def is_leaving(text: str) -> bool:
    """True for `exit` and `quit`."""
    return text.strip().rstrip(";").casefold() in ("exit", "quit")


def is_help(text: str) -> bool:
    """True for `help`."""
    return text.strip().rstrip(";").casefold() == "help"


def statement_at(text: str, cursor: int) -> tuple[str, int]:
    """The statement that the cursor is in, to its `;`, and the place of the cursor in it."""
    ends = [piece.end for piece in pieces(text) if piece.upper == ";"]
    start = max((end for end in ends if end <= cursor), default=0)
    stop = min((end for end in ends if end > cursor), default=len(text))
    return text[start:stop], cursor - start
