"""Changes of rows on their way from their source to the node that keeps the newest of each key."""

from __future__ import annotations

from velostream.plan.nodes.base import Node
from velostream.plan.nodes.scan import Scan


def changes_of(node: Node) -> Scan | None:
    """The stream of changes whose records a node gives as they came, at most with what tables say of them; None where
    they are rows already that know what they were before, or no changes at all."""
    while not isinstance(node, Scan) and not node.keeps_state and node.children:
        node = node.children[0]
    return node if isinstance(node, Scan) and node.changelog else None
