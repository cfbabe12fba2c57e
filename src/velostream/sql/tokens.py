"""Text to tokens: all words are alike (the grammar decides which are keywords), and the gaps are looked at too."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from velostream.errors import SyntaxRefused
from velostream.positions import Text

OPERATORS: dict[str, TokenType] = {
    "==": TokenType.EQ,
    "::": TokenType.DCOLON,
    "||": TokenType.DPIPE,
    ">=": TokenType.GTE,
    "<=": TokenType.LTE,
    "<>": TokenType.NEQ,
    "!=": TokenType.NEQ,
    "<=>": TokenType.NULLSAFE_EQ,
    "->": TokenType.ARROW,
    "=>": TokenType.FARROW,
}


class VeloTokenizer(Spark.Tokenizer):
    """Spark's quotes and escapes, `''` inside a string, no keywords, no hints, no commands; `5s` is one word."""

    KEYWORDS: ClassVar = OPERATORS
    SINGLE_TOKENS: ClassVar = {sign: kind for sign, kind in Spark.Tokenizer.SINGLE_TOKENS.items() if sign != "$"}
    STRING_ESCAPES: ClassVar = ["\\", "'", '"']
    NUMERIC_LITERALS: ClassVar = {}
    COMMANDS: ClassVar = set()

    @property
    def scan_start(self) -> int:
        """Where the token begins that was being read last."""
        return self._core._start


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its inner text, and the offsets of the whole and of the inner text."""

    body: str
    start: int
    end: int
    body_start: int


@dataclass(slots=True)
class Scan:
    """The tokens of a text in order, its comments, and what could not be read."""

    tokens: list[Token] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    refused: list[SyntaxRefused] = field(default_factory=list)


_COMMENT_WITHOUT_END = "the comment that begins with /* has no end"
_ENDS_INSIDE = re.compile(r";[ \t]*\r?\n")
_STATEMENT_END = re.compile(r";[ \t]*(?=\r?\n|$)")
_SPACE = re.compile(r"\s*")
_NESTED = re.compile(r"/\*|\*/")


def scan(text: Text, tokenizer: VeloTokenizer) -> Scan:
    """Tokens and comments of a text. Behind a string without end it goes on after the next line that ends in `;`."""
    result = Scan()
    content, base = text.content, 0
    while base <= len(content):
        refused = _tokenize(tokenizer, text, base, result)
        if refused is None:
            break
        result.refused.append(refused)
        assert refused.span is not None
        resume = _STATEMENT_END.search(content, refused.span.start)
        if resume is None:
            break
        result.tokens.append(Token(TokenType.SEMICOLON, ";", start=resume.start(), end=resume.start()))
        base = resume.end()
    _look_between(text, result)
    return result


def _tokenize(tokenizer: VeloTokenizer, text: Text, base: int, result: Scan) -> SyntaxRefused | None:
    """Adds the tokens of the text from `base` on; answers with the quotation that never ends, if there is one."""
    try:
        tokenizer.tokenize(text.content[base:])
        failed = False
    except TokenError:
        failed = True
    for token in tokenizer.tokens:
        token.start += base
        token.end += base
        if failed and _ENDS_INSIDE.search(text.content, token.start, token.end):
            return _endless(text, token.start)
        result.tokens.append(token)
    return _endless(text, base + tokenizer.scan_start) if failed else None


def _endless(text: Text, start: int) -> SyntaxRefused:
    """A quotation that began here and was not closed on its line, or a number in quotes with other signs in it."""
    line_end = text.content.find("\n", start)
    end = len(text.content) if line_end < 0 else line_end
    quote = next((sign for sign in text.content[start : start + 2] if sign in "'\"`"), "")
    if text.content.startswith("/*", start):
        return SyntaxRefused(_COMMENT_WITHOUT_END, hint="close it with */", span=text.span(start, start + 2))
    if quote and not text.content[start : start + 2].upper().startswith("X"):
        message, hint = f"the text that begins with {quote} has no end", f"close it with {quote}"
    else:
        message, hint = (
            f"'{text.content[start:end].strip()}' cannot be read",
            "write X'1F', with hexadecimal digits only",
        )
    return SyntaxRefused(message, hint=hint, span=text.span(start, end))


def _look_between(text: Text, result: Scan) -> None:
    """Finds the comments in the gaps between tokens; anything else there was skipped by sqlglot, and is refused."""
    unreadable = [refused.span for refused in result.refused if refused.span]
    position = 0
    for token in (*result.tokens, None):
        end = len(text.content) if token is None else token.start
        if not any(position <= span.start < end or span.start <= position < span.end for span in unreadable):
            _comments_of_gap(text, position, end, result)
        if token is not None:
            position = max(position, token.end + 1)


def _comments_of_gap(text: Text, start: int, end: int, result: Scan) -> None:
    content = text.content
    while True:
        space = _SPACE.match(content, start, end)
        start = space.end() if space else start
        if start >= end:
            return
        if content.startswith("--", start):
            line_end = content.find("\n", start, end)
            stop = end if line_end < 0 else line_end
            result.comments.append(Comment(content[start + 2 : stop].rstrip("\r"), start, stop, start + 2))
        elif content.startswith("/*", start):
            stop = _block_end(content, start, end)
            if stop < 0:
                refused = SyntaxRefused(_COMMENT_WITHOUT_END, hint="close it with */", span=text.span(start, start + 2))
                result.refused.append(refused)
                return
            if content.startswith("/*+", start):
                hint = "remove it, or write a plain comment: /* … */"
                message = f"the hint '{content[start:stop]}' is not understood"
                result.refused.append(
                    SyntaxRefused(message, hint=hint, span=text.span(start, stop), code="unsupported")
                )
            result.comments.append(Comment(content[start + 2 : stop - 2], start, stop, start + 2))
        else:
            stop = end
            message = f"'{content[start:end].strip()}' is not understood here"
            result.refused.append(SyntaxRefused(message, hint="remove it", span=text.span(start, end)))
        start = stop


def _block_end(content: str, start: int, end: int) -> int:
    """Where a block comment ends, comments inside it counted; -1 where it does not."""
    depth = 0
    for sign in _NESTED.finditer(content, start, end):
        depth += 1 if sign[0] == "/*" else -1
        if depth == 0:
            return sign.end()
    return -1
