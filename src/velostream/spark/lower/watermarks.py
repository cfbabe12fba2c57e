"""What a stateful node knows of time: the watermarks of the sources that it reads, and of the stateful nodes below."""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.distances import distance
from velostream.plan.emission import CHANGES
from velostream.plan.nodes import Aggregate, JoinStreams, Node, RowWindows, Scan
from velostream.spark.lower.context import Lowering
from velostream.spark.stateful.layout import source_of
from velostream.windows.watermark import Scope, Strategy, WatermarkSettings

BELOW = WatermarkSettings(idle_timeout=None)
"""Of a stateful node below: it says itself how far it has come, and speaks in every batch."""


def own_scans(node: Node) -> list[Scan]:
    """The sources whose records reach a node without another stateful node in between."""
    found: list[Scan] = []
    for child in node.children:
        if isinstance(child, Scan):
            found.append(child)
        elif not child.keeps_state and not child.static:
            found += own_scans(child)
    return found


def below(node: Node) -> list[Node]:
    """The stateful nodes whose rows reach a node without another one in between."""
    found: list[Node] = []
    for child in node.children:
        if child.keeps_state:
            found.append(child)
        elif not child.static:
            found += below(child)
    return found


def lateness_below(node: Node) -> int:
    """How long rows may still be corrected after the watermark has passed them."""
    kept = (each for each in node.walk() if isinstance(each, Aggregate | JoinStreams | RowWindows) and each is not node)
    read = (each.read_back.lateness for each in node.walk() if isinstance(each, Scan) and each.read_back is not None)
    return max((*(each.lateness.allowed for each in kept), *read), default=0)


def says_changes(node: Node) -> bool:
    """True where the rows of a window come with every change of it, not when it closes."""
    windows = (each for each in node.walk() if isinstance(each, Aggregate) and each.window is not None)
    nearest = next(windows, None)
    return nearest is not None and nearest.emission.mode == CHANGES


def watermark_settings(node: Node, lowering: Lowering) -> WatermarkSettings:
    """How the watermark of a stateful node comes about; each source goes by its own settings."""
    scans, behind = own_scans(node), _behind(node, lowering)
    if not scans:
        return replace(BELOW, sources=behind)
    sources = {lowering.label(scan): _settings(scan) for scan in scans}
    first = next(iter(sources.values()))
    if any(scan.event_time.semantics == "processing" for scan in scans):
        return WatermarkSettings(strategy=Strategy.PROCESSING, idle_timeout=None)
    sources |= behind
    periodic = [one for one in sources.values() if one.strategy is Strategy.PERIODIC]
    strategy = Strategy.PERIODIC if periodic else Strategy.BOUNDED
    interval = max((one.emit_interval for one in periodic), default=first.emit_interval)
    return WatermarkSettings(strategy=strategy, idle_timeout=None, emit_interval=interval, sources=sources)


def _behind(node: Node, lowering: Lowering) -> dict[str, WatermarkSettings]:
    """How far rows of the node below may lie behind its watermark, where a join goes by another time than theirs."""
    if not isinstance(node, JoinStreams) or node.left_time == node.left.time:
        return {}
    stages = [node.left] if node.left.keeps_state else below(node.left)
    settings = replace(BELOW, max_out_of_orderness=-distance(node.left, node.left_time)[0])
    return {source_of(lowering.stage_of(each)): settings for each in stages}


def _settings(scan: Scan) -> WatermarkSettings:
    spec = scan.watermark
    return WatermarkSettings(
        spec.out_of_orderness,
        strategy=Strategy(spec.strategy),
        scope=Scope(spec.scope),
        idle_timeout=spec.idle_timeout,
        emit_interval=spec.emit_interval,
    )


def known_partitions(node: Node, buckets: tuple[int, ...], lowering: Lowering) -> dict[str, int]:
    """How many partitions each source has, where that is known; of a stateful node below, its buckets."""
    counted = (scan for scan in own_scans(node) if scan.connector != "kafka_source")  # Kafka itself says them by name
    given = {lowering.label(scan): scan.watermark.partitions for scan in counted}
    known = {label: number for label, number in given.items() if number is not None}
    return known | {source_of(lowering.stage_of(each)): len(buckets) for each in below(node)}
