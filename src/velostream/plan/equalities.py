"""Equalities between two sides of a condition: what rows can be looked up by."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from velostream.plan.expression import Expression, parts_of
from velostream.plan.fields import Fields
from velostream.plan.nodes.join_table import KeyPair


def equalities(conditions: Sequence[Expression], left: Fields, right: Fields) -> tuple[list[KeyPair], list[Expression]]:
    """The parts that say that something of the left is equal to something of the right, and all other parts."""
    pairs: list[KeyPair] = []
    others: list[Expression] = []
    for part in (part for condition in conditions for part in parts_of(condition)):
        pair = _pair(part, left, right)
        if pair is None:
            others.append(part)
        else:
            pairs.append(pair)
    return pairs, others


def _pair(part: Expression, left: Fields, right: Fields) -> KeyPair | None:
    if not isinstance(part.tree, exp.EQ):
        return None
    one, other = (Expression(side, part.type, part.span) for side in (part.tree.this, part.tree.expression))
    for mine, theirs in ((one, other), (other, one)):
        if _reads_only(mine, left) and _reads_only(theirs, right):
            return KeyPair(mine, theirs)
    return None


def _reads_only(side: Expression, fields: Fields) -> bool:
    return bool(side.fields) and all(name in fields for name in side.fields)
