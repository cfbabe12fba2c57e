"""EMIT in all its forms."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from velostream.registry import did_you_mean
from velostream.sql.grammar.number import number
from velostream.sql.grammar.table_windows import TableWindows
from velostream.sql.nodes import Emit

FORMS: tuple[str, ...] = ("CHANGES", "FINAL", "ON WATERMARK", "WHEN", "EARLY EVERY", "EVERY")
"""What EMIT may say."""


class Emission(TableWindows):
    """Rules for EMIT."""

    def read_emit(self) -> Emit:
        """One EMIT clause."""
        start = self._index
        self.expect("EMIT")
        for word in ("CHANGES", "FINAL"):
            if self.accept(word):
                return self.node(Emit(this=word), start)
        if self.accept("ON", "WATERMARK"):
            return self.node(Emit(this="ON WATERMARK"), start)
        if self.accept("WHEN"):
            return self._when(start)
        if self.accept("EARLY", "EVERY"):
            return self.node(Emit(this="EARLY", interval=self.read_length()), start)
        if self.accept("EVERY"):
            return self._every(start)
        hint = did_you_mean(self.word, FORMS) or "EMIT takes " + ", ".join(FORMS)
        return self.refuse(
            f"EMIT '{self._curr.text}' is not known" if not self.at_end else "EMIT says nothing", hint=hint
        )

    def _when(self, start: int) -> Emit:
        self.expect("(")
        emit = Emit(this="WHEN", condition=self.read_expression())
        self.expect(")")
        if self.accept("FALLBACK", "EVERY"):
            emit.set("fallback", self.read_length())
        return self.node(emit, start)

    def _every(self, start: int) -> Emit:
        at = self._index
        if self.kind_ahead() is not TokenType.NUMBER or not self._tokens[at].text.isdecimal():
            hint = "write EMIT EVERY 100 ROWS, or for a time EMIT EARLY EVERY 30s"
            self.refuse("EMIT EVERY takes a number of rows", hint=hint)
        rows = self.node(number(self.take_name().text), at)
        if not self.accept("ROWS") and not self.accept("ROW"):
            hint = "write EMIT EVERY 100 ROWS, or for a time EMIT EARLY EVERY 30s"
            self.refuse("EMIT EVERY takes a number of rows", hint=hint)
        return self.node(Emit(this="EVERY", rows=rows), start)
