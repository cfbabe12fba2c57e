"""Distinct: the first of equal records goes on; of rows that may be corrected one, as long as any of them stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from velostream.plan.expression import reads
from velostream.plan.nodes import Distinct
from velostream.plan.nodes.base import window_bounds
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.stage import Stage
from velostream.spark.lower.watermarks import lateness_below, says_changes
from velostream.spark.lower.whole_rows import Answering, WholeRows
from velostream.windows.dedup import DedupOperator, DedupSettings
from velostream.windows.lateness import Lateness
from velostream.windows.ranking import DISTINCT, Ranking
from velostream.windows.rows import Due, Standing, StandingSettings
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def lower_distinct(node: Distinct, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part; with `keeps_previous` its rows carry what they correct."""
    derived = "_origin" in frame.columns
    rows = WholeRows(node, frame, lowering, corrects=derived)
    compared = dict.fromkeys((*node.keys, *(window_bounds(node.input) if node.per_window else ())))
    keys = tuple(rows.add(reads(name, node.input.fields.of(name).type)) for name in compared)
    if not derived:

        def first(watermark: WatermarkSettings) -> Callable[[Any], Any]:
            return partial(DedupOperator, DedupSettings(keys, node.ttl, nulls_equal=True), watermark)

        return rows.lower(frame, lowering, Answering(first, keys))

    def standing(watermark: WatermarkSettings) -> Callable[[Any], Any]:
        settings = StandingSettings(
            Ranking(limit=1, kind=DISTINCT),
            tuple(dict.fromkeys((*rows.shown, *keys))),
            keys,
            Due.AT_CLOSE if node.per_window else Due.AT_ONCE,
            rows.end,
            rows.kind,
            changes=node.per_window and says_changes(node),
            by_partition=True,
            withdraws=node.revises,
            keeps_previous=keeps_previous,
            ttl=None if node.per_window else node.ttl,
            lateness=Lateness(lateness_below(node)),
            watermark=watermark,
        )
        return partial(Standing, settings)

    answering = Answering(standing, keys, corrects=True, keeps_previous=keeps_previous, identity=keys)
    return rows.lower(frame, lowering, answering)
