"""One bad value costs one record, not the query: Catalyst's TryEval around all that a stage computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


def attempt(column: Column) -> Column:
    """NULL where evaluating `column` fails (under ANSI: a bad cast, a division by zero, an overflow)."""
    from pyspark import SparkContext
    from pyspark.sql.classic.column import Column as ClassicColumn

    context = SparkContext._active_spark_context  # a session is active in the thread that made it only
    assert context is not None
    jvm = context._jvm
    assert jvm is not None
    bridge = jvm.org.apache.spark.sql.classic.ExpressionUtils
    expression = jvm.org.apache.spark.sql.catalyst.expressions.TryEval(bridge.expression(column._jc))
    return ClassicColumn(bridge.column(expression))
