"""Joins of every kind, and within a time."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.grammar.sources import Sources
from velostream.sql.nodes import StreamJoin


class Joins(Sources):
    """Rules for joins."""

    def read_joins(self) -> list[exp.Expr]:
        """All joins behind the first source; a comma is a join without a condition."""
        joins: list[exp.Expr] = []
        while True:
            start = self._index
            if self.accept(","):
                joins.append(self.node(exp.Join(this=self.read_source()), start))
                continue
            words = self._join_words()
            if words is None:
                return joins
            joins.append(self._join(start, *words))

    def _join_words(self) -> tuple[str, str, str] | None:
        """The words before JOIN as method, side and kind; None where no join follows."""
        start = self._index
        method = "NATURAL" if self.accept("NATURAL") else ""
        side = next((word for word in ("LEFT", "RIGHT", "FULL") if self.accept(word)), "")
        kinds = ("OUTER", "SEMI", "ANTI") if side else ("INNER", "CROSS")
        kind = next((word for word in kinds if self.at(word) and self.ahead("JOIN", by=1) and self.accept(word)), "")
        if not (side or kind) and self.word in ("SEMI", "ANTI") and self.ahead("JOIN", by=1):
            side, kind = "LEFT", self.word
            self._advance()
        if self.accept("JOIN"):
            return method, side, kind
        if self._index != start:
            self.unexpected()
        return None

    def _join(self, start: int, method: str, side: str, kind: str) -> exp.Join:
        join = exp.Join(this=self.read_source())
        for key, word in (("method", method), ("side", side), ("kind", kind)):
            if word:
                join.set(key, word)
        within = self._within(None)
        if self.accept("ON"):
            join.set("on", self.read_expression())
        elif self.accept("USING"):
            join.set("using", self.read_names())
        elif not (method or side or kind):
            join.set("kind", "INNER")
        within = self._within(within)
        if within is not None:
            join = StreamJoin(**join.args, **within)
        return self.node(join, start)

    def _within(self, found: dict[str, object] | None) -> dict[str, object] | None:
        """`WITHIN d`, `WITHIN (before, after)`, `GRACE PERIOD d`, before or behind the condition."""
        if found is not None or not (self.word == "WITHIN" and self.clause_ahead() and self.accept("WITHIN")):
            return found
        within: dict[str, object] = {}
        if self.accept("("):
            before = self.read_length()
            self.expect(",")
            within["within"] = [before, self.read_length()]
            self.expect(")")
        else:
            within["within"] = [self.read_length()]
        if self.accept("GRACE", "PERIOD"):
            within["grace"] = self.read_length()
        return within
