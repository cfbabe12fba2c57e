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

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, SparkSession

    from velostream.functions.base import Function

_LONGEST = 500


def register(spark: SparkSession, functions: Iterable[Function]) -> None:
    """Makes the functions known to the session, each under all of its names."""
    from pyspark.sql.pandas.functions import ArrowUDFType, arrow_udf
    from pyspark.sql.types import _parse_datatype_string

    for function in functions:
        assert function.implementation is not None
        if function.implementation.form is Form.AGGREGATE:
            continue
        kind = str(function.result_type(()))
        kind = f"array<{kind}>" if function.implementation.form is Form.TABLE else kind
        answer = _parse_datatype_string(f"struct<{VALUE}: {kind}, {ERROR}: string>")
        called = _caller(function, answer)
        made = arrow_udf(called, answer, ArrowUDFType.SCALAR)
        if not function.deterministic:
            made = made.asNondeterministic()
        for name in (function.name, *function.aliases):
            spark.udf.register(name, made)


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


def _caller(function: Function, answer: Any) -> Callable[..., pa.Array]:
    """The function over Arrow arrays. It refers to nothing of this package, so that it travels by itself."""
    from pyspark.sql.pandas.types import to_arrow_type

    assert function.implementation is not None
    run, form = function.implementation.run, function.implementation.form
    kind = to_arrow_type(answer, timezone="UTC")
    value_kind = kind.field(0).type
    takes_none = not function.parameters and not function.alternatives
    vectorised, gives_rows = form is Form.VECTORISED, form is Form.TABLE
    names = [member.name for member in value_kind.value_type] if gives_rows else []

    def call(*columns: Any) -> Any:
        import pyarrow

        rows = len(columns[0])
        given = [] if takes_none else columns
        if vectorised:
            try:
                whole = run(*given)
                if len(whole) == rows:
                    values = pyarrow.array(whole) if not isinstance(whole, pyarrow.Array) else whole
                    nothing = pyarrow.nulls(rows, pyarrow.string())
                    return pyarrow.StructArray.from_arrays([values.cast(value_kind), nothing], fields=list(kind))
            except Exception:
                pass  # which of the rows it was is found out one by one
        found: list[Any] = []
        errors: list[str | None] = []
        lists = None if vectorised else [column.to_pylist() for column in given]
        for place in range(rows):
            try:
                if lists is None:
                    made = pyarrow.array(run(*(column.slice(place, 1) for column in given)))
                    if len(made) != 1:
                        raise ValueError(f"gives {len(made)} values for one row")
                    value = made.cast(value_kind)[0].as_py()
                else:
                    value = run(*(values[place] for values in lists))
                if gives_rows:
                    value = [dict(zip(names, row, strict=True)) for row in value]
                pyarrow.array([value], value_kind)
            except Exception as error:
                found.append(None)
                errors.append(f"{type(error).__name__}: {error}"[:_LONGEST])
            else:
                found.append(value)
                errors.append(None)
        answers = [pyarrow.array(found, value_kind), pyarrow.array(errors, pyarrow.string())]
        return pyarrow.StructArray.from_arrays(answers, fields=list(kind))

    return call
