"""Which stateful node is lowered by whom: one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import (
    Aggregate,
    Deduplicate,
    Distinct,
    JoinStreams,
    JoinTable,
    Node,
    OrderLimit,
    RowWindows,
    TopN,
)
from velostream.plan.nodes.order_limit import BOUNDED
from velostream.spark.lower.aggregate import lower_aggregate
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.deduplicate import lower_deduplicate
from velostream.spark.lower.distinct import lower_distinct
from velostream.spark.lower.join_streams import lower_join_streams
from velostream.spark.lower.order_limit import lower_order_limit
from velostream.spark.lower.row_windows import lower_row_windows
from velostream.spark.lower.row_windows import waits_for_end as waits_for_rows
from velostream.spark.lower.stage import Stage
from velostream.spark.lower.top_n import lower_top_n
from velostream.spark.lower.waiting_join import lower_waiting_join

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LOWERED: dict[type[Node], Callable[..., Stage]] = {
    Aggregate: lower_aggregate,
    JoinStreams: lower_join_streams,
    JoinTable: lower_waiting_join,
    RowWindows: lower_row_windows,
    TopN: lower_top_n,
    Distinct: lower_distinct,
    Deduplicate: lower_deduplicate,
    OrderLimit: lower_order_limit,
}
"""By node: a function of the node, the stream of its rows, the lowering, and `keeps_previous`."""


def lower_stateful(node: Any, frames: list[DataFrame], lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """A stateful node over the streams of its inputs."""
    rule = LOWERED.get(type(node))
    if rule is None:
        raise lowering.refuse(node)
    return rule(node, *frames, lowering, keeps_previous=keeps_previous)


def waits_for_end(node: Node) -> bool:
    """True where a node says something only at the end of its input, or when it is flushed."""
    if isinstance(node, RowWindows):
        return waits_for_rows(node)
    if isinstance(node, OrderLimit):
        return node.scope == BOUNDED
    return isinstance(node, Aggregate) and node.waits_for_end
