"""The text that Spark is given: our dialect's forms as Spark has them, and our functions as Spark computes them."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from velostream.functions import find
from velostream.plan.header_calls import for_spark
from velostream.sql.dialect import Velo
from velostream.sql.printing.spark import SparkText

VALUE, ERROR = "value", "error"
"""What a function that a user wrote in Python answers with: one of the two."""
_TWO = 2
_CHANCE = ("RAND", "RANDN", "RANDOM", "UUID", "SHUFFLE", "MONOTONICALLY_INCREASING_ID")


def _asked_apart(tree: exp.Expr) -> bool:
    """True where a value may fail and is the same whenever it is asked."""
    if isinstance(tree, exp.Column | exp.Literal):
        return False
    names = [str(call.this).upper() for call in tree.find_all(exp.Anonymous)]
    return all(name not in _CHANCE and find(name) is not None for name in names)


class LoweredText(SparkText):
    """Prints Spark SQL in which every call of a function that is ours is written as its declaration says."""

    def anonymous_sql(self, expression: exp.Anonymous) -> str:
        """A call: by the name that Spark knows, or as the template of the function."""
        if str(expression.this).upper() == "NULLIF" and len(expression.expressions) == _TWO:
            one, other = expression.expressions
            if _asked_apart(one):
                return f"if(({self.sql(one)}) = ({self.sql(other)}), NULL, {self.sql(one)})"
        function = find(str(expression.this))
        if function is None:
            return self._users_call(expression)
        return function.lower([self.sql(argument) for argument in expression.expressions])

    def between_sql(self, expression: exp.Between) -> str:
        """Both bounds by themselves: Spark computes the value of a BETWEEN before all else, where its failure ends the
        query and does not cost the record alone."""
        if not _asked_apart(expression.this):
            return super().between_sql(expression)
        value, low, high = (self.sql(expression, part) for part in ("this", "low", "high"))
        return f"(({value}) >= ({low}) AND ({value}) <= ({high}))"

    def _users_call(self, expression: exp.Anonymous) -> str:
        """A call of a function of the user, asked once: its value, or an error of the record."""
        call = self.users_call(expression)
        answer = f"if(_call.{ERROR} IS NULL, _call.{VALUE}, raise_error(_call.{ERROR}))"
        return f"element_at(transform(array({call}), _call -> {answer}), 1)"

    def users_call(self, expression: exp.Anonymous) -> str:
        """The call itself, which answers with a value or an error."""
        arguments = [self.sql(argument) for argument in expression.expressions]
        return f"{expression.this}({', '.join(arguments) or '0'})"


@cache
def _printer() -> LoweredText:
    return LoweredText(dialect=Velo, comments=False, normalize_functions=False)


def spark_text(tree: exp.Expr) -> str:
    """An expression over fields as Spark SQL."""
    return _printer().sql(for_spark(tree))


def users_calls(tree: exp.Expr) -> tuple[tuple[str, str], ...]:
    """The calls of functions that users wrote, by name, each as Spark SQL that answers with a value or an error."""
    lowered = for_spark(tree)
    calls = (node for node in lowered.find_all(exp.Anonymous) if find(str(node.this)) is None)
    return tuple((str(node.this), _printer().users_call(node)) for node in calls)
