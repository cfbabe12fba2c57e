"""OrderLimit: ORDER BY and LIMIT over the rows of a window, over all rows of input that ends, or of all that come."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from velostream.plan.expression import reads
from velostream.plan.nodes import OrderLimit
from velostream.plan.nodes.base import window_bounds
from velostream.plan.nodes.order_limit import BOUNDED, CONSOLE, PER_WINDOW, STOPS
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.stage import Stage
from velostream.spark.lower.watermarks import lateness_below, says_changes
from velostream.spark.lower.whole_rows import Answering, WholeRows
from velostream.windows.lateness import Lateness
from velostream.windows.ranking import SORTED, Ranking
from velostream.windows.rows import Due, Standing, StandingSettings
from velostream.windows.rows.limiting import LimitOperator
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_DUE = {PER_WINDOW: Due.AT_CLOSE, BOUNDED: Due.AT_FLUSH, CONSOLE: Due.AT_ONCE}


def lower_order_limit(node: OrderLimit, frame: DataFrame, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """The streaming part; with `keeps_previous` its rows carry what they correct."""
    if node.scope == STOPS:
        return _first(node, frame, lowering)
    rows = WholeRows(node, frame, lowering, corrects=True)
    bounds = window_bounds(node.input) if node.scope == PER_WINDOW else ()
    partition = tuple(rows.add(reads(name, node.input.fields.of(name).type)) for name in bounds)
    ranking = Ranking(rows.sorts(node.order), node.limit, kind=SORTED)

    def operator(watermark: WatermarkSettings) -> Callable[[Any], Any]:
        settings = StandingSettings(
            ranking,
            rows.shown,
            partition,
            _DUE[node.scope],
            rows.end,
            rows.kind,
            changes=node.scope == PER_WINDOW and says_changes(node),
            whole=node.scope == CONSOLE,
            withdraws=node.revises,
            keeps_previous=keeps_previous,
            lateness=Lateness(lateness_below(node)),
            watermark=watermark,
        )
        return partial(Standing, settings)

    return rows.lower(frame, lowering, Answering(operator, partition, corrects=True, keeps_previous=keeps_previous))


def _first(node: OrderLimit, frame: DataFrame, lowering: Lowering) -> Stage:
    """The first rows that come, and the end of the job: all of them meet in one bucket."""
    rows = WholeRows(node, frame, lowering, corrects=False)
    limit = node.limit or 0

    def operator(watermark: WatermarkSettings) -> Callable[[Any], Any]:
        return partial(LimitOperator, limit, watermark)

    return rows.lower(frame, lowering, Answering(operator, ()))
