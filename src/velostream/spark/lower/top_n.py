"""TopN: the first rows of each partition, behind the watermark where they stay, else as they stand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import TopN
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.stage import Stage
from velostream.spark.lower.watermarks import lateness_below, says_changes
from velostream.spark.lower.whole_rows import Answering, WholeRows
from velostream.types import INT
from velostream.windows.lateness import Lateness
from velostream.windows.ranking import Ranking
from velostream.windows.rows import Due, RowCall, RowFunction, RowSettings, Standing, StandingSettings
from velostream.windows.rows.first import FirstRows
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ORDERED = ("file_source", "s3_source")
"""Sources whose offsets order records over all partitions."""
_RANK = "r0"


def lower_top_n(node: TopN, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part; with `keeps_previous` its rows carry what they correct."""
    derived = "_origin" in frame.columns
    appends = node.appends and not node.per_window and not derived
    rows = WholeRows(node, frame, lowering, corrects=not appends)
    partition = tuple(rows.add(key) for key in node.partition)
    results = [(node.rank, _RANK, INT)] if node.rank else []
    if appends:
        order = rows.sorts(node.order[1:])
        call = RowCall(_RANK, RowFunction.ROW_NUMBER)

        def first(watermark: WatermarkSettings) -> Callable[[Any], Any]:
            settings = RowSettings(partition, (call,), order=order, ttl=node.ttl, watermark=watermark)
            return partial(FirstRows, settings, node.n)

        return rows.lower(frame, lowering, Answering(first, partition, results))
    ranking = Ranking(rows.sorts(node.order), node.n, node.ranking, _RANK if node.rank else "", trims=not derived)
    by_partition = bool(partition) and node.identity == tuple(key.name for key in node.partition)

    def standing(watermark: WatermarkSettings) -> Callable[[Any], Any]:
        settings = StandingSettings(
            ranking,
            tuple(dict.fromkeys((*rows.shown, *(partition if by_partition else ())))),
            partition,
            Due.AT_CLOSE if node.per_window else Due.AT_ONCE,
            rows.end,
            rows.kind,
            changes=node.per_window and says_changes(node),
            by_partition=by_partition,
            withdraws=node.revises,
            keeps_previous=keeps_previous,
            in_one_partition=node.changes is not None and node.changes.connector not in ORDERED,
            ttl=None if node.per_window else node.ttl,
            lateness=Lateness(lateness_below(node)),
            watermark=watermark,
        )
        return partial(Standing, settings)

    identity = partition if by_partition else ()
    return rows.lower(
        frame,
        lowering,
        Answering(
            standing,
            partition,
            results,
            corrects=True,
            keeps_previous=keeps_previous,
            identity=identity,
            lives=by_partition and node.ttl is not None and not node.per_window,
        ),
    )
