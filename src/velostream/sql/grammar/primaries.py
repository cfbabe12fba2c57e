"""The smallest expressions: columns, parentheses, CASE, CAST, and a field, index or cast behind them."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from velostream.positions import Text
from velostream.sql.grammar.literals import STRINGS, Literals
from velostream.sql.grammar.names import NUMBER_WITH_TYPE
from velostream.sql.nodes import FieldAccess

_TYPED_STRINGS = {
    "DATE": exp.DType.DATE,
    "TIMESTAMP": exp.DType.TIMESTAMPTZ,
    "TIMESTAMP_NTZ": exp.DType.TIMESTAMPNTZ,
    "TIMESTAMP_LTZ": exp.DType.TIMESTAMPLTZ,
}
_MOST_PARTS = 4
_BEHIND_QUERY = (")", "UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "LIMIT", "OFFSET")


class Primaries(Literals):
    """Rules for the smallest expressions."""

    def load(self, tokens: list[Token], text: Text) -> None:
        """Begins with the tokens of one statement."""
        super().load(tokens, text)
        self._lambda_names: list[set[str]] = []

    def read_expression(self) -> exp.Expr:
        """Any expression."""
        raise NotImplementedError

    def read_value(self, least: int = 1) -> exp.Expr:
        """A value: an expression without AND, OR, NOT and predicates."""
        raise NotImplementedError

    def read_query(self) -> exp.Query:
        """A query, without what only a statement has."""
        raise NotImplementedError

    def read_call(self) -> exp.Expr:
        """A function call."""
        raise NotImplementedError

    def query_ahead(self) -> bool:
        """True where a query begins, in parentheses or not."""
        by = 0
        while self.ahead("(", by=by):
            by += 1
        return self.ahead("SELECT", by=by) or (self.ahead("WITH", by=by) and self.name_ahead(by + 1))

    def read_postfix(self) -> exp.Expr:
        """A smallest expression with `.field`, `[index]`, `->field` and `::type` behind it."""
        start = self._index
        value = self._primary()
        while True:
            if self.ahead(".") and not isinstance(value, (exp.Column, exp.Literal)):
                self._advance()
                value = self.node(exp.Dot(this=value, expression=self.read_name_after_dot()), start)
            elif self.accept("["):
                index = self.read_expression()
                self.expect("]")
                value = self.node(exp.Bracket(this=value, expressions=[index]), start)
            elif self.accept("->"):
                value = self.node(FieldAccess(this=value, expression=self.read_name_after_dot()), start)
            elif self.accept("::"):
                value = self.node(exp.Cast(this=value, to=self.read_type()), start)
            elif self.ahead("COLLATE") and self.name_ahead(1) and not self.clause_ahead(1):
                self._advance()
                value = self.node(exp.Collate(this=value, expression=self.read_name("a collation")), start)
            else:
                return value

    def _primary(self) -> exp.Expr:
        kind, word = self.kind_ahead(), self.word
        if kind in STRINGS:
            return self.read_string()
        if kind is TokenType.NUMBER or (word == "." and self.kind_ahead(1) is TokenType.NUMBER):
            return self.read_number()
        if kind is TokenType.HEX_STRING:
            return self.read_bytes()
        if word == "(":
            return self._parentheses()
        if word == "*":
            self.refuse(
                "'*' is not understood here",
                hint="it stands alone in a select list, in COUNT(*), or behind a source: t.*",
            )
        if kind is TokenType.VAR:
            return self._word_led(word)
        if kind is TokenType.IDENTIFIER:
            return self.read_call() if self.ahead("(", by=1) else self.read_column()
        return self.unexpected("an expression")

    def _word_led(self, word: str) -> exp.Expr:
        start = self._index
        if word in ("TRUE", "FALSE"):
            self._advance()
            return self.node(exp.Boolean(this=word == "TRUE"), start)
        if word == "NULL":
            self._advance()
            return self.node(exp.Null(), start)
        if word == "CASE":
            return self._case()
        if word in ("CAST", "TRY_CAST") and self.ahead("(", by=1):
            return self._cast(word)
        if self.interval_ahead():
            return self.read_interval()
        if word in _TYPED_STRINGS and self.kind_ahead(1) in STRINGS:
            self._advance()
            literal, kind = self.read_string(), self.node(exp.DataType(this=_TYPED_STRINGS[word], nested=False), start)
            return self.node(exp.Cast(this=literal, to=kind), start)
        if NUMBER_WITH_TYPE.fullmatch(self._tokens[start].text):
            return self.read_typed_number()
        if self.ahead("(", by=1):
            return self.read_call()
        return self.read_column()

    def read_column(self) -> exp.Expr:
        """`a`, `t.a`, `t.a.b`, `t.*`: a column; the binder finds out which parts name a source and which fields."""
        start = self._index
        parts: list[exp.Expr] = [self.read_name("an expression")]
        while self.ahead("."):
            self._advance()
            if self.ahead("*") and len(parts) < _MOST_PARTS:
                at = self._index
                self._advance()
                parts.append(self.node(exp.Star(), at))
                break
            parts.append(self.read_name_after_dot())
        return self._column_of(parts, start)

    def _column_of(self, parts: list[exp.Expr], start: int) -> exp.Expr:
        count = 1 if any(parts[0].name.casefold() in names for names in self._lambda_names) else _MOST_PARTS
        head, rest = parts[:count], parts[count:]
        value = head[0]
        if count > 1:
            value = exp.Column(**dict(zip(("this", "table", "db", "catalog"), reversed(head), strict=False)))
            self.node(value, start, start + 2 * len(head) - 2)
        for count, part in enumerate(rest, len(head)):
            value = self.node(exp.Dot(this=value, expression=part), start, start + 2 * count)
        return value

    def _parentheses(self) -> exp.Expr:
        start = self._index
        if self.query_ahead() and self._query_inside():
            self.expect("(")
            query = self.read_query()
            self.expect(")")
            return self.node(exp.Subquery(this=query), start)
        self.expect("(")
        members = [self.read_expression()]
        while self.accept(","):
            members.append(self.read_expression())
        self.expect(")")
        if len(members) > 1:
            return self.node(exp.Tuple(expressions=members), start)
        return self.node(exp.Paren(this=members[0]), start)

    def _query_inside(self) -> bool:
        """True where the parentheses here hold a query, not an expression that begins with one: `((SELECT 1) + 2)`."""
        index = self._index + 1
        while self._words[index] == "(":
            if self._words[self.closing(index) + 1] not in _BEHIND_QUERY:
                return False
            index += 1
        return True

    def _case(self) -> exp.Case:
        start = self._index
        self.expect("CASE")
        subject = None if self.at("WHEN") else self.read_expression()
        branches = []
        while True:
            at = self._index
            self.expect("WHEN")
            condition = self.read_expression()
            self.expect("THEN")
            branches.append(self.node(exp.If(this=condition, true=self.read_expression()), at))
            if not self.at("WHEN"):
                break
        default = self.read_expression() if self.accept("ELSE") else None
        self.expect("END")
        case = exp.Case(ifs=branches)
        if subject is not None:
            case.set("this", subject)
        if default is not None:
            case.set("default", default)
        return self.node(case, start)

    def _cast(self, word: str) -> exp.Cast:
        start = self._index
        self._advance(2)
        value = self.read_expression()
        self.expect("AS")
        kind = self.read_type()
        self.expect(")")
        cast = exp.Cast(this=value, to=kind) if word == "CAST" else exp.TryCast(this=value, to=kind, safe=True)
        return self.node(cast, start)
