"""SELECT: its items, and its clauses in any order."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.sql.grammar.joins import Joins
from velostream.sql.nodes import KeyItem, StreamSelect

OF_QUERY: tuple[str, ...] = ("order", "limit", "offset", "emits", "sinks", "settings")
"""The clauses that belong to a whole set operation, not to its last SELECT."""

_REFUSED = {
    "CLUSTER": "rows are routed by the group keys; PARTITION BY sets the key of the output",
    "DISTRIBUTE": "rows are routed by the group keys; PARTITION BY sets the key of the output",
    "SORT": "use ORDER BY within a window",
    "FETCH": "use LIMIT",
}


class Selects(Joins):
    """Rules for SELECT."""

    def read_select(self) -> StreamSelect:
        """One SELECT with its clauses."""
        start = self._index
        self.expect("SELECT")
        select = StreamSelect()
        at = self._index
        if self.accept("DISTINCT"):
            select.set("distinct", self.node(exp.Distinct(), at))
        else:
            self.accept("ALL")
        select.set("expressions", self._items())
        self.table_windows.append([])
        if self.at("FROM"):
            self._sources(select)
        self._clauses(select)
        for window in self.table_windows.pop():
            self._set_window(select, window)
        return self.node(select, start)

    def _items(self) -> list[exp.Expr]:
        items = [self._item()]
        while self.accept(","):
            items.append(self._item())
        return items

    def _item(self) -> exp.Expr:
        start = self._index
        item: exp.Expr
        if self.accept("*"):
            item = exp.Star()
            if self.ahead("EXCEPT", "(") and not self.ahead("SELECT", by=2):
                self._advance()
                item.set("except_", self.read_names())
            return self.node(item, start)
        item = self.read_expression()
        key = self.accept("PRIMARY", "KEY")
        item = self._aliased_item(item, start)
        if key or self.accept("PRIMARY", "KEY"):
            return self.node(KeyItem(this=item), start)
        return item

    def _aliased_item(self, item: exp.Expr, start: int) -> exp.Expr:
        if self.accept("AS"):
            return self._alias(item, start)
        if self.alias_ahead():
            return self.node(exp.Alias(this=item, alias=self.read_name("an alias")), start)
        return item

    def _alias(self, item: exp.Expr, start: int) -> exp.Expr:
        if self.at("("):
            return self.node(exp.Aliases(this=item, expressions=self.read_names()), start)
        if self.kind_ahead() is TokenType.STRING:
            text = self._curr.text
            self.refuse("an alias is not a string", hint=f"write AS `{text}`")
        return self.node(exp.Alias(this=item, alias=self.read_name("an alias")), start)

    def _sources(self, select: StreamSelect) -> None:
        select.set("from_", self.read_from())
        joins = self.read_joins()
        if joins:
            select.set("joins", joins)
        views = []
        while self.at("LATERAL", "VIEW"):
            views.append(self.read_lateral_view())
        if views:
            select.set("laterals", views)

    def _clauses(self, select: StreamSelect) -> None:
        """All clauses, in any order, each once (but EMIT)."""
        rules: dict[tuple[str, ...], Callable[[StreamSelect], None]] = {
            ("WHERE",): self._where,
            ("GROUP", "BY"): self._group,
            ("HAVING",): self._having,
            ("ORDER", "BY"): lambda query: self.once(query, "order", "ORDER BY", self.read_order),
            ("LIMIT",): lambda query: self.once(query, "limit", "LIMIT", self.read_limit),
            ("INTO",): self.read_into,
            ("WITH", "("): lambda query: self.once(query, "settings", "WITH", self.read_settings),
            ("PARTITION", "BY"): self._partition,
        }
        while True:
            for words, rule in rules.items():
                if self.at(*words):
                    rule(select)
                    break
            else:
                if not self._soft_clause(select):
                    return

    def _soft_clause(self, select: StreamSelect) -> bool:
        """The clauses whose first word is not reserved."""
        if self.at("WINDOW") and self.clause_ahead():
            if self.ahead("AS", "(", by=2):
                self.once(select, "windows", "WINDOW", self._named_windows)
            else:
                self._set_window(select, self.read_time_window())
        elif self.at("EMIT") and not self.ahead("EMIT", ")"):
            select.append("emits", self.read_emit())
        elif self.word == "OFFSET" and self.clause_ahead():
            self.once(select, "offset", "OFFSET", self.read_offset)
        elif self.word == "QUALIFY" and self.clause_ahead():
            self.once(select, "qualify", "QUALIFY", self._qualify)
        elif self.word in _REFUSED and self.clause_ahead():
            shown = f"{self.word} {self._words[self._index + 1]}"
            self.refuse(f"{shown} is not supported", hint=_REFUSED[self.word], code="unsupported")
        else:
            return False
        return True

    def once(self, select: exp.Expr, key: str, shown: str, rule: Callable[[], object]) -> None:
        """Reads a clause that may stand once."""
        if select.args.get(key):
            self.refuse(f"{shown} is given twice", hint="keep one of them")
        select.set(key, rule())

    def _where(self, select: StreamSelect) -> None:
        start = self._index

        def rule() -> exp.Where:
            self.expect("WHERE")
            return self.node(exp.Where(this=self.read_expression()), start)

        self.once(select, "where", "WHERE", rule)

    def _having(self, select: StreamSelect) -> None:
        start = self._index

        def rule() -> exp.Having:
            self.expect("HAVING")
            return self.node(exp.Having(this=self.read_expression()), start)

        self.once(select, "having", "HAVING", rule)

    def _qualify(self) -> exp.Qualify:
        start = self._index
        self.expect("QUALIFY")
        return self.node(exp.Qualify(this=self.read_expression()), start)

    def _group(self, select: StreamSelect) -> None:
        if select.args.get("group"):
            self.refuse("GROUP BY is given twice", hint="keep one of them")
        start = self._index
        self.expect("GROUP", "BY")
        keys: list[exp.Expr] = []
        while True:
            self._refuse_levels()
            if self.group_window_ahead():
                self._set_window(select, self.read_group_window())
            else:
                keys.append(self.read_expression())
            if not self.accept(","):
                break
        self._refuse_levels()
        select.set("group", self.node(exp.Group(expressions=keys), start))

    def _refuse_levels(self) -> None:
        for words in (
            ("ROLLUP", "("),
            ("CUBE", "("),
            ("GROUPING", "SETS"),
            ("WITH", "ROLLUP"),
            ("WITH", "CUBE"),
            ("ALL",),
        ):
            if self.ahead(*words):
                shown = " ".join(word for word in words if word != "(")
                hint = "list the columns" if shown == "ALL" else "write one statement per level of grouping"
                self.refuse(f"GROUP BY {shown} is not supported", hint=hint, code="unsupported")

    def _set_window(self, select: StreamSelect, window: exp.Expr) -> None:
        if select.args.get("time_window"):
            self.refuse(
                "a SELECT has one window, and this is the second", hint="keep one of them", span=self.placed(window)
            )
        select.set("time_window", window)

    def _named_windows(self) -> list[exp.Expr]:
        """Standard `WINDOW w AS (…), …`."""
        self.expect("WINDOW")
        windows: list[exp.Expr] = []
        while True:
            start = self._index
            name = self.read_name("a window")
            self.expect("AS")
            buffer, parts = self.read_window_body()
            if buffer is not None:
                self.refuse(
                    "a row buffer has no name", hint="write it in OVER (…)", span=self.here(start, self._index - 1)
                )
            windows.append(self.node(exp.Window(this=name, **parts), start))
            if not self.accept(","):
                return windows

    def read_limit(self) -> exp.Limit:
        """`LIMIT n`."""
        start = self._index
        self.expect("LIMIT")
        return self.node(exp.Limit(expression=self.read_count()), start)

    def read_offset(self) -> exp.Offset:
        """`OFFSET n`."""
        start = self._index
        self.expect("OFFSET")
        return self.node(exp.Offset(expression=self.read_count()), start)

    def _partition(self, select: StreamSelect) -> None:
        if select.args.get("partition_by"):
            self.refuse("PARTITION BY is given twice", hint="keep one of them")
        self.expect("PARTITION", "BY")
        keys = [self.read_expression()]
        while self.accept(","):
            keys.append(self.read_expression())
        select.set("partition_by", keys)

    def read_into(self, select: exp.Expr) -> None:
        """`INTO sink, …`."""
        if select.args.get("sinks"):
            self.refuse("INTO is given twice", hint="name all sinks in one: INTO a, b")
        self.expect("INTO")
        sinks = [self.read_sink()]
        while self.accept(","):
            sinks.append(self.read_sink())
        select.set("sinks", sinks)

    def read_sink(self) -> exp.Table:
        """A sink: a name, or an address in quotes."""
        start = self._index
        if self.kind_ahead() is TokenType.STRING:
            return self.node(exp.Table(this=self.read_location()), start)
        return self.node(exp.Table(this=self.read_name("a sink")), start)
