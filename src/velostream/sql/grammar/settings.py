"""`WITH ('key' = 'value', …)`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.sql.grammar.expressions import Expressions
from velostream.sql.grammar.number import number
from velostream.sql.nodes import Setting, Settings


class Properties(Expressions):
    """Rules for properties."""

    def read_settings(self) -> Settings:
        """`WITH (key = value, …)`; a list may be empty."""
        start = self._index
        self.expect("WITH")
        self.expect("(")
        settings: list[exp.Expr] = []
        while not self.accept(")"):
            if settings:
                self.expect(",")
            settings.append(self.read_setting())
        return self.node(Settings(expressions=settings), start)

    def read_setting(self) -> Setting:
        """`'key' = 'value'`; both may be written bare where they are one word, a key with dots too."""
        start = self._index
        key = self._key()
        self.expect("=")
        return self.node(Setting(this=key, expression=self._value()), start)

    def _key(self) -> exp.Expr:
        start = self._index
        if self.kind_ahead() is TokenType.STRING:
            return self.node(exp.Literal.string(self.take_name().text), start)
        name: exp.Expr = self.read_name("a property such as 'topic'")
        while self.accept("."):
            name = self.node(exp.Dot(this=name, expression=self.read_name_after_dot()), start)
        return name

    def _value(self) -> exp.Expr:
        start, kind = self._index, self.kind_ahead()
        if kind in (TokenType.STRING, TokenType.RAW_STRING):
            return self.node(exp.Literal.string(self.take_name().text), start)
        if kind is TokenType.NUMBER or (self.ahead("-") and self.kind_ahead(1) is TokenType.NUMBER):
            minus = "-" if self.accept("-") else ""
            return self.node(number(minus + self.take_name().text), start)
        if kind is TokenType.VAR:
            return self.node(exp.Var(this=self.take_name().text), start)
        return self.unexpected("a value in quotes")
