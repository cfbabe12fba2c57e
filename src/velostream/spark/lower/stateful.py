"""Which stateful node is lowered by whom: one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import Aggregate, JoinStreams, Node
from velostream.spark.lower.aggregate import lower_aggregate
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.join_streams import lower_join_streams
from velostream.spark.lower.stage import Stage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LOWERED: dict[type[Node], Callable[..., Stage]] = {Aggregate: lower_aggregate, JoinStreams: lower_join_streams}
"""By node: a function of the node, the stream of its rows, the lowering, and `keeps_previous`."""


def lower_stateful(node: Any, frames: list[DataFrame], lowering: Lowering, *, keeps_previous: bool) -> Stage:
    """A stateful node over the streams of its inputs."""
    rule = LOWERED.get(type(node))
    if rule is None:
        raise lowering.refuse(node)
    return rule(node, *frames, lowering, keeps_previous=keeps_previous)
