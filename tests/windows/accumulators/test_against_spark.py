"""Every accumulator against Spark itself, on seeded rows with NaN, −0.0, NULL and extremes, in batches and merged."""

import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.windows.accumulators.catalogue import QUERIES, Case
from tests.windows.accumulators.samples import sample

from velostream.windows.accumulators import ACCUMULATORS
from velostream.windows.accumulators.aggregation import Aggregation

pyspark = pytest.importorskip("pyspark.sql")


@pytest.fixture(scope="module")
def spark(one_spark: Any) -> Any:
    session = one_spark.newSession()
    settings = {
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    for name, value in settings.items():
        session.conf.set(name, value)
    return session


@pytest.fixture(scope="module")
def rows(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    data = sample()
    path: Path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    plain = data.with_columns(pl.col("span").cast(pl.Int64))
    plain.write_parquet(path)
    read = spark.read.parquet(str(path))
    read.withColumn(
        "span", read["span"] * pyspark.functions.expr("INTERVAL '0.000001' SECOND")
    ).createOrReplaceTempView("rows")
    return data


def ours(data: pl.DataFrame, cases: list[Case]) -> dict[int, dict[str, Any]]:
    """The results, of states that were folded in batches and merged two by two, read back from Arrow in between."""
    aggregation = Aggregation(tuple(replace(case.call, result=f"c{n}") for n, case in enumerate(cases)))
    states = [aggregation.fold(data.slice(start, 97), ["g"]) for start in range(0, data.height, 97)]
    while len(states) > 1:
        states = [aggregation.merge(pl.concat(states[i : i + 2]), ["g"]) for i in range(0, len(states), 2)]
    table = aggregation.finish(states[0])
    assert table["_error"].null_count() == table.height
    return {one["g"]: one for one in table.to_dicts()}


def equal(mine: Any, theirs: Any, case: Case) -> bool:
    if isinstance(mine, list) and isinstance(theirs, list):
        if case.unordered:
            mine, theirs = sorted(mine, key=repr), sorted(theirs, key=repr)
        return len(mine) == len(theirs) and all(equal(a, b, case) for a, b in zip(mine, theirs, strict=True))
    if case.approximate:
        return abs(mine - theirs) <= max(1, case.approximate * theirs)
    if isinstance(mine, float) and isinstance(theirs, float):
        if math.isnan(theirs) or math.isnan(mine):
            return math.isnan(mine) and math.isnan(theirs)
        return math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-12 if case.call.name == "skewness" else 1e-300)
    if isinstance(mine, Decimal) and isinstance(theirs, Decimal):
        return mine.as_tuple() == theirs.as_tuple()
    return type(mine) is type(theirs) and bool(mine == theirs)


def spelled(case: Case) -> str:
    """The result type as Spark writes it."""
    kind = str(Aggregation((case.call,)).results["?"]).lower()
    return kind.replace("interval", "interval day to second").replace(": ", ":").replace(", ", ",")


@pytest.mark.parametrize("query", QUERIES)
def test_every_aggregate_answers_as_spark_does(spark: Any, rows: pl.DataFrame, query: str) -> None:
    cases = QUERIES[query]
    selected = ", ".join(f"{case.sql} AS c{n}" for n, case in enumerate(cases))
    asked = spark.sql(f"SELECT g, {selected} FROM rows GROUP BY g")
    types = {case.sql: field.dataType.simpleString() for field, case in zip(asked.schema[1:], cases, strict=True)}
    assert {case.sql: spelled(case) for case in cases} == types
    answered = pl.from_arrow(asked.toArrow())
    assert isinstance(answered, pl.DataFrame)
    expected = {one["g"]: one for one in answered.to_dicts()}
    found = ours(rows, cases)
    assert found.keys() == expected.keys()
    wrong = [
        f"group {group}: {case.sql} is {expected[group][f'c{n}']!r}, not {found[group][f'c{n}']!r}"
        for n, case in enumerate(cases)
        for group in sorted(found)
        if not equal(found[group][f"c{n}"], expected[group][f"c{n}"], case)
    ]
    assert not wrong, "\n".join(wrong[:40])


def test_every_accumulator_is_compared() -> None:
    compared = {case.call.name for cases in QUERIES.values() for case in cases}
    assert set(ACCUMULATORS) - compared == {"python"}
