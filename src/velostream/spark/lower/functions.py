"""Functions that users wrote in Python, on Spark: a call that fails costs its record, never the query.

Whatever its form, a function is given to Spark as one over Arrow arrays that answers with a struct for each row: the
value, or the error. The text of an expression asks the struct (`velostream.plan.spark_text`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from velostream.functions.implementation import Form
from velostream.plan.nodes import Aggregate, Node, RowWindows
from velostream.plan.passes.walking import from_below
from velostream.plan.spark_text import ERROR, VALUE
from velostream.spark.calling import answers

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from velostream.functions.base import Function


ASKED_AGAIN: set[str] = set()
"""The functions of this process that may be asked for their error beside their value: Spark calls them once for both.
One whose answers differ from call to call would be called twice."""


def register(spark: SparkSession, functions: Iterable[Function]) -> None:
    """Makes the functions known to the session, each under all of its names."""
    from pyspark.sql.pandas.functions import arrow_udf
    from pyspark.sql.types import _parse_datatype_string

    for function in functions:
        assert function.implementation is not None
        if function.implementation.form is Form.AGGREGATE:
            continue
        kind = str(function.result_type(()))
        kind = f"array<{kind}>" if function.implementation.form is Form.TABLE else kind
        answer = _parse_datatype_string(f"struct<{VALUE}: {kind}, {ERROR}: string>")
        called = _caller(function, answer)
        made = arrow_udf(called, answer)  # type: ignore[call-overload]
        if not function.deterministic:
            made = made.asNondeterministic()
        for name in (function.name, *function.aliases):
            spark.udf.register(name, made)
            (ASKED_AGAIN.add if function.deterministic else ASKED_AGAIN.discard)(name.casefold())


def called_rows(function: str, arguments: Sequence[Column]) -> Column:
    """A call of a table function: a struct of the rows as an array, and the error."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.call_function(function, *(arguments or [F.lit(0)]))


def with_aggregates(root: Node, functions: Mapping[str, Function]) -> Node:
    """The plan whose calls of Python aggregates hold the class that computes them, and its result type."""

    def call(one: Any) -> Any:
        function = functions.get(one.function)
        implementation = function.implementation if function is not None else None
        return one if implementation is None else replace(one, parameters=(implementation.run, one.type))

    def rule(node: Node) -> Node:
        if isinstance(node, Aggregate | RowWindows) and any(one.function in functions for one in node.calls):
            changed: Any = tuple(map(call, node.calls))
            return replace(node, calls=changed)
        return node

    return from_below(root, rule)


def _caller(function: Function, answer: Any) -> Callable[..., Any]:
    """The function over Arrow arrays, as Spark calls it."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_type

    kind = to_arrow_type(answer, timezone="UTC")

    def call(*columns):  # type: ignore[no-untyped-def]  # Spark reads the annotations, which are set below
        return answers(function, columns, kind)

    call.__annotations__ = {"columns": pa.Array, "return": pa.Array}
    return call
