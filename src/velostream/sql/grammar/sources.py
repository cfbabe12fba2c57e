"""What stands in FROM: streams, addresses, subqueries, table functions and lateral views."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from velostream.positions import Text
from velostream.sql.grammar.emission import Emission
from velostream.sql.nodes import Location, StreamTable, TimeWindow, WatermarkDelay

_REFUSED = {
    "MATCH_RECOGNIZE": "use window functions, or a self-join with WITHIN",
    "TABLESAMPLE": "use WHERE rand() < 0.1",
    "PIVOT": "use SUM(x) FILTER (WHERE …)",
    "UNPIVOT": "use UNION ALL, or CROSS JOIN UNNEST",
}


class Sources(Emission):
    """Rules for sources."""

    def load(self, tokens: list[Token], text: Text) -> None:
        """Begins with the tokens of one statement."""
        super().load(tokens, text)
        self.table_windows: list[list[TimeWindow]] = []

    def read_from(self) -> exp.From:
        """`FROM source`."""
        start = self._index
        self.expect("FROM")
        return self.node(exp.From(this=self.read_source(first=True)), start)

    def read_source(self, *, first: bool = False) -> exp.Expr:
        """A source with what belongs to it: as-of time, watermark, alias. Only the first one may be windowed."""
        start = self._index
        if self.ahead("LATERAL"):
            return self._lateral(start)
        if self.ahead("UNNEST", "("):
            return self._unnest(start)
        if self.ahead("("):
            return self._subquery(start)
        if self.ahead("VALUES"):
            return self._aliased(self.read_values(), start)
        if self.table_window_ahead():
            return self._windowed(start, first=first)
        table = self.read_table()
        self._refuse_by_name()
        return self._with_time(table, start)

    def read_table(self) -> exp.Table:
        """A stream, a table, a table function, or an address in quotes."""
        start = self._index
        if self.kind_ahead() is TokenType.STRING:
            return self.node(exp.Table(this=self.read_location()), start)
        if self.name_ahead() and self.ahead("(", by=1):
            return self.node(exp.Table(this=self.read_plain_call()), start)
        parts = [self.read_name("a source")]
        while len(parts) < 3 and self.accept("."):
            parts.append(self.read_name_after_dot())
        return self.node(exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False))), start)

    def read_location(self) -> Location:
        """`'kafka://host:9092/topic'`."""
        start = self._index
        token = self.take_name()
        if "://" not in token.text:
            hint = "an address begins with kafka://, file://, s3:// or https://; a name has no quotes, or `backticks`"
            self.refuse(f"'{token.text}' is not the address of a source or sink", hint=hint, span=self.here(start))
        return self.node(Location(this=token.text), start)

    def read_values(self) -> exp.Values:
        """`VALUES (…), (…)`."""
        start = self._index
        self.expect("VALUES")
        rows = []
        while True:
            at = self._index
            if self.at("("):
                rows.append(self.node(exp.Tuple(expressions=self.read_arguments_in_parens()), at))
            else:
                self.unexpected()
            if not self.accept(","):
                break
        return self.node(exp.Values(expressions=rows), start)

    def _with_time(self, table: exp.Table, start: int) -> exp.Table:
        """`FOR SYSTEM_TIME AS OF t`, `WATERMARK c DELAY OF d` and the alias, in any order."""
        watermark = None
        while True:
            if self.ahead("FOR", "SYSTEM_TIME") and not table.args.get("version"):
                table.set("version", self._as_of())
            elif self.word == "WATERMARK" and self.clause_ahead() and watermark is None:
                watermark = self._watermark()
            elif not table.args.get("alias") and (alias := self.read_table_alias()):
                table.set("alias", alias)
            else:
                break
            self._refuse_by_name()
        if watermark is not None:
            table = StreamTable(**table.args, watermark=watermark)
        return self.node(table, start)

    def _as_of(self) -> exp.Version:
        start = self._index
        self.expect("FOR", "SYSTEM_TIME")
        self.expect("AS")
        self.expect("OF")
        return self.node(exp.Version(this="TIMESTAMP", kind="AS OF", expression=self.read_value()), start)

    def _watermark(self) -> WatermarkDelay:
        start = self._index
        self.expect("WATERMARK")
        column = self.read_column()
        self.expect("DELAY", "OF")
        return self.node(WatermarkDelay(this=column, expression=self.read_length()), start)

    def _aliased(self, source: exp.Expr, start: int) -> exp.Expr:
        alias = self.read_table_alias()
        if alias is not None:
            source.set("alias", alias)
        return self.node(source, start)

    def _subquery(self, start: int) -> exp.Expr:
        self.expect("(")
        if self.ahead("VALUES"):
            return self._aliased(self._values_in_parens(), start + 1)
        if not self.query_ahead():
            hint = "write joins without parentheses, or as a subquery: (SELECT … FROM a JOIN b ON …) AS c"
            self.refuse("a subquery is expected in these parentheses", hint=hint)
        query = self.read_query()
        self.expect(")")
        return self._aliased(exp.Subquery(this=query), start)

    def _values_in_parens(self) -> exp.Values:
        """`(VALUES …)` means what it means without parentheses."""
        values = self.read_values()
        self.expect(")")
        return values

    def _windowed(self, start: int, *, first: bool) -> exp.Table:
        """Flink's window over a source: the source is the source, the window goes to the SELECT."""
        at = self._index
        source, window = self.read_table_window()
        if not first:
            hint = "window that side in a stream of its own, or use JOIN … WITHIN"
            span = self.here(at, self._index - 1)
            self.refuse("a window on one side of a join is not supported", hint=hint, span=span, code="unsupported")
        self.table_windows[-1].append(window)
        table = exp.Table(this=source)
        return self._with_time(table, start)

    def _unnest(self, start: int) -> exp.Unnest:
        self._advance()
        unnest = exp.Unnest(expressions=self.read_arguments_in_parens())
        ordinality = self.accept("WITH", "ORDINALITY")
        alias = self.read_table_alias()
        if ordinality:
            columns = alias.args.get("columns") if alias else None
            if not columns or len(columns) < 2:
                self.refuse("WITH ORDINALITY needs a name for the position", hint="write AS t(value, position)")
            unnest.set("offset", columns.pop())
        if alias is not None:
            unnest.set("alias", alias)
        return self.node(unnest, start)

    def _lateral(self, start: int) -> exp.Lateral:
        self.expect("LATERAL")
        at = self._index
        if self.accept("("):
            query = self.read_query()
            self.expect(")")
            inner: exp.Expr = self.node(exp.Subquery(this=query), at)
        else:
            inner = self.read_plain_call()
        lateral = exp.Lateral(this=inner)
        alias = self.read_table_alias()
        if alias is not None:
            lateral.set("alias", alias)
        return self.node(lateral, start)

    def read_lateral_view(self) -> exp.Lateral:
        """`LATERAL VIEW [OUTER] explode(x) [t] [AS a, b]`."""
        start = self._index
        self.expect("LATERAL", "VIEW")
        outer = self.accept("OUTER")
        lateral = exp.Lateral(this=self.read_plain_call(), view=True)
        if outer:
            lateral.set("outer", True)
        at = self._index
        alias = exp.TableAlias()
        if self.alias_ahead():
            alias.set("this", self.read_name())
        if self.accept("AS"):
            columns = [self.read_name()]
            while self.accept(","):
                columns.append(self.read_name())
            alias.set("columns", columns)
        if alias.args:
            lateral.set("alias", self.node(alias, at))
        return self.node(lateral, start)

    def _refuse_by_name(self) -> None:
        if self.word in _REFUSED and self.ahead("(", by=1):
            self.refuse(f"{self.word} is not supported", hint=_REFUSED[self.word], code="unsupported")
