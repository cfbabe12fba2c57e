"""Sources and joins to text."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.nodes import Location, StreamJoin, StreamTable, WatermarkDelay
from velostream.sql.printing.windows import Windows


class Sources(Windows):
    """Prints what stands in FROM."""

    def table_sql(self, expression: exp.Table, sep: str = " AS ") -> str:
        """A source with its time and alias."""
        names = [self.sql(expression, key) for key in ("catalog", "db", "this")]
        parts = [".".join(name for name in names if name), *self.behind_table(expression)]
        return " ".join(part for part in parts if part)

    def streamtable_sql(self, expression: StreamTable) -> str:
        """A source with a watermark."""
        return self.table_sql(expression)

    def behind_table(self, table: exp.Table) -> list[str]:
        """As-of time, watermark and alias."""
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

    def location_sql(self, expression: Location) -> str:
        """`'kafka://…'`."""
        return self.sql(exp.Literal.string(expression.name))
