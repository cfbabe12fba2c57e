"""A row per record: native aggregation has none, so each group is a Python function with state, on pandas frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

BUFFER = 100
Function = Callable[[Any, "Iterator[pd.DataFrame]", Any], "Iterator[pd.DataFrame]"]


def moving(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S1: the last 99 prices of a key are its state."""

    def average(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        import numpy as np
        import pandas as pd

        rows = pd.concat(list(frames)).sort_values("traded_at", ignore_index=True)
        before = np.frombuffer(state.get[0] if state.exists else b"")
        prices = np.concatenate([before, rows["price"].to_numpy()])
        means = pd.Series(prices).rolling(BUFFER, min_periods=1).mean()[len(before) :].to_numpy()
        state.update((prices[-(BUFFER - 1) :].tobytes(),))
        yield pd.DataFrame({"symbol": key[0], "traded_at": rows["traded_at"], "mean": means})

    groups = trades.select("symbol", "traded_at", "price").groupBy("symbol")
    rows = "symbol STRING, traded_at TIMESTAMP, mean DOUBLE"
    return groups.applyInPandasWithState(average, rows, "prices BINARY", "update", "NoTimeout"), "update"


def running_keys(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S2: running values of a key."""

    def run(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        import pandas as pd

        rows = pd.concat(list(frames)).sort_values("traded_at", ignore_index=True)
        count, total, amount, least, most = state.get if state.exists else (0, 0, 0.0, float("inf"), float("-inf"))
        counts = count + rows.index.to_series() + 1
        totals = total + rows["quantity"].cumsum()
        amounts = amount + rows["price"].cumsum()
        lows, highs = rows["price"].cummin().clip(upper=least), rows["price"].cummax().clip(lower=most)
        last = (counts.iat[-1], totals.iat[-1], amounts.iat[-1], lows.iat[-1], highs.iat[-1])
        state.update(tuple(value.item() for value in last))
        values = {"n": counts, "total": totals, "mean": amounts / counts, "least": lows, "most": highs}
        yield pd.DataFrame({"symbol": key[0], **values})

    groups = trades.groupBy("symbol")
    rows = "symbol STRING, n BIGINT, total BIGINT, mean DOUBLE, least DOUBLE, most DOUBLE"
    kept = "n BIGINT, total BIGINT, amount DOUBLE, least DOUBLE, most DOUBLE"
    return groups.applyInPandasWithState(run, rows, kept, "update", "NoTimeout"), "update"


def running_windows(trades: DataFrame, delay: str) -> tuple[DataFrame, str]:
    """S3b: running values of a key and window, forgotten when the watermark has passed the window's end."""

    def run(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        import pandas as pd

        if state.hasTimedOut:
            state.remove()
            return
        rows = pd.concat(list(frames)).sort_values("traded_at", ignore_index=True)
        count, total, amount = state.get if state.exists else (0, 0, 0.0)
        counts = count + rows.index.to_series() + 1
        totals = total + rows["quantity"].cumsum()
        amounts = amount + rows["price"].cumsum()
        state.update((counts.iat[-1].item(), totals.iat[-1].item(), amounts.iat[-1].item()))
        state.setTimeoutTimestamp(int(key[2].timestamp() * 1000))
        yield pd.DataFrame({"symbol": key[0], "w": key[1], "n": counts, "total": totals, "mean": amounts / counts})

    windowed = trades.withWatermark("traded_at", delay).withColumn("window", F.window("traded_at", "1 minute"))
    bounds = {"w": F.col("window.start"), "until": F.col("window.end")}
    groups = windowed.withColumns(bounds).drop("window").groupBy("symbol", "w", "until")
    rows = "symbol STRING, w TIMESTAMP, n BIGINT, total BIGINT, mean DOUBLE"
    kept = "n BIGINT, total BIGINT, amount DOUBLE"
    return groups.applyInPandasWithState(run, rows, kept, "update", "EventTimeTimeout"), "update"
