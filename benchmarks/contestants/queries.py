"""The scenarios as an engineer would write them by hand in PySpark, native where Spark has the thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from benchmarks.contestants.by_record import moving, running_keys, running_windows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Query = Callable[["DataFrame", str], "tuple[DataFrame, str]"]
"""The stream of trades and the watermark's delay, to the results and their output mode."""


def stateless(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S0."""
    kept = trades.where("quantity > 50")
    return kept.select("symbol", (F.col("price") * F.col("quantity")).alias("amount"), "traded_at"), "append"


def keyed(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """K1 and K100."""
    groups = trades.groupBy("symbol")
    return groups.agg(F.count("*").alias("n"), F.sum("quantity").alias("total")), "update"


def keys(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S2b."""
    extremes = (F.min("price").alias("least"), F.max("price").alias("most"))
    return trades.groupBy("symbol").agg(*_three(), *extremes), "update"


def _three() -> tuple[Column, ...]:
    return F.count("*").alias("n"), F.sum("quantity").alias("total"), F.avg("price").alias("mean")


def _windowed(trades: DataFrame, delay: str, window: Column) -> DataFrame:
    groups = trades.withWatermark("traded_at", delay).groupBy("symbol", window.alias("w")).agg(*_three())
    return groups.withColumn("w", F.col("w.start"))


def tumbling(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S3a and its kin."""
    return _windowed(trades, delay, F.window("traded_at", "1 minute")), "append"


def tumbling_changes(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S3c."""
    return _windowed(trades, delay, F.window("traded_at", "1 minute")), "update"


def sliding(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S4."""
    return _windowed(trades, delay, F.window("traded_at", "15 minutes", "1 minute")), "append"


def session(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S5."""
    return _windowed(trades, delay, F.session_window("traded_at", "30 minutes")), "append"


def enriched(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """J1 and J2."""
    instruments = trades.sparkSession.table("instruments")
    rows = trades.join(instruments, "symbol", "left")
    return rows.select("symbol", (F.col("price") * F.col("lot")).alias("amount"), "sector", "traded_at"), "append"


def three_tables(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """J3."""
    tables = trades.sparkSession.table
    rows = trades.join(tables("instruments"), "symbol", "left").join(tables("fees"), "quantity", "left")
    rows = rows.join(tables("desks"), "sector", "left")
    amount = F.col("price") * F.col("lot") * F.col("fee") * F.col("weight")
    return rows.select("symbol", amount.alias("amount"), "sector", "desk", "traded_at"), "append"


def paired(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """J4."""
    quotes = trades.sparkSession.table("quotes").withWatermark("traded_at", delay).alias("q")
    ours = trades.withWatermark("traded_at", delay).alias("t")
    near = "q.traded_at BETWEEN t.traded_at - INTERVAL 5 SECONDS AND t.traded_at + INTERVAL 5 SECONDS"
    rows = ours.join(quotes, F.expr(f"t.symbol = q.symbol AND {near}"))
    return rows.selectExpr("t.symbol", "t.price", "q.quantity", "t.traded_at AS at"), "append"


QUERIES: dict[str, Query] = {
    query.__name__: query
    for query in (
        *(stateless, keyed, keys, tumbling, tumbling_changes, sliding, session),
        *(moving, running_keys, running_windows, enriched, three_tables, paired),
    )
}
