"""The two ways to print a tree."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from velostream.sql.dialect import Velo
from velostream.sql.printing.spark import SparkText
from velostream.sql.printing.statements import VeloGenerator


@cache
def _printer(kind: type[VeloGenerator]) -> VeloGenerator:
    return kind(dialect=Velo, comments=False, normalize_functions=False)


def print_sql(node: exp.Expr) -> str:
    """A tree in our own dialect."""
    return _printer(VeloGenerator).sql(node)


def spark_sql(node: exp.Expr) -> str:
    """An expression (or a query over tables) in Spark SQL."""
    return _printer(SparkText).sql(node)
