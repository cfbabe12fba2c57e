"""Expressions on Spark: SQL text over fields; what fails costs the record, not the query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.forms import form_of
from velostream.plan.spark_text import ERROR
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import column
from velostream.spark.lower.functions import ASKED_AGAIN

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

BAD_VALUE = "bad_value"
_STAGE, _SAID, _APART = "_stage", "_said", "_apart"
_LONGEST = 300
_MICROSECONDS = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
_TIMES = {"timestampFormat": f"{_MICROSECONDS}XXX", "timestampNTZFormat": _MICROSECONDS}


def compute(
    frame: DataFrame,
    wanted: Sequence[tuple[str, Expression]],
    carried: Sequence[str],
    fields: Fields | None = None,
    apart: Collection[str] = (),
) -> DataFrame:
    """A frame with the wanted columns and those carried; a row whose expressions fail has the status `bad_value`.

    By `fields`, the columns that expressions read, those are known that never fail: they are computed as they are. What
    is computed `apart` has its value whatever else is wrong with a row.
    """
    from pyspark.sql import functions as F  # noqa: N812

    sure = ((name, _never_failing(expression, fields)) for name, expression in wanted)
    plain = {name: value for name, value in sure if value is not None}
    made = [(name, expression) for name, expression in wanted if name not in plain]
    kept = [name for name in carried if name in frame.columns]
    if not made:
        return frame.select(*(value.alias(name) for name, value in plain.items()), *map(column, kept))
    fine = _alive(frame)
    together = [(name, expression) for name, expression in made if name not in apart]
    tried, values = {}, dict(plain)
    if together:
        stage = attempt(F.struct(*(F.expr(e.spark).alias(f"v{index}") for index, (_, e) in enumerate(together))))
        tried[_STAGE] = F.when(fine, stage) if fine is not None else stage
        values |= {name: F.col(f"{_STAGE}.v{index}") for index, (name, _) in enumerate(together)}
    for index, (name, expression) in enumerate((name, e) for name, e in made if name in apart):
        tried[f"{_APART}{index}"] = attempt(F.struct(F.expr(expression.spark).alias("v")))
        values[name] = F.col(f"{_APART}{index}.v")
    # What functions of users say is asked for beside their values, so that they are called once for both.
    frame = frame.withColumns({**tried, _SAID: failure([expression for _, expression in made])})
    why = {"_status": F.lit(BAD_VALUE), "_detail": F.col(_SAID)}
    failed = reduce(or_, (F.col(name).isNull() for name in tried))
    broken = fine & failed if fine is not None else None
    columns = [values[name].alias(name) for name, _ in wanted]
    return frame.select(*columns, *(_kept(name, why.get(name), broken) for name in kept))


def never_fails(expression: Expression, fields: Fields | None) -> bool:
    """True where an expression over these fields has a value, or NULL, whatever they are."""
    return expression.is_field or (fields is not None and form_of(expression, fields) is not None)


def _never_failing(expression: Expression, fields: Fields | None) -> Column | None:
    """The value of an expression that never fails; None for others."""
    from pyspark.sql import functions as F  # noqa: N812

    if expression.is_field:
        return column(expression.name)
    return F.expr(expression.spark) if never_fails(expression, fields) else None


def failure(expressions: Sequence[Expression]) -> Column:
    """What a letter says of a record for which one of some expressions failed: what a function of the user raised, else
    which expressions they are."""
    from pyspark.sql import functions as F  # noqa: N812

    texts = [str(expression) for expression in expressions]
    told = f"'{_short(texts[0])}' failed" if len(texts) == 1 else _short(f"one of these failed: {', '.join(texts)}")
    calls = [call for expression in expressions for name, call in expression.calls if name.casefold() in ASKED_AGAIN]
    return F.coalesce(*(F.expr(f"{call}.{ERROR}") for call in dict.fromkeys(calls)), F.lit(told))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _kept(name: str, why: Column | None, broken: Column | None) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    if why is None or broken is None:
        return column(name)
    return F.when(broken, why).otherwise(column(name)).alias(name)


def _alive(frame: DataFrame) -> Column | None:
    """True for a row that nothing is wrong with; None where rows have no status."""
    if "_status" not in frame.columns:
        return None
    alive = column("_status").isNull()
    return alive & column("_mark").isNull() if "_mark" in frame.columns else alive


def condition(frame: DataFrame, expression: Expression) -> Column:
    """NULL where the condition cannot be computed, else a struct whose field `met` says whether it holds."""
    from pyspark.sql import functions as F  # noqa: N812

    met = F.coalesce(F.expr(expression.spark), F.lit(False)).alias("met")
    fine = _alive(frame)
    answer = attempt(F.struct(met))
    return answer if fine is None else F.when(fine, answer)


def as_json(struct: Column, *, nulls: bool = False) -> Column:
    """A struct as JSON text that tells every value apart: times to the microsecond, which Spark would cut."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.to_json(struct, {"ignoreNullFields": str(not nulls).lower(), **_TIMES})
