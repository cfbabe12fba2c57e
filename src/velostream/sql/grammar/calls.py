"""Function calls: kept as they are written, but for the few that have a syntax of their own; and lambdas."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.sql.grammar.rows import Rows
from velostream.sql.words import RESERVED

_HIGHER_ORDER = """
AGGREGATE ARRAY_SORT EXISTS FILTER FORALL MAP_FILTER MAP_ZIP_WITH REDUCE TRANSFORM TRANSFORM_KEYS TRANSFORM_VALUES
ZIP_WITH
"""
HIGHER_ORDER: frozenset[str] = frozenset(_HIGHER_ORDER.split())
"""Spark's functions that take a lambda: only in their arguments is `x -> …` one; elsewhere `a->b` is a field."""

_RESERVED_FUNCTIONS = ("LEFT", "RIGHT", "EXISTS", "ANY", "SOME", "LIKE", "ILIKE", "RLIKE", "REGEXP", "DIV", "IN")
_WITHOUT_PARENS = (
    "CURRENT_DATE",
    "CURRENT_TIMESTAMP",
    "CURRENT_TIME",
    "LOCALTIMESTAMP",
    "CURRENT_USER",
    "SESSION_USER",
)

_Special = tuple[exp.Expr | None, exp.Expr | None]


class Calls(Rows):
    """Rules for function calls."""

    def read_call(self) -> exp.Expr:
        """A call and what follows it: FILTER, OVER …"""
        start = self._index
        return self.read_behind_call(self.read_plain_call(), start)

    def read_plain_call(self) -> exp.Expr:
        """`name(arguments)`, verbatim where it has no syntax of its own."""
        start, word = self._index, self.word
        named = self.kind_ahead() in (TokenType.VAR, TokenType.IDENTIFIER)
        if not named or (word in RESERVED and word not in _RESERVED_FUNCTIONS):
            self.unexpected("a function")
        name = self.take_name()
        self.deeper()
        self.expect("(")
        rule = self._rules.get(word) if not self.at(")") else None
        special, first = rule() if rule else (None, None)
        if special is not None:
            self._names.discard(start)
            self.expect(")")
            self.shallower()
            return self.node(special, start)
        arguments = [] if self.at(")") and first is None else self._arguments(word, first)
        self.expect(")")
        if word == "GROUP_CONCAT":
            self._separate(arguments)
        self.shallower()
        quoted = name.token_type is TokenType.IDENTIFIER
        this: object = self.node(exp.Identifier(this=name.text, quoted=True), start, start) if quoted else name.text
        call = exp.Anonymous(this=this, expressions=arguments) if arguments else exp.Anonymous(this=this)
        return self.node(call, start)

    def read_arguments_in_parens(self) -> list[exp.Expr]:
        """`(expression, …)`."""
        self.expect("(")
        members = [self.read_expression()]
        while self.accept(","):
            members.append(self.read_expression())
        self.expect(")")
        return members

    def _arguments(self, function: str, first: exp.Expr | None) -> list[exp.Expr]:
        """All arguments; the first one may have been read already."""
        start = self._index
        if first is None and self.accept("DISTINCT"):
            members = [self.read_expression()]
            while self.accept(","):
                members.append(self.read_expression())
            return [self.node(exp.Distinct(expressions=members), start)]
        arguments = [first or self._argument(function, 0)]
        while self.accept(","):
            arguments.append(self._argument(function, len(arguments)))
        if self.at("ORDER", "BY"):
            hint = "write WITHIN GROUP (ORDER BY …) behind the call; ARRAY_AGG and STRING_AGG go by event time anyway"
            self.refuse("ORDER BY inside a call is not understood", hint=hint, code="unsupported")
        return arguments

    def _separate(self, arguments: list[exp.Expr]) -> None:
        """GROUP_CONCAT(x) has a comma between its values, as MySQL has it; STRING_AGG(x) has nothing."""
        given = arguments[0].expressions if arguments and isinstance(arguments[0], exp.Distinct) else arguments
        if len(given) != 1:
            return
        comma = self.node(exp.Literal.string(","), self._index - 2, self._index - 2)
        if given is arguments:
            arguments.append(comma)
        else:
            arguments[0].append("expressions", comma)

    def _argument(self, function: str, number: int) -> exp.Expr:
        start = self._index
        if self.ahead("*") and self._words[self._index + 1] in (")", ","):
            self._advance()
            return self.node(exp.Star(), start)
        if self.lambda_ahead(function, number):
            return self._lambda()
        if self.name_ahead() and self.ahead("=>", by=1):
            name = self.node(exp.Var(this=self.take_name().text), start)
            self.expect("=>")
            return self.node(exp.Kwarg(this=name, expression=self.read_expression()), start)
        value = self.read_expression()
        if self.accept("AS"):
            return self.node(exp.Alias(this=value, alias=self.read_name("a field")), start)
        for word, kind in (("IGNORE", exp.IgnoreNulls), ("RESPECT", exp.RespectNulls)):
            if self.accept(word, "NULLS"):
                return self.node(kind(this=value), start)
        return value

    def lambda_ahead(self, function: str, number: int) -> bool:
        """True where an argument is a lambda: `x -> …` or `(x, y) -> …` of a function that takes one."""
        if function not in HIGHER_ORDER or number == 0:
            return False
        if self.ahead("("):
            return self._words[self.closing(self._index) + 1] == "->"
        return self.name_ahead() and self.ahead("->", by=1)

    def _lambda(self) -> exp.Lambda:
        start = self._index
        names = self.read_names() if self.at("(") else [self.read_name()]
        self.expect("->")
        self._lambda_names.append({name.name.casefold() for name in names})
        body = self.read_expression()
        self._lambda_names.pop()
        return self.node(exp.Lambda(this=body, expressions=names), start)

    @property
    def _rules(self) -> dict[str, Callable[[], _Special]]:
        """Calls with words between their arguments: each rule gives its node, or the first argument of a plain call."""
        return {
            "EXTRACT": self._extract,
            "TRIM": self._trim,
            "POSITION": self._position,
            "SUBSTRING": self._substring,
            "SUBSTR": self._substring,
            "OVERLAY": self._overlay,
            "CEIL": lambda: self._to_unit(exp.Ceil),
            "CEILING": lambda: self._to_unit(exp.Ceil),
            "FLOOR": lambda: self._to_unit(exp.Floor),
        }

    def _extract(self) -> _Special:
        start = self._index
        if not self.ahead("FROM", by=1) or self.kind_ahead() is not TokenType.VAR:
            return None, None
        unit = self.node(exp.Var(this=self.take_name().text.upper()), start)
        self.expect("FROM")
        return exp.Extract(this=unit, expression=self.read_expression()), None

    def _trim(self) -> _Special:
        sided = self.word in ("BOTH", "LEADING", "TRAILING") and self._words[self._index + 1] not in (")", ",", ".")
        position = self.word if sided else None
        if position:
            self._advance()
        characters = None if position and self.at("FROM") else self.read_expression()
        if not self.accept("FROM"):
            return (None, characters) if not position else self.unexpected()
        trim = exp.Trim(this=self.read_expression())
        if characters is not None:
            trim.set("expression", characters)
        if position:
            trim.set("position", position)
        return trim, None

    def _position(self) -> _Special:
        needle = self.read_value()
        if not self.accept("IN"):
            return None, needle
        return exp.StrPosition(this=self.read_value(), substr=needle), None

    def _substring(self) -> _Special:
        value = self.read_expression()
        if not self.accept("FROM"):
            return None, value
        part = exp.Substring(this=value, start=self.read_expression())
        if self.accept("FOR"):
            part.set("length", self.read_expression())
        return part, None

    def _overlay(self) -> _Special:
        value = self.read_expression()
        if not self.accept("PLACING"):
            return None, value
        replacement = self.read_expression()
        self.expect("FROM")
        overlay = exp.Overlay(this=value, expression=replacement, from_=self.read_expression())
        if self.accept("FOR"):
            overlay.set("for_", self.read_expression())
        return overlay, None

    def _to_unit(self, kind: type[exp.Expr]) -> _Special:
        value = self.read_expression()
        if not self.accept("TO"):
            return None, value
        start = self._index
        if self.kind_ahead() is not TokenType.VAR:
            self.unexpected("a unit of time such as HOUR")
        unit = self.node(exp.Var(this=self.take_name().text.upper()), start)
        return kind(this=value, to=unit), None

    def read_column(self) -> exp.Expr:
        """A column, or one of the functions that SQL calls without parentheses."""
        start = self._index
        if self.word in _WITHOUT_PARENS and not self.ahead(".", by=1):
            return self.node(exp.Anonymous(this=self.take_name().text), start)
        return super().read_column()
