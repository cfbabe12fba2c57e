"""Expressions: operators and predicates with Spark's precedence."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.sql.grammar.calls import Calls
from velostream.sql.words import QUERY_STARTS

_COMPARISON = 1
_SHIFT = 5

BINARY: dict[str, tuple[int, type[exp.Expr]]] = {
    "=": (_COMPARISON, exp.EQ),
    "==": (_COMPARISON, exp.EQ),
    "<=>": (_COMPARISON, exp.NullSafeEQ),
    "<>": (_COMPARISON, exp.NEQ),
    "!=": (_COMPARISON, exp.NEQ),
    "<": (_COMPARISON, exp.LT),
    "<=": (_COMPARISON, exp.LTE),
    ">": (_COMPARISON, exp.GT),
    ">=": (_COMPARISON, exp.GTE),
    "|": (2, exp.BitwiseOr),
    "^": (3, exp.BitwiseXor),
    "&": (4, exp.BitwiseAnd),
    "<<": (_SHIFT, exp.BitwiseLeftShift),
    ">>": (_SHIFT, exp.BitwiseRightShift),
    "+": (6, exp.Add),
    "-": (6, exp.Sub),
    "||": (6, exp.DPipe),
    "*": (7, exp.Mul),
    "/": (7, exp.Div),
    "%": (7, exp.Mod),
    "DIV": (7, exp.IntDiv),
}
"""The operators between two values, by how tightly they bind (more is tighter), each left to right."""

_PATTERNS: dict[str, type[exp.Expr]] = {
    "LIKE": exp.Like,
    "ILIKE": exp.ILike,
    "RLIKE": exp.RegexpLike,
    "REGEXP": exp.RegexpLike,
}
_QUANTIFIERS: dict[str, type[exp.Expr]] = {"ANY": exp.Any, "SOME": exp.Any, "ALL": exp.All}
_FLAGS: dict[type[exp.Expr], dict[str, bool]] = {exp.DPipe: {"safe": True}, exp.Div: {"typed": False, "safe": True}}
_LONGEST_CHAIN = 150


class Expressions(Calls):
    """Rules for expressions."""

    def read_expression(self) -> exp.Expr:
        """Any expression: OR binds least, then AND, NOT, predicates, and the operators between values."""
        self.deeper()
        start = self._index
        left, length = self._conjunction(), 0
        while self.accept("OR"):
            left = self.node(exp.Or(this=left, expression=self._conjunction()), start)
            length = self._longer(length)
        self.shallower()
        return left

    def _conjunction(self) -> exp.Expr:
        start = self._index
        left, length = self._negation(), 0
        while self.accept("AND"):
            left = self.node(exp.And(this=left, expression=self._negation()), start)
            length = self._longer(length)
        return left

    def _negation(self) -> exp.Expr:
        start = self._index
        if not (self.accept("NOT") or self.accept("!")):
            return self._predicate()
        self.deeper()
        negated = self.node(exp.Not(this=self._negation()), start)
        self.shallower()
        return negated

    def read_value(self, least: int = _COMPARISON) -> exp.Expr:
        """Values joined by operators that bind at least as tightly as `least`."""
        start = self._index
        left, length = self._signed(), 0
        while True:
            sign = self._operator()
            if sign not in BINARY or BINARY[sign][0] < least:
                return left
            level, operation = BINARY[sign]
            self._advance(2 if level == _SHIFT else 1)
            quantified = self._quantified() if level == _COMPARISON else None
            right = quantified or self.read_value(level + 1)
            left = self.node(operation(this=left, expression=right, **_FLAGS.get(operation, {})), start)
            length = self._longer(length)

    def _operator(self) -> str:
        """The operator here; `<<` and `>>` are two signs without a space between them."""
        word = self.word
        if word in ("<", ">") and self.ahead(word, by=1):
            first, second = self._tokens[self._index], self._tokens[self._index + 1]
            if first.end + 1 == second.start:
                return word * 2
        return word

    def _longer(self, length: int) -> int:
        if length >= _LONGEST_CHAIN:
            self.refuse(
                "the expression is too long",
                hint=f"at most {_LONGEST_CHAIN} operators in a row; use IN, or parentheses",
            )
        return length + 1

    def _quantified(self) -> exp.Expr | None:
        """`ANY (query)`, `ALL (query)` behind a comparison."""
        start, word = self._index, self.word
        if word not in _QUANTIFIERS or not self.ahead("(", by=1):
            return None
        self._advance(2)
        query = self.read_query()
        self.expect(")")
        return self.node(_QUANTIFIERS[word](this=query), start)

    def _signed(self) -> exp.Expr:
        start, sign = self._index, self.word
        if sign not in ("-", "+", "~"):
            return self.read_postfix()
        self._advance()
        self.deeper()
        operand = self._signed()
        self.shallower()
        if sign == "+":
            return self.node(exp.Anonymous(this="positive", expressions=[operand]), start)
        return self.node((exp.Neg if sign == "-" else exp.BitwiseNot)(this=operand), start)

    def _predicate(self) -> exp.Expr:
        start = self._index
        if self.ahead("EXISTS", "(") and self._words[self._index + 2] in QUERY_STARTS:
            self._advance(2)
            query = self.read_query()
            self.expect(")")
            return self.node(exp.Exists(this=query), start)
        value = self.read_value()
        if self.accept("IS"):
            return self._is(value, start)
        negated = self._words[self._index + 1] in _PREDICATES and self.accept("NOT")
        if self.accept("BETWEEN"):
            low = self.read_value()
            self.expect("AND")
            found: exp.Expr = exp.Between(this=value, low=low, high=self.read_value())
        elif self.accept("IN"):
            found = self._in(value)
        elif self.word in _PATTERNS:
            return self._pattern(value, start, negated=negated)
        else:
            return value
        self.node(found, start)
        return self.node(exp.Not(this=found), start) if negated else found

    def _is(self, value: exp.Expr, start: int) -> exp.Expr:
        negated = self.accept("NOT")
        if self.accept("DISTINCT", "FROM"):
            kind = exp.NullSafeEQ if negated else exp.NullSafeNEQ
            return self.node(kind(this=value, expression=self.read_value()), start)
        at = self._index
        if self.accept("NULL") or self.accept("UNKNOWN"):
            what: exp.Expr = self.node(exp.Null(), at)
        elif self.accept("TRUE"):
            what = self.node(exp.Boolean(this=True), at)
        elif self.accept("FALSE"):
            what = self.node(exp.Boolean(this=False), at)
        else:
            self.unexpected()
        found = self.node(exp.Is(this=value, expression=what), start)
        return self.node(exp.Not(this=found), start) if negated else found

    def _in(self, value: exp.Expr) -> exp.In:
        start = self._index
        self.expect("(")
        if self.query_ahead():
            query = self.read_query()
            self.expect(")")
            return exp.In(this=value, query=self.node(exp.Subquery(this=query), start))
        members = [self.read_expression()]
        while self.accept(","):
            members.append(self.read_expression())
        self.expect(")")
        return exp.In(this=value, expressions=members)

    def _pattern(self, value: exp.Expr, start: int, *, negated: bool) -> exp.Expr:
        kind = _PATTERNS[self.word]
        self._advance()
        at, quantifier = self._index, self.word
        if quantifier in _QUANTIFIERS and self.ahead("(", by=1) and kind is not exp.RegexpLike:
            self._advance()
            members = self.node(exp.Tuple(expressions=self.read_arguments_in_parens()), at + 1)
            pattern: exp.Expr = self.node(_QUANTIFIERS[quantifier](this=members), at)
        else:
            pattern = self.read_value(_COMPARISON + 1)
        found: exp.Expr
        if kind is exp.RegexpLike:
            found = self.node(exp.RegexpLike(this=value, expression=pattern), start)
            return self.node(exp.Not(this=found), start) if negated else found
        found = self.node(kind(this=value, expression=pattern, **({"negate": True} if negated else {})), start)
        if not self.accept("ESCAPE"):
            return found
        at = self._index
        if self.kind_ahead() is not TokenType.STRING:
            self.unexpected("a string")
        literal = self.node(exp.Literal.string(self.take_name().text), at)
        return self.node(exp.Escape(this=found, expression=literal), start)


_PREDICATES = ("BETWEEN", "IN", *_PATTERNS)
