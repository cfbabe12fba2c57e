"""Joins: what kind each is, which equalities route it, and how far apart in time its rows may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.validation.bound import BoundExpression, BoundInput, TimeBounds
from velostream.validation.expressions.literals import interval_micros
from velostream.validation.window_times import Distance, times_of

if TYPE_CHECKING:
    from velostream.validation.scope import Scope

EVENT_TIME = "_event_time"


def conjuncts(tree: exp.Expr) -> list[exp.Expr]:
    """The parts that AND joins, without parentheses around them."""
    pending, parts = [tree], []
    while pending:
        node = pending.pop()
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.And):
            pending += [node.expression, node.this]
        else:
            parts.append(node)
    return parts


def sides(node: exp.Expr, right: set[str]) -> set[str]:
    """Which sides of a join an expression reads: 'left', 'right'."""
    found = set()
    for column in node.find_all(exp.Column):
        if not column.table:
            found.add("right" if column.name.split(".")[0] in right else "left")
    return found


def split_equality(node: exp.Expr, right: set[str]) -> tuple[exp.Expr, exp.Expr] | None:
    """The (left, right) sides of an equality between the inputs; None where it is none."""
    if not isinstance(node, exp.EQ):
        return None
    one, other = sides(node.this, right), sides(node.expression, right)
    if one == {"left"} and other == {"right"}:
        return node.this, node.expression
    if one == {"right"} and other == {"left"}:
        return node.expression, node.this
    return None


class BoundsFinder:
    """Finds `right − left` bounds between the event times of two inputs in the parts of ON, for each input on the left
    by itself: two of them may lie apart."""

    def __init__(self, right: set[str], times: Mapping[str, Distance]) -> None:
        self.right = right
        self.times = times
        self.least: dict[str, int] = {}
        self.most: dict[str, int] = {}

    def take(self, node: exp.Expr) -> str:
        """The input on the left whose distance in time the part bounds, and the bound is kept; empty where it bounds
        none."""
        if isinstance(node, exp.Between):
            return self._between(node)
        if isinstance(node, exp.EQ):
            return self._equal(node)
        pairs: dict[type[exp.Expr], str] = {exp.GTE: "least", exp.GT: "least", exp.LTE: "most", exp.LT: "most"}
        direction = pairs.get(type(node))
        distance = None if direction is None else self._distance(node.this, node.expression)
        if direction is None or distance is None or not distance.is_exact:
            return ""
        strict = 1 if isinstance(node, (exp.GT, exp.LT)) else 0
        return self._keep(direction, distance, strict)

    def _equal(self, node: exp.EQ) -> str:
        """Equal bounds of two windows: their rows lie as far apart as their event times do from these."""
        distance = self._distance(node.this, node.expression)
        if distance is None:
            return ""
        self._keep("least", distance, 0)
        return self._keep("most", replace(distance, offset=distance.most), 0)

    def _between(self, node: exp.Between) -> str:
        low = self._distance(node.this, node.args["low"])
        high = self._distance(node.this, node.args["high"])
        if low is None or high is None or low.left != high.left or not (low.is_exact and high.is_exact):
            return ""
        self._keep("least", low, 0)
        return self._keep("most", high, 0)

    def _keep(self, direction: str, distance: _Distance, strict: int) -> str:
        """`subject >= other + offset` where subject is the right side bounds right − left from below, and so on."""
        offset, left = distance.offset, distance.left
        if not distance.from_right:
            direction, offset = ("most" if direction == "least" else "least"), -offset
        if direction == "least":
            self.least[left] = max(self.least.get(left, offset + strict), offset + strict)
        else:
            self.most[left] = min(self.most.get(left, offset - strict), offset - strict)
        return left

    def _distance(self, subject: exp.Expr, other: exp.Expr) -> _Distance | None:
        """How far subject is from the other side's time; None where they are not times of two sides."""
        one, two = self._time(subject), self._time(other)
        if one is None or two is None or (one[0] in self.right) == (two[0] in self.right):
            return None
        from_right = one[0] in self.right
        return _Distance(two[0] if from_right else one[0], two[1] - one[2], two[2] - one[1], from_right)

    def _time(self, node: exp.Expr) -> tuple[str, int, int] | None:
        """(input, least and most that it lies from its event time, in microseconds) of a time plus or minus an
        interval."""
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, (exp.Add, exp.Sub)):
            base, shift = self._time(node.this), interval_micros(node.expression)
            if base is None or shift is None:
                return None
            shift = shift if isinstance(node, exp.Add) else -shift
            return base[0], base[1] + shift, base[2] + shift
        if isinstance(node, exp.Column) and node.name in self.times:
            least, most = self.times[node.name]
            return node.name.split(".")[0], -most, -least
        return None

    def bounded(self, own: str) -> str:
        """The input on the left that is bounded to both sides, `own` before any other; empty where there is none, since
        state would grow without end."""
        both = [left for left in self.least if left in self.most]
        return own if own in both else next(iter(both), "")

    def bounds(self, left: str, within: TimeBounds | None = None) -> TimeBounds:
        """How far the right side may be from an input on the left, which `within` may bound already."""
        least = [self.least[left]] if left in self.least else []
        most = [self.most[left]] if left in self.most else []
        if within is not None:
            least, most = [*least, within.lower], [*most, within.upper]
        return TimeBounds(max(least), min(most))


@dataclass(frozen=True, slots=True)
class _Distance:
    """`subject = other + offset` between an input on the left and the right side, which is the subject or the other;
    the offset may be anything up to `most`."""

    left: str
    offset: int
    most: int
    from_right: bool

    @property
    def is_exact(self) -> bool:
        """True where it is one length."""
        return self.offset == self.most


def event_time_fields(scope: Scope, event_times: dict[str, str], members: list[BoundInput]) -> dict[str, Distance]:
    """The fields that are event times or lie a known way from them: the system column, the column that an input's event
    time is read from, the bounds of a window."""
    fields = {f"{member.alias}.{EVENT_TIME}": (0, 0) for member in scope.inputs}
    fields |= {f"{alias}.{column}": (0, 0) for alias, column in event_times.items() if column}
    near = {f"{member.alias}.{name}": far for member in members for name, far in times_of(member).items()}
    return near | fields


def expression(node: exp.Expr, whole: BoundExpression) -> BoundExpression:
    """A part of a bound condition as one of its own."""
    from velostream.sql.spans import span_of
    from velostream.types import UNKNOWN

    return BoundExpression(node, UNKNOWN if not isinstance(node, exp.Predicate) else whole.type, span_of(node))
