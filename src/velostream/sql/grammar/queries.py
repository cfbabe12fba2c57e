"""Queries: CTEs, UNION and its kin, parentheses; and what belongs to the whole of them."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from velostream.sql.grammar.select import OF_QUERY, Selects
from velostream.sql.nodes import StreamSelect

_OPERATIONS: dict[str, type[exp.SetOperation]] = {
    "UNION": exp.Union,
    "INTERSECT": exp.Intersect,
    "EXCEPT": exp.Except,
    "MINUS": exp.Except,
}
_SHOWN = {
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "emits": "EMIT",
    "sinks": "INTO",
    "settings": "WITH (…)",
}


class Queries(Selects):
    """Rules for queries."""

    def read_query(self) -> exp.Query:
        """A query inside of a statement: it has no sinks and no properties of its own."""
        query = self.read_whole_query()
        while isinstance(query, exp.Subquery) and set(query.args) == {"this"}:
            query = query.this
        for key in ("sinks", "settings") if isinstance(query, StreamSelect) else ("emits", "sinks", "settings"):
            if query.args.get(key):
                at = query.args[key] if key == "settings" else query.args[key][0]
                self.refuse(
                    f"{_SHOWN[key]} stands only at the end of a statement", hint="move it there", span=self.placed(at)
                )
        return query

    def read_whole_query(self) -> exp.Query:
        """A query with all its clauses, those of the statement too."""
        self.deeper()
        start = self._index
        ctes = self._ctes() if self.at("WITH") else None
        query = self._union()
        if not isinstance(query, StreamSelect):
            self._tail(query)
        if ctes is not None:
            query.set("with_", ctes)
        self.node(query, start)
        self.shallower()
        return query

    def _union(self) -> exp.Query:
        start = self._index
        left = self._intersection()
        while self._operation() in ("UNION", "EXCEPT", "MINUS"):
            left = self._combined(left, start, self._intersection)
        return left

    def _intersection(self) -> exp.Query:
        """INTERSECT binds more tightly than the others."""
        start = self._index
        left = self._operand()
        while self._operation() == "INTERSECT":
            left = self._combined(left, start, self._operand)
        return left

    def _operation(self) -> str:
        word = self.word
        for known in ("UNION", "INTERSECT", "EXCEPT"):
            self.at(known)
        return word if word in _OPERATIONS and (word != "MINUS" or self.clause_ahead()) else ""

    def _combined(self, left: exp.Query, start: int, operand: Callable[[], exp.Query]) -> exp.Query:
        for key in OF_QUERY:
            if left.args.get(key) and not isinstance(left, exp.Subquery):
                hint = "put it at the end, where it holds for all, or this SELECT in parentheses"
                self.refuse(f"{_SHOWN[key]} stands before {self.word}", hint=hint)
        kind = _OPERATIONS[self.word]
        self._advance()
        distinct = not self.accept("ALL")
        if distinct:
            self.accept("DISTINCT")
        right = operand()
        combined = kind(this=left, expression=right, distinct=distinct)
        if not isinstance(right, exp.Subquery):
            for key in OF_QUERY:
                if right.args.get(key):
                    combined.set(key, right.args.pop(key))
        return self.node(combined, start)

    def _operand(self) -> exp.Query:
        start = self._index
        if not self.accept("("):
            if not self.at("SELECT"):
                self.unexpected()
            return self.read_select()
        query = self.read_query()
        self.expect(")")
        return self.node(exp.Subquery(this=query), start)

    def _tail(self, query: exp.Query) -> None:
        """The clauses behind a query in parentheses, which belong to the whole."""
        while True:
            if self.at("ORDER", "BY"):
                self.once(query, "order", "ORDER BY", self.read_order)
            elif self.at("LIMIT"):
                self.once(query, "limit", "LIMIT", self.read_limit)
            elif self.word == "OFFSET" and self.clause_ahead():
                self.once(query, "offset", "OFFSET", self.read_offset)
            elif self.at("EMIT"):
                query.append("emits", self.read_emit())
            elif self.at("INTO"):
                self.read_into(query)
            elif self.at("WITH", "("):
                self.once(query, "settings", "WITH", self.read_settings)
            else:
                return

    def _ctes(self) -> exp.With:
        start = self._index
        self.expect("WITH")
        if self.ahead("RECURSIVE") and self.name_ahead(1):
            self.refuse("WITH RECURSIVE is not supported", hint="a stream has no end to recurse to", code="unsupported")
        ctes = [self._cte()]
        while self.accept(","):
            ctes.append(self._cte())
        return self.node(exp.With(expressions=ctes), start)

    def _cte(self) -> exp.CTE:
        start = self._index
        alias = exp.TableAlias(this=self.read_name())
        if self.at("("):
            alias.set("columns", self.read_names())
        self.node(alias, start)
        self.expect("AS")
        self.expect("(")
        query = self.read_query()
        self.expect(")")
        return self.node(exp.CTE(this=query, alias=alias), start)
