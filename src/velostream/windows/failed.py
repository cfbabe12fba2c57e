"""Records that are in no row because the aggregates of their groups failed, such as a sum that overflows.

A record is judged when the first row that would count it is due: where every row of that moment failed it is dead, and
stays so, whatever later rows of other windows say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import ERROR
from velostream.windows.emission.base import EARLY, RETRACT
from velostream.windows.statistics import Stats

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

_TIME = "%Y-%m-%dT%H:%M:%S%.fZ"
FAILED_GROUP = "failed_group"
"""The reason of these records, and of the letter that stands for their group."""


def lose(stats: Stats, records: int) -> None:
    """Records that were taken to be in results are dead letters."""
    lost = min(records, stats.in_results)
    if lost:
        stats.in_results -= lost
        stats.dead_lettered[FAILED_GROUP] += lost


def have_failed(rows: pl.DataFrame) -> bool:
    """True where there are rows whose aggregates failed."""
    return rows[ERROR].null_count() < rows.height


def all_failed(rows: pl.DataFrame, record: str) -> int:
    """The number of records (which the column `record` tells apart) all of whose rows failed."""
    return int(rows.group_by(record).agg(pl.col(ERROR).is_not_null().all())[ERROR].sum())


def of_fragments(asked: pl.DataFrame, said: pl.DataFrame, fragment: list[str], identity: list[str]) -> int:
    """The number of records of those fragments all of whose rows failed; `_counted` says how many of a fragment the
    rows of this moment count, `identity` are the columns by which a row and its fragments find each other."""
    spoken = said.filter(~pl.col("_emission").is_in([EARLY, RETRACT])).select(*identity, ERROR)
    windows = ["_window_start", "_window_end"]
    joined = asked.join(spoken, on=identity, how="inner", nulls_equal=True)
    each = joined.group_by(*fragment, "_touched", *windows).agg(pl.col(ERROR).first(), pl.col("_counted").sum())
    whole = each.group_by(*fragment, "_touched").agg(pl.col(ERROR).is_not_null().all(), pl.col("_counted").max())
    return int(whole.filter(ERROR)["_counted"].sum())


def told(failed: pl.DataFrame, keys: dict[str, str], arguments: dict[str, str]) -> pl.DataFrame:
    """Groups that failed, with what is wrong in the words of the statement, which group it is, and in which window.

    `keys` and `arguments` say what columns mean.
    """
    if failed.is_empty():
        return failed
    error = pl.col(ERROR)
    for name, meaning in arguments.items():
        error = error.str.replace_all(name, meaning, literal=True)
    where = [pl.format("{} = {}", pl.lit(m), pl.col(k).cast(pl.String).fill_null("NULL")) for k, m in keys.items()]
    group = pl.concat_str([pl.lit(": "), pl.concat_str(where, separator=", ")]) if where else pl.lit("")
    bounds = [pl.col(name).cast(pl.Datetime("us")).dt.strftime(_TIME) for name in ("_window_start", "_window_end")]
    window = pl.format(" in the window from {} to {}", *bounds).fill_null("")
    return failed.with_columns(pl.concat_str(error, group, window).alias(ERROR))
