"""Queries to text: SELECT with the clauses of a stream, set operations, CTEs."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.nodes import KeyItem, Setting, Settings, StreamSelect, TimeWindow
from velostream.sql.printing.sources import Sources


class Queries(Sources):
    """Prints queries."""

    def streamselect_sql(self, expression: StreamSelect) -> str:
        """A SELECT, its clauses in the usual order."""
        args = expression.args
        window = args.get("time_window")
        spelling = window.args.get("spelling") if window else None
        parts = [
            self.sql(args.get("with_")),
            "SELECT",
            self.sql(args.get("distinct")),
            self.listed(expression.expressions),
        ]
        if args.get("from_"):
            parts.append(self._from(args["from_"], window if spelling == "table" else None))
        parts += [self.sql(join) for join in args.get("joins") or ()]
        parts += [self.sql(view) for view in args.get("laterals") or ()]
        parts.append(self.sql(args.get("where")))
        if args.get("partition_by"):
            parts.append(f"PARTITION BY {self.listed(args['partition_by'])}")
        keys = [self.sql(key) for key in args["group"].expressions] if args.get("group") else []
        if spelling == "group":
            keys.append(self.sql(window))
        if keys:
            parts.append(f"GROUP BY {', '.join(keys)}")
        if window and spelling not in ("group", "table"):
            parts.append(self.sql(window))
        if args.get("windows"):
            parts.append("WINDOW " + ", ".join(self.named_window(named) for named in args["windows"]))
        parts += [self.sql(args.get(key)) for key in ("having", "qualify")]
        parts += self.tail(expression)
        return " ".join(part for part in parts if part)

    def tail(self, node: exp.Expr) -> list[str]:
        """The clauses that stand at the end of a query or statement."""
        args = node.args
        parts = [self.sql(args.get(key)) for key in ("order", "limit", "offset")]
        parts += [self.sql(emit) for emit in args.get("emits") or ()]
        if args.get("sinks"):
            parts.append(f"INTO {self.listed(args['sinks'])}")
        parts.append(self.sql(args.get("settings")))
        return parts

    def _from(self, source: exp.From, window: TimeWindow | None) -> str:
        if window is None:
            return f"FROM {self.sql(source, 'this')}"
        table = source.this
        behind = " ".join(part for part in self.behind_table(table) if part)
        return f"FROM {self.table_window(window, self.sql(table, 'this'))}{behind and ' ' + behind}"

    def keyitem_sql(self, expression: KeyItem) -> str:
        """`expr PRIMARY KEY`."""
        return f"{self.sql(expression, 'this')} PRIMARY KEY"

    def settings_sql(self, expression: Settings) -> str:
        """`WITH (…)`."""
        return f"WITH ({self.listed(expression.expressions)})"

    def setting_sql(self, expression: Setting) -> str:
        """`'k' = 'v'`."""
        return f"{self.sql(expression, 'this')} = {self.sql(expression, 'expression')}"

    def set_operations(self, expression: exp.SetOperation) -> str:
        """`a UNION ALL b`."""
        word = {"union": "UNION", "intersect": "INTERSECT", "except": "EXCEPT"}[expression.key]
        operation = word if expression.args.get("distinct") else f"{word} ALL"
        sides = [self.side(expression.this, expression), self.side(expression.expression, expression)]
        parts = [self.sql(expression.args.get("with_")), f" {operation} ".join(sides), *self.tail(expression)]
        return " ".join(part for part in parts if part)

    def side(self, side: exp.Expr, whole: exp.SetOperation) -> str:
        """One side of a set operation, in parentheses where it would be read otherwise without."""
        right = side is whole.expression
        loose = (
            isinstance(side, exp.SetOperation)
            and (right or isinstance(whole, exp.Intersect))
            and not isinstance(side, exp.Intersect)
        )
        ended = not isinstance(side, exp.Subquery) and any(
            side.args.get(key) for key in ("order", "limit", "offset", "with_")
        )
        same = right and isinstance(side, exp.Intersect) and isinstance(whole, exp.Intersect)
        return f"({self.sql(side)})" if loose or ended or same else self.sql(side)

    def subquery_sql(self, expression: exp.Subquery, sep: str = " AS ") -> str:
        """`(query) AS t`."""
        alias = expression.args.get("alias")
        parts = [self.sql(expression.args.get("with_")), f"({self.sql(expression, 'this')})"]
        parts += [f"AS {self.sql(alias)}" if alias else "", *self.tail(expression)]
        return " ".join(part for part in parts if part)

    def with_sql(self, expression: exp.With) -> str:
        """`WITH a AS (…)`."""
        return f"WITH {self.listed(expression.expressions)}"

    def cte_sql(self, expression: exp.CTE) -> str:
        """`a AS (…)`."""
        return f"{self.sql(expression, 'alias')} AS ({self.sql(expression, 'this')})"

    def order_sql(self, expression: exp.Order, flat: bool = False) -> str:
        """`ORDER BY …`."""
        return f"ORDER BY {self.listed(expression.expressions)}"

    def where_sql(self, expression: exp.Where) -> str:
        """`WHERE …`."""
        return f"WHERE {self.sql(expression, 'this')}"

    def having_sql(self, expression: exp.Having) -> str:
        """`HAVING …`."""
        return f"HAVING {self.sql(expression, 'this')}"

    def qualify_sql(self, expression: exp.Qualify) -> str:
        """`QUALIFY …`."""
        return f"QUALIFY {self.sql(expression, 'this')}"

    def limit_sql(self, expression: exp.Limit, top: bool = False) -> str:
        """`LIMIT n`."""
        return f"LIMIT {self.sql(expression, 'expression')}"

    def offset_sql(self, expression: exp.Offset) -> str:
        """`OFFSET n`."""
        return f"OFFSET {self.sql(expression, 'expression')}"

    def filter_sql(self, expression: exp.Filter) -> str:
        """`f(x) FILTER (WHERE …)`."""
        return f"{self.sql(expression, 'this')} FILTER ({self.sql(expression, 'expression')})"

    def withingroup_sql(self, expression: exp.WithinGroup) -> str:
        """`f(x) WITHIN GROUP (ORDER BY …)`."""
        return f"{self.sql(expression, 'this')} WITHIN GROUP ({self.sql(expression, 'expression')})"

    def aliases_sql(self, expression: exp.Aliases) -> str:
        """`f(x) AS (a, b)`."""
        return f"{self.sql(expression, 'this')} AS ({self.listed(expression.expressions)})"

    def star_sql(self, expression: exp.Star) -> str:
        """`*`, `* EXCEPT (a)`."""
        without = expression.args.get("except_")
        return f"* EXCEPT ({self.listed(without)})" if without else "*"
