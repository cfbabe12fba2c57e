"""Deduplicate: `dedup.key`. The first record of each key goes on as it is, others are counted and go no further."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import Deduplicate
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.stage import Stage
from velostream.spark.lower.whole_rows import Answering, WholeRows
from velostream.windows.dedup import DedupOperator, DedupSettings
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def lower_deduplicate(node: Deduplicate, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part; its rows correct nothing, so that there is nothing to keep of earlier ones."""
    rows = WholeRows(node, frame, lowering, corrects=False)
    keys = tuple(rows.add(key) for key in node.keys)

    def operator(watermark: WatermarkSettings) -> Callable[[Any], Any]:
        return partial(DedupOperator, DedupSettings(keys, node.ttl), watermark)

    return rows.lower(frame, lowering, Answering(operator, keys, keeps_record=True))
