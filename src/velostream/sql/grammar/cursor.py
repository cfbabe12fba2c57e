"""The cursor over the tokens of one statement: looking ahead, taking words, placing nodes, refusing with a hint."""

from __future__ import annotations

from typing import NoReturn, TypeVar

from sqlglot import exp
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

from velostream.errors import SyntaxRefused
from velostream.positions import Span, Text
from velostream.registry import nearest
from velostream.sql import spans

Node = TypeVar("Node", bound=exp.Expr)

DEEPEST = 60
"""How many expressions, calls, conditions and subqueries may stand inside each other."""

TOO_DEEP = "the statement is too deeply nested"

_MOST_SHOWN = 8
_MOST_AHEAD = 8


class Cursor(SparkParser):
    """What all rules share. Rules are named `read_…`; each takes its tokens or refuses, none gives up half way."""

    def load(self, tokens: list[Token], text: Text) -> None:
        """Begins with the tokens of one statement."""
        self.reset()
        self.source = text
        self.sql = text.content
        self._tokens = tokens
        self._tokens_size = len(tokens)
        self._words = [_word(token) for token in tokens]
        self._words += [""] * _MOST_AHEAD
        self._names: set[int] = set()
        self._expected: dict[str, None] = {}
        self._expected_at = -1
        self._nesting = 0
        self._index = -1
        self._advance()

    @property
    def word(self) -> str:
        """The current word in upper case, or the current sign; empty for a quoted text and at the end."""
        return self._words[self._index]

    @property
    def at_end(self) -> bool:
        """True behind the last token."""
        return self._index >= self._tokens_size

    def ahead(self, *words: str, by: int = 0) -> bool:
        """True where these words follow one another from here (or `by` tokens further); nothing is taken."""
        here = self._index + by
        if len(words) == 1:
            return self._words[here] == words[0]
        return tuple(self._words[here : here + len(words)]) == words

    def at(self, *words: str) -> bool:
        """As `ahead`, and remembers for the error message that these words would have been understood here."""
        if self.ahead(*words):
            return True
        if self._index != self._expected_at:
            self._expected_at = self._index
            self._expected = {}
        self._expected[" ".join(words)] = None
        return False

    def accept(self, *words: str) -> bool:
        """Takes these words if they are here."""
        if self.at(*words):
            self._advance(len(words))
            return True
        return False

    def expect(self, *words: str) -> None:
        """Takes these words, or refuses."""
        if not self.accept(*words):
            self._expected = {" ".join(words): None}
            self.unexpected()

    def take_name(self) -> Token:
        """Takes a token whose text is content (a name, a string, a number) and must be found in the tree."""
        self._names.add(self._index)
        self._advance()
        return self._prev

    def kind_ahead(self, by: int = 0) -> TokenType:
        """The type of the token `by` tokens further."""
        index = self._index + by
        return self._tokens[index].token_type if 0 <= index < self._tokens_size else TokenType.SENTINEL

    def node(self, instance: Node, start: int, end: int | None = None) -> Node:
        """Places a node from the token `start` to the token `end` (the one taken last)."""
        last = self._tokens[self._index - 1 if end is None else end]
        spans.place(instance, self._tokens[start].start, last.end + 1)
        return instance

    def closing(self, index: int) -> int:
        """Which token closes the parenthesis at the token `index`; the last one where none does."""
        depth = 0
        for at in range(index, self._tokens_size):
            depth += {"(": 1, ")": -1}.get(self._words[at], 0)
            if depth == 0:
                return at
        return self._tokens_size - 1

    def written(self, start: int) -> str:
        """The text from the token `start` to the one taken last, as it stands in the file."""
        return self.sql[self._tokens[start].start : self._tokens[self._index - 1].end + 1]

    def deeper(self) -> None:
        """Counts one more level of nesting; `shallower` takes it back."""
        self._nesting += 1
        if self._nesting > DEEPEST:
            self.refuse(TOO_DEEP, hint=f"at most {DEEPEST} levels; split it with CTEs or streams")

    def shallower(self) -> None:
        """One level of nesting less."""
        self._nesting -= 1

    def here(self, start: int | None = None, end: int | None = None) -> Span:
        """The span of the tokens from `start` (here) to `end` (the same); behind the last, of the last character."""
        if not self._tokens_size:
            return self.source.span(0, 0)
        first = self._index if start is None else start
        if first >= self._tokens_size:
            behind = self._tokens[-1].end + 1
            return self.source.span(behind - 1, behind)
        last = self._tokens[first if end is None else min(end, self._tokens_size - 1)]
        return self.source.span(self._tokens[first].start, last.end + 1)

    def placed(self, node: exp.Expr) -> Span:
        """The span of a node that was read already."""
        start, end = spans.offsets(node) or (0, 0)
        return self.source.span(start, end)

    def refuse(self, message: str, *, hint: str = "", span: Span | None = None, code: str = "") -> NoReturn:
        """Ends the parse of this statement with an error at the current token (or at `span`)."""
        raise SyntaxRefused(message, hint=hint, span=span or self.here(), code=code)

    def unexpected(self, *also: str) -> NoReturn:
        """Refuses the current token, and says what was expected instead; `also` names things that are not words."""
        expected = [*also, *(self._expected if self._expected_at == self._index else ())]
        if self.at_end:
            self.refuse("the statement ends too early", hint=_wanted(expected) or "something is missing here")
        shown = self.sql[self._tokens[self._index].start : self._tokens[self._index].end + 1]
        if not shown.isprintable() and "\n" not in shown:
            self.refuse(f"{shown!a} holds an invisible character", hint="type it again")
        self.refuse(f"'{shown}' is not understood here", hint=self.hint_for(expected))

    def hint_for(self, expected: list[str]) -> str:
        """What was meant, by the nearest of the expected words; else what was expected."""
        if self._index > 0 and self._words[self._index - 1] == ",":
            return f"remove the ',' before it{', or write' if expected else ''} {' or '.join(expected[:1])}".rstrip()
        for index, known in ((self._index, [word for word in expected if _is_word(word)]), (self._index - 1, _CLAUSES)):
            if index < 0 or (index < self._index and index not in self._names):
                continue
            close = [name for name in nearest(self._words[index], known, most=1) if name != self._words[index]]
            if close and len(self._words[index]) > 2:
                return f"did you mean '{close[0]}' instead of '{self._tokens[index].text}'?"
        return _wanted(expected) or "remove it, or separate statements with ';'"


_CLAUSES = ("FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "WINDOW", "EMIT", "INTO", "WITH", "JOIN", "ON")
_QUIET = ("[", "->", "::", "IS", "BETWEEN", "IN", "AND", "OR", "NOT", "!", ",", "COLLATE", "PRIMARY KEY", "AS")


def _word(token: Token) -> str:
    if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER, TokenType.RAW_STRING, TokenType.NATIONAL_STRING):
        return ""
    if token.token_type in (TokenType.NUMBER, TokenType.HEX_STRING):
        return ""
    return token.text.upper()


def _is_word(text: str) -> bool:
    return text.replace(" ", "").replace("_", "").isalpha()


def _wanted(expected: list[str]) -> str:
    """`expected FROM, WHERE or ')'`; how an expression could go on is not said where something else could stand."""
    loud = [word for word in expected if word not in _QUIET] or expected
    shown = [word if _is_word(word) or " " in word else f"'{word}'" for word in loud[:_MOST_SHOWN]]
    if not shown:
        return ""
    return "expected " + (shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" or {shown[-1]}")
