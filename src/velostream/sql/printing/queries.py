"""Queries to text: SELECT with the clauses of a stream, set operations, sources, joins, windows."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.nodes import (
    Emit,
    KeyItem,
    Location,
    RowWindow,
    Setting,
    Settings,
    StreamJoin,
    StreamSelect,
    StreamTable,
    TimeWindow,
    WatermarkDelay,
    WindowOption,
)
from velostream.sql.printing.expressions import Expressions


class Queries(Expressions):
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
            parts.append("WINDOW " + ", ".join(self._named_window(named) for named in args["windows"]))
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
        behind = " ".join(part for part in self._behind_table(table) if part)
        return f"FROM {self._table_window(window, self.sql(table, 'this'))}{behind and ' ' + behind}"

    def _table_window(self, window: TimeWindow, source: str) -> str:
        """Flink's spelling, with its order of arguments."""
        time, *rest = window.expressions
        hop = window.this.name.upper() == "HOP"
        lengths = [item for item in rest if item.key == "duration"]
        keys = [item for item in rest if item.key != "duration"]
        ordered = lengths[::-1] if hop else lengths
        offsets = [option.expression for option in window.args.get("options") or ()]
        keyed = f" PARTITION BY {self.listed(keys)}" if keys else ""
        arguments = ", ".join([f"DESCRIPTOR({self.sql(time)})", *(self.sql(item) for item in (*ordered, *offsets))])
        return f"TABLE({self.sql(window, 'this')}(TABLE {source}{keyed}, {arguments}))"

    def _named_window(self, window: exp.Window) -> str:
        return f"{self.sql(window, 'this')} AS ({self._window_body(window)})"

    def timewindow_sql(self, expression: TimeWindow) -> str:
        """`WINDOW TUMBLING(…)`, or `TUMBLE(…)` in GROUP BY."""
        name, spelling = self.sql(expression, "this"), expression.args.get("spelling")
        if expression.args.get("named"):
            return f"WINDOW {name}"
        arguments = list(expression.expressions)
        if spelling == "group" and expression.this.name.upper() == "HOP" and len(arguments) > 1:
            arguments = [*arguments[:-2], *arguments[:-3:-1]]
        text = f"{name}({self.listed([*arguments, *(expression.args.get('options') or ())])})"
        return text if spelling == "group" else f"WINDOW {text}"

    def windowoption_sql(self, expression: WindowOption) -> str:
        """`OFFSET 1h`."""
        return f"{expression.this} {self.sql(expression, 'expression')}"

    def window_sql(self, expression: exp.Window) -> str:
        """`f(x) OVER (…)`."""
        body = self._window_body(expression)
        base = expression.args.get("alias")
        if base is not None and body == self.sql(base):
            return f"{self.sql(expression, 'this')} OVER {body}"
        return f"{self.sql(expression, 'this')} OVER ({body})"

    def rowwindow_sql(self, expression: RowWindow) -> str:
        """`f(x) OVER (ROWS WINDOW BUFFER n ROWS …)`."""
        return f"{self.sql(expression, 'this')} OVER ({self._window_body(expression)})"

    def _window_body(self, window: exp.Window) -> str:
        args, buffer = window.args, window.args.get("buffer")
        parts = [self.sql(args.get("alias"))]
        if buffer is not None:
            parts.append(f"ROWS WINDOW BUFFER {self.sql(buffer, 'this')} ROWS")
        if args.get("partition_by"):
            parts.append(f"PARTITION BY {self.listed(args['partition_by'])}")
        parts += [self.sql(args.get("order")), self.sql(args.get("spec"))]
        if buffer is not None and buffer.args.get("expire"):
            parts.append(f"EXPIRE AFTER {self.sql(buffer, 'expire')}")
        if buffer is not None and buffer.args.get("emit"):
            parts.append(f"EMIT {buffer.args['emit']}")
        return " ".join(part for part in parts if part)

    def windowspec_sql(self, expression: exp.WindowSpec) -> str:
        """`ROWS BETWEEN … AND …`."""
        kind, start = expression.args["kind"], self._bound(expression, "start")
        if not expression.args.get("end"):
            return f"{kind} {start}"
        return f"{kind} BETWEEN {start} AND {self._bound(expression, 'end')}"

    def _bound(self, spec: exp.WindowSpec, key: str) -> str:
        value = spec.args[key]
        text = value if isinstance(value, str) else self.operand(value, 5)
        return " ".join(part for part in (text, spec.args.get(f"{key}_side")) if part)

    def emit_sql(self, expression: Emit) -> str:
        """One EMIT clause."""
        kind = expression.this
        if kind == "WHEN":
            fallback = expression.args.get("fallback")
            tail = f" FALLBACK EVERY {self.sql(fallback)}" if fallback else ""
            return f"EMIT WHEN ({self.sql(expression, 'condition')}){tail}"
        if kind == "EARLY":
            return f"EMIT EARLY EVERY {self.sql(expression, 'interval')}"
        if kind == "EVERY":
            return f"EMIT EVERY {self.sql(expression, 'rows')} ROWS"
        return f"EMIT {kind}"

    def keyitem_sql(self, expression: KeyItem) -> str:
        """`expr PRIMARY KEY`."""
        return f"{self.sql(expression, 'this')} PRIMARY KEY"

    def location_sql(self, expression: Location) -> str:
        """`'kafka://…'`."""
        return self.sql(exp.Literal.string(expression.name))

    def settings_sql(self, expression: Settings) -> str:
        """`WITH (…)`."""
        return f"WITH ({self.listed(expression.expressions)})"

    def setting_sql(self, expression: Setting) -> str:
        """`'k' = 'v'`."""
        return f"{self.sql(expression, 'this')} = {self.sql(expression, 'expression')}"

    def table_sql(self, expression: exp.Table, sep: str = " AS ") -> str:
        """A source with its time and alias."""
        names = [self.sql(expression, key) for key in ("catalog", "db", "this")]
        parts = [".".join(name for name in names if name), *self._behind_table(expression)]
        return " ".join(part for part in parts if part)

    def streamtable_sql(self, expression: StreamTable) -> str:
        """A source with a watermark."""
        return self.table_sql(expression)

    def _behind_table(self, table: exp.Table) -> list[str]:
        version, alias = table.args.get("version"), table.args.get("alias")
        as_of = f"FOR SYSTEM_TIME AS OF {self.operand(version.args['expression'], 5)}" if version else ""
        return [as_of, self.sql(table, "watermark"), f"AS {self.sql(alias)}" if alias else ""]

    def watermarkdelay_sql(self, expression: WatermarkDelay) -> str:
        """`WATERMARK c DELAY OF d`."""
        return f"WATERMARK {self.sql(expression, 'this')} DELAY OF {self.sql(expression, 'expression')}"

    def tablealias_sql(self, expression: exp.TableAlias) -> str:
        """`t(a, b)`."""
        columns = expression.args.get("columns")
        return self.sql(expression, "this") + (f"({self.listed(columns)})" if columns else "")

    def lateral_sql(self, expression: exp.Lateral) -> str:
        """`LATERAL VIEW …` or `LATERAL (…)`."""
        alias = expression.args.get("alias")
        if not expression.args.get("view"):
            return f"LATERAL {self.sql(expression, 'this')}" + (f" AS {self.sql(alias)}" if alias else "")
        outer = "OUTER" if expression.args.get("outer") else ""
        parts = ["LATERAL VIEW", outer, self.sql(expression, "this"), self.sql(alias, "this") if alias else ""]
        if alias and alias.args.get("columns"):
            parts.append(f"AS {self.listed(alias.args['columns'])}")
        return " ".join(part for part in parts if part)

    def unnest_sql(self, expression: exp.Unnest) -> str:
        """`UNNEST(x) AS t(a)`."""
        alias, offset = expression.args.get("alias"), expression.args.get("offset")
        text = f"UNNEST({self.listed(expression.expressions)})"
        if offset:
            text += " WITH ORDINALITY"
        if alias is None:
            return text
        columns = [*(alias.args.get("columns") or ()), *([offset] if offset else ())]
        return f"{text} AS {self.sql(alias, 'this')}" + (f"({self.listed(columns)})" if columns else "")

    def join_sql(self, expression: exp.Join, join_op: str | None = None) -> str:
        """A join; without any word it is a comma."""
        args = expression.args
        words = [str(args[key]) for key in ("method", "side", "kind") if args.get(key)]
        source = self.sql(expression, "this")
        if not words and not args.get("on") and not args.get("using"):
            return f", {source}"
        parts = [*words, "JOIN", source]
        within = args.get("within")
        if within:
            parts.append(f"WITHIN ({self.listed(within)})" if len(within) > 1 else f"WITHIN {self.listed(within)}")
        if args.get("grace"):
            parts.append(f"GRACE PERIOD {self.sql(args['grace'])}")
        if args.get("on"):
            parts.append(f"ON {self.sql(args['on'])}")
        if args.get("using"):
            parts.append(f"USING ({self.listed(args['using'])})")
        return " ".join(parts)

    def streamjoin_sql(self, expression: StreamJoin) -> str:
        """A join with WITHIN."""
        return self.join_sql(expression)

    def values_sql(self, expression: exp.Values, values_as_table: bool = True) -> str:
        """`VALUES (…), (…)`."""
        alias = expression.args.get("alias")
        return f"VALUES {self.listed(expression.expressions)}" + (f" AS {self.sql(alias)}" if alias else "")

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
