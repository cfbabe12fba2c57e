"""Expressions to Spark SQL: what only our dialect has is written as Spark has it."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.nodes import Duration, FieldAccess, KeyItem
from velostream.sql.printing.statements import VeloGenerator


class SparkText(VeloGenerator):
    """Prints Spark SQL."""

    def fieldaccess_sql(self, expression: FieldAccess) -> str:
        """`a.b`."""
        return f"{self.operand(expression.this, 13)}.{self.sql(expression, 'expression')}"

    def duration_sql(self, expression: Duration) -> str:
        """A length of time as an exact interval."""
        return f"INTERVAL '{expression.micros}' MICROSECOND"

    def keyitem_sql(self, expression: KeyItem) -> str:
        """The item itself."""
        return self.sql(expression, "this")

    def datatype_sql(self, expression: exp.DataType) -> str:
        """A type; Spark's times have one precision, and its binaries no length."""
        if expression.this in (exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ, exp.DType.TIMESTAMPNTZ, exp.DType.BINARY):
            return str(self.TYPE_MAPPING.get(expression.this, expression.this.value))
        return super().datatype_sql(expression)

    def floor_sql(self, expression: exp.Floor) -> str:
        """`FLOOR(x TO HOUR)` is the hour's begin."""
        unit = expression.args.get("to")
        return self._truncated(expression, unit) if unit else self.function_fallback_sql(expression)

    def ceil_sql(self, expression: exp.Ceil) -> str:
        """`CEIL(x TO HOUR)` is the begin of the next hour, unless x is one."""
        unit = expression.args.get("to")
        if not unit:
            return self.function_fallback_sql(expression)
        begin, value = self._truncated(expression, unit), self.sql(expression, "this")
        return f"CASE WHEN {begin} = {value} THEN {begin} ELSE {begin} + INTERVAL '1' {unit.name} END"

    def _truncated(self, expression: exp.Expr, unit: exp.Expr) -> str:
        return f"DATE_TRUNC('{unit.name}', {self.sql(expression, 'this')})"
