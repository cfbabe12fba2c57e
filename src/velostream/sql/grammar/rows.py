"""What may follow a call: WITHIN GROUP, FILTER, IGNORE NULLS, and OVER in its standard and in its buffered form."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.sql.grammar.number import number
from velostream.sql.grammar.primaries import Primaries
from velostream.sql.nodes import Duration, RowBuffer, RowWindow

_SIDES = ("PRECEDING", "FOLLOWING")


class Rows(Primaries):
    """Rules for aggregates over groups and rows."""

    def read_behind_call(self, call: exp.Expr, start: int) -> exp.Expr:
        """The call with all that follows it."""
        if self.accept("WITHIN", "GROUP"):
            self.expect("(")
            order = self.read_order()
            self.expect(")")
            call = self.node(exp.WithinGroup(this=call, expression=order), start)
        if self.ahead("FILTER", "("):
            self._advance(2)
            at = self._index
            self.expect("WHERE")
            where = self.node(exp.Where(this=self.read_expression()), at)
            self.expect(")")
            call = self.node(exp.Filter(this=call, expression=where), start)
        for word, kind in (("IGNORE", exp.IgnoreNulls), ("RESPECT", exp.RespectNulls)):
            if self.accept(word, "NULLS"):
                call = self.node(kind(this=call), start)
                break
        if self.ahead("OVER") and (self.ahead("(", by=1) or (self.name_ahead(1) and not self.clause_ahead(1))):
            return self._over(call, start)
        return call

    def read_order(self) -> exp.Order:
        """`ORDER BY expression [ASC | DESC] [NULLS FIRST | LAST], …`."""
        start = self._index
        self.expect("ORDER", "BY")
        items = [self._ordered()]
        while self.accept(","):
            items.append(self._ordered())
        return self.node(exp.Order(expressions=items), start)

    def _ordered(self) -> exp.Ordered:
        start = self._index
        value = self.read_expression()
        descending: bool | None = None
        if self.accept("DESC"):
            descending = True
        elif self.accept("ASC"):
            descending = False
        nulls_first, said = not descending, False
        if self.accept("NULLS"):
            said = True
            nulls_first = self.accept("FIRST")
            if not nulls_first:
                self.expect("LAST")
        ordered = exp.Ordered(this=value, nulls_first=nulls_first)
        if descending is not None:
            ordered.set("desc", descending)
        if said:
            ordered.meta["nulls_written"] = True
        return self.node(ordered, start)

    def _over(self, call: exp.Expr, start: int) -> exp.Expr:
        self.expect("OVER")
        if not self.at("("):
            return self.node(exp.Window(this=call, over="OVER", alias=self.read_name("a window")), start)
        buffer, parts = self.read_window_body()
        if buffer is None:
            return self.node(exp.Window(this=call, over="OVER", **parts), start)
        return self.node(RowWindow(this=call, over="OVER", buffer=buffer, **parts), start)

    def read_window_body(self) -> tuple[RowBuffer | None, dict[str, Any]]:
        """What stands in the parentheses of OVER: a base window or buffer, partition, order and frame."""
        self.expect("(")
        parts: dict[str, Any] = {}
        at = self._index
        buffer = None
        if self.accept("ROWS", "WINDOW"):
            self.expect("BUFFER")
            buffer = RowBuffer(this=self.read_count())
            self.expect("ROWS")
        elif self.name_ahead() and not self.clause_ahead() and self.word not in ("ROWS", "RANGE"):
            parts["alias"] = self.read_name("a window")
        if self.accept("PARTITION", "BY"):
            parts["partition_by"] = [self.read_expression()]
            while self.accept(","):
                parts["partition_by"].append(self.read_expression())
        if self.at("ORDER", "BY"):
            parts["order"] = self.read_order()
        if self.word in ("ROWS", "RANGE"):
            parts["spec"] = self._frame()
        if buffer is not None:
            self._buffer_options(buffer)
            self.node(buffer, at)
        self.expect(")")
        return buffer, parts

    def read_count(self) -> exp.Literal:
        """A whole number."""
        start = self._index
        if self.kind_ahead() is not TokenType.NUMBER or not self._tokens[start].text.isdecimal():
            self.unexpected("a whole number")
        return self.node(number(self.take_name().text), start)

    def _buffer_options(self, buffer: RowBuffer) -> None:
        if self.accept("EXPIRE", "AFTER"):
            expiry: Duration = self.read_length()
            buffer.set("expire", expiry)
        if self.accept("EMIT", "EVERY", "RECORD"):
            buffer.set("emit", "EVERY RECORD")
        elif self.accept("EMIT", "ON", "BUFFER", "FULL"):
            buffer.set("emit", "ON BUFFER FULL")

    def _frame(self) -> exp.WindowSpec:
        start, kind = self._index, self.word
        self._advance()
        spec = exp.WindowSpec(kind=kind)
        if self.accept("BETWEEN"):
            self._bound(spec, "start")
            self.expect("AND")
            self._bound(spec, "end")
        else:
            self._bound(spec, "start")
        return self.node(spec, start)

    def _bound(self, spec: exp.WindowSpec, key: str) -> None:
        if self.accept("CURRENT", "ROW"):
            spec.set(key, "CURRENT ROW")
            return
        spec.set(key, "UNBOUNDED" if self.accept("UNBOUNDED") else self.read_value())
        for side in _SIDES:
            if self.accept(side):
                spec.set(f"{key}_side", side)
                return
        self.unexpected()
