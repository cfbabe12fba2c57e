"""Literals: strings, numbers with and without a type, bytes."""

from __future__ import annotations

import re
from decimal import Decimal

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.sql.grammar.lengths import Lengths
from velostream.sql.grammar.names import NUMBER_WITH_TYPE
from velostream.sql.grammar.number import number

STRINGS = (TokenType.STRING, TokenType.RAW_STRING)
"""The tokens that are a text in quotes."""

_NUMBER = re.compile(r"[0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?")
_SUFFIXES = {"L": "BIGINT", "S": "SMALLINT", "Y": "TINYINT", "D": "DOUBLE", "F": "FLOAT"}


class Literals(Lengths):
    """Rules for literals."""

    def string_ahead(self) -> bool:
        """True where a text in quotes follows."""
        return self.kind_ahead() in STRINGS

    def read_string(self) -> exp.Literal:
        """A text in quotes."""
        start = self._index
        if not self.string_ahead():
            self.unexpected("a text in quotes")
        return self.node(exp.Literal.string(self.take_name().text), start)

    def read_number(self) -> exp.Literal:
        """`10`, `1.5`, `.5`, `1e3`."""
        start = self._index
        point = "." if self.accept(".") else ""
        token = self.take_name()
        behind = self._tokens[self._index] if not self.at_end else None
        connected = point and token.start != self._tokens[start].end + 1
        ragged = behind is not None and behind.start == token.end + 1 and behind.token_type is TokenType.VAR
        if connected or ragged or not _NUMBER.fullmatch(token.text):
            span = self.here(start, self._index if ragged else self._index - 1)
            self.refuse(
                f"'{self.sql[span.start : span.end]}' is not a number", hint="write 10, 1.5, 1e3 or 5L", span=span
            )
        return self.node(number(point + token.text), start)

    def read_bytes(self) -> exp.Anonymous:
        """`X'1F'` is UNHEX('1F')."""
        start = self._index
        token = self.take_name()
        if self.sql[token.start] == "0":
            hint = f"write {int(token.text, 16)}, or for bytes X'{token.text}'"
            self.refuse(f"'0x{token.text}' is not a number", hint=hint, span=self.here(start))
        literal = self.node(exp.Literal.string(token.text), start)
        return self.node(exp.Anonymous(this="UNHEX", expressions=[literal]), start)

    def read_typed_number(self) -> exp.Cast:
        """`5L` is a number and its type, which is a cast that changes nothing."""
        start = self._index
        match = NUMBER_WITH_TYPE.fullmatch(self.take_name().text)
        assert match is not None
        suffix = match[2].upper()
        literal = self.node(number(match[1]), start)
        if suffix != "BD":
            kind = exp.DataType(this=exp.DType[_SUFFIXES[suffix]], nested=False)
            return self.node(exp.Cast(this=literal, to=self.node(kind, start)), start)
        exact = Decimal(match[1]).as_tuple()
        scale = max(0, -int(exact.exponent))
        precision = max(len(exact.digits) + max(0, int(exact.exponent)), scale)
        sizes = [exp.DataTypeParam(this=number(str(size))) for size in (precision, scale)]
        kind = exp.DataType(this=exp.DType.DECIMAL, expressions=sizes, nested=False)
        return self.node(exp.Cast(this=literal, to=self.node(kind, start)), start)
