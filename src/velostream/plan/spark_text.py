"""The text that Spark is given: our dialect's forms as Spark has them, and our functions as Spark computes them."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from velostream.functions import find
from velostream.plan.header_calls import for_spark
from velostream.sql.dialect import Velo
from velostream.sql.printing.spark import SparkText


class LoweredText(SparkText):
    """Prints Spark SQL in which every call of a function that is ours is written as its declaration says."""

    def anonymous_sql(self, expression: exp.Anonymous) -> str:
        """A call: by the name that Spark knows, or as the template of the function."""
        function = find(str(expression.this))
        if function is None:
            return super().anonymous_sql(expression)
        return function.lower([self.sql(argument) for argument in expression.expressions])


@cache
def _printer() -> LoweredText:
    return LoweredText(dialect=Velo, comments=False, normalize_functions=False)


def spark_text(tree: exp.Expr) -> str:
    """An expression over fields as Spark SQL."""
    return _printer().sql(for_spark(tree))
