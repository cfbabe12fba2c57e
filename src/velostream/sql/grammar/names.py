"""Names: identifiers, and what may be one."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream import durations
from velostream.sql.grammar.cursor import Cursor
from velostream.sql.words import RESERVED

NUMBER_WITH_TYPE = re.compile(r"([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?)(BD|[LSYDF])", re.IGNORECASE)
"""Spark's typed numbers, `5L`, `1.5BD`."""

LENGTH = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?[A-Za-z]+)+")
"""A length of time in one word, `5s`, `1h30m`."""

_NAME = re.compile(r"\$?[^\W\d]\w*|[0-9]+[^\W\d]\w*")
_LENGTH_UNITS = re.compile(r"[A-Za-z]+")


class Names(Cursor):
    """Rules for names."""

    def name_ahead(self, by: int = 0) -> bool:
        """True where a name can be read: a quoted one, or a word that is not reserved."""
        kind = self.kind_ahead(by)
        if kind is TokenType.IDENTIFIER:
            return True
        if kind is not TokenType.VAR:
            return False
        text = self._tokens[self._index + by].text
        return text.upper() not in RESERVED and bool(_NAME.fullmatch(text)) and not is_amount(text)

    def read_name(self, what: str = "a name") -> exp.Identifier:
        """A name; a reserved word is refused with the way out."""
        if not self.name_ahead():
            if self.kind_ahead() is TokenType.VAR and self.word in RESERVED and not self.ahead(",", by=-1):
                text = self._tokens[self._index].text
                self.refuse(
                    f"'{text}' is a reserved word, and {what} is expected here", hint=f"as a name write `{text}`"
                )
            if self.kind_ahead() is TokenType.VAR and is_amount(self._tokens[self._index].text):
                text = self._tokens[self._index].text
                self.refuse(f"'{text}' is an amount, and {what} is expected here", hint=f"as a name write `{text}`")
            self.unexpected(what)
        return self._identifier()

    def read_name_after_dot(self) -> exp.Identifier:
        """A name behind a dot, where reserved words are names too (and are printed in backticks)."""
        text = self._tokens[self._index].text if not self.at_end else ""
        if self.kind_ahead() is TokenType.VAR and _NAME.fullmatch(text) and text.upper() in RESERVED:
            identifier = self._identifier()
            identifier.set("quoted", True)
            return identifier
        return self.read_name("a field")

    def _identifier(self) -> exp.Identifier:
        start = self._index
        token = self.take_name()
        quoted = token.token_type is TokenType.IDENTIFIER
        if not token.text:
            self.refuse("a name in backticks is empty", hint="write a name between them", span=self.here(start))
        return self.node(exp.Identifier(this=token.text, quoted=quoted), start)

    def read_names(self) -> list[exp.Expr]:
        """`(name, name, …)`."""
        self.expect("(")
        names: list[exp.Expr] = [self.read_name()]
        while self.accept(","):
            names.append(self.read_name())
        self.expect(")")
        return names


def is_amount(text: str) -> bool:
    """True for a word that is a typed number or a length of time rather than a name."""
    if not text[:1].isdigit():
        return False
    if NUMBER_WITH_TYPE.fullmatch(text):
        return True
    return bool(LENGTH.fullmatch(text)) and all(
        unit.casefold() in durations.UNITS for unit in _LENGTH_UNITS.findall(text)
    )
