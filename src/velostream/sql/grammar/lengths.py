"""Lengths of time: `5s`, a bare number of seconds, `1 MINUTE`, `INTERVAL '1' MINUTE`; and INTERVAL in expressions."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream import durations
from velostream.errors import InvalidDuration
from velostream.sql.grammar.kinds import Kinds
from velostream.sql.grammar.names import LENGTH
from velostream.sql.grammar.number import number
from velostream.sql.nodes import Duration

UNITS: frozenset[str] = frozenset(
    f"{unit}{plural}"
    for unit in ("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR")
    for plural in ("", "S")
)
"""The units that Spark's INTERVAL takes."""

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


class Lengths(Kinds):
    """Rules for lengths of time."""

    def length_ahead(self, by: int = 0) -> bool:
        """True where a length of time begins."""
        kind = self.kind_ahead(by)
        if kind is TokenType.NUMBER:
            return True
        if self.ahead("INTERVAL", by=by):
            return self.interval_ahead(by)
        return kind is TokenType.VAR and bool(LENGTH.fullmatch(self._tokens[self._index + by].text))

    def interval_ahead(self, by: int = 0) -> bool:
        """True where INTERVAL begins an interval rather than naming a column."""
        if not self.ahead("INTERVAL", by=by):
            return False
        if self.kind_ahead(by + 1) in (TokenType.STRING, TokenType.NUMBER):
            return True
        amount = self.kind_ahead(by + 2) in (TokenType.STRING, TokenType.NUMBER)
        return (
            self.ahead("-", by=by + 1)
            and amount
            and self._words[min(self._index + by + 3, len(self._words) - 1)] in UNITS
        )

    def read_length(self) -> Duration:
        """A length of time in any spelling."""
        start = self._index
        if not self.length_ahead():
            self.unexpected("a length of time such as 5s or INTERVAL '1' MINUTE")
        if self.accept("INTERVAL"):
            amount = self._length_of_interval()
        elif self.kind_ahead() is TokenType.NUMBER:
            amount = self._length_of_numbers()
        else:
            amount = self.take_name().text
        return self._duration(start, amount)

    def shift_ahead(self, by: int = 0) -> bool:
        """True where a length of time begins, of whatever sign."""
        return self.length_ahead(by) or (self.ahead("-", by=by) and self.length_ahead(by + 1))

    def read_shift(self) -> Duration:
        """A length of time with a sign, which moves something forth or back: `-5m`, `INTERVAL '-5' MINUTE`."""
        start = self._index
        back = self.accept("-")
        if self.accept("INTERVAL"):
            back ^= self.accept("-")
            amount = self._length_of_interval()
            back ^= amount.startswith("-")
            length = self._duration(start, amount.removeprefix("-"))
        else:
            length = self.read_length()
        return self.node(Duration(this=self._written(start), micros=-length.micros if back else length.micros), start)

    def refuse_negative(self) -> None:
        """Where a length of time must not have a sign."""
        if self.at("-") and self.length_ahead(1):
            message, hint = "a length of time is not below zero", "leave the minus out; only OFFSET takes one"
            self.refuse(message, hint=hint, code="invalid-duration")

    def _written(self, start: int) -> str:
        return " ".join(self.written(start).split())

    def _duration(self, start: int, amount: str) -> Duration:
        try:
            micros = durations.parse(amount)
        except InvalidDuration as error:
            self.refuse(error.message, hint=error.hint, span=self.here(start, self._index - 1), code="invalid-duration")
        return self.node(Duration(this=self._written(start), micros=micros), start)

    def _length_of_interval(self) -> str:
        if self.kind_ahead() is not TokenType.STRING:
            return self._length_of_numbers()
        amount = self.take_name().text
        if self._unit_ahead():
            amount += f" {self.take_name().text}"
        if self.at("TO"):
            hint = "write one unit, or several parts: INTERVAL 1 HOUR 30 MINUTES"
            self.refuse(
                "an interval from one unit TO another is not a length of time here", hint=hint, code="invalid-duration"
            )
        return amount

    def _unit_ahead(self) -> bool:
        """True for a unit, and for a word where only a unit can stand: it is refused as none."""
        last = self.kind_ahead() is TokenType.VAR and (self.ahead(")", by=1) or self.ahead(",", by=1))
        return last or self.word in UNITS or self.word.casefold() in durations.UNITS

    def _length_of_numbers(self) -> str:
        """`30`, `1 MINUTE`, `1 HOUR 30 MINUTES`."""
        parts = []
        while self.kind_ahead() is TokenType.NUMBER:
            number = self.take_name().text
            unit = ""
            if self.kind_ahead() is TokenType.VAR and self._unit_ahead():
                unit = self.take_name().text
            parts.append(f"{number} {unit}".strip())
            if not unit:
                break
        if not parts:
            self.unexpected("a number")
        return " ".join(parts)

    def read_interval(self) -> exp.Interval:
        """In an expression: `INTERVAL '1' DAY`, `INTERVAL 1 HOUR 30 MINUTES`, `INTERVAL '1:30' HOUR TO MINUTE`."""
        start = self._index
        self.expect("INTERVAL")
        first = self._amount()
        if first.is_string and self.word not in UNITS:
            if _NUMBER.fullmatch(first.name.strip()):
                message, hint = f"INTERVAL '{first.name}' has no unit", f"write INTERVAL '{first.name}' SECOND"
                self.refuse(message, hint=hint, span=self.here(start, self._index - 1), code="invalid-duration")
            return self.node(exp.Interval(this=first), start)
        unit: exp.Expr = self._unit()
        if self.accept("TO"):
            at = self._index
            unit = self.node(exp.IntervalSpan(this=unit, expression=self._unit()), at - 2)
        elif self.kind_ahead() is TokenType.NUMBER and self._words[self._index + 1] in UNITS:
            return self._many_parts(start)
        interval = exp.Interval(this=first)
        interval.set("unit", unit)  # the constructor would make another node of it, without a place
        return self.node(interval, start)

    def _many_parts(self, start: int) -> exp.Interval:
        """Several parts are kept as Spark's one string, which means the same."""
        while self.kind_ahead() is TokenType.NUMBER and self._words[self._index + 1] in UNITS:
            self.take_name()
            self.take_name()
        inside = " ".join(self._tokens[index].text for index in range(start + 1, self._index))
        literal = self.node(exp.Literal.string(inside), start + 1)
        return self.node(exp.Interval(this=literal), start)

    def _amount(self) -> exp.Expr:
        start = self._index
        if self.accept("-"):
            return self.node(exp.Neg(this=self._amount()), start)
        kind = self.kind_ahead()
        if kind is TokenType.STRING:
            return self.node(exp.Literal.string(self.take_name().text), start)
        if kind is not TokenType.NUMBER or not _NUMBER.fullmatch(self._tokens[start].text):
            self.unexpected("an amount")
        return self.node(number(self.take_name().text), start)

    def _unit(self) -> exp.Var:
        start = self._index
        if self.word not in UNITS:
            self.unexpected("a unit of time such as MINUTE")
        return self.node(exp.Var(this=self.take_name().text.upper()), start)
