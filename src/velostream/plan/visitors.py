"""All visitors of plans. A test asserts that each knows every node."""

from __future__ import annotations

from typing import Any

from velostream.plan.canonical import CANONICAL
from velostream.plan.explain.node_data import DATA
from velostream.plan.explain.node_text import TEXT
from velostream.plan.fingerprint import FINGERPRINT
from velostream.plan.lineage import LINEAGE
from velostream.plan.passes.prune_columns import PRUNE
from velostream.plan.passes.push_conditions import PUSH
from velostream.plan.visitor import Visitor

VISITORS: tuple[Visitor[Any], ...] = (TEXT, DATA, LINEAGE, CANONICAL, FINGERPRINT, PUSH, PRUNE)
