"""Joins: what kind each is, which equalities route it, and how far apart in time its rows may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.sql.nodes import Duration
from velostream.validation.bound import BoundExpression, TimeBounds

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
    """Finds `right − left` bounds between the event times of two inputs in the parts of ON."""

    def __init__(self, right: set[str], times: set[str]) -> None:
        self.right = right
        self.times = times
        self.lower: int | None = None
        self.upper: int | None = None

    def take(self, node: exp.Expr) -> bool:
        """True where the part bounds the distance in time; the bound is kept."""
        if isinstance(node, exp.Between):
            low = self._distance(node.this, node.args["low"])
            high = self._distance(node.this, node.args["high"])
            return self._between(node, low, high)
        pairs: dict[type[exp.Expr], str] = {exp.GTE: "least", exp.GT: "least", exp.LTE: "most", exp.LT: "most"}
        direction = pairs.get(type(node))
        if direction is None:
            return False
        distance = self._distance(node.this, node.expression)
        if distance is None:
            return False
        strict = 1 if isinstance(node, (exp.GT, exp.LT)) else 0
        offset, subject_is_right = distance
        self._keep(direction, offset, strict, subject_is_right=subject_is_right)
        return True

    def _between(self, node: exp.Expr, low: tuple[int, bool] | None, high: tuple[int, bool] | None) -> bool:
        if low is None or high is None:
            return False
        self._keep("least", low[0], 0, subject_is_right=low[1])
        self._keep("most", high[0], 0, subject_is_right=high[1])
        return True

    def _keep(self, direction: str, offset: int, strict: int, *, subject_is_right: bool) -> None:
        """`subject >= other + offset` where subject is the right side bounds right − left from below, and so on."""
        if not subject_is_right:
            direction, offset = ("most" if direction == "least" else "least"), -offset
        if direction == "least":
            bound = offset + strict
            self.lower = bound if self.lower is None else max(self.lower, bound)
        else:
            bound = offset - strict
            self.upper = bound if self.upper is None else min(self.upper, bound)

    def _distance(self, subject: exp.Expr, other: exp.Expr) -> tuple[int, bool] | None:
        """(offset, subject is the right side) where subject is compared with the other side's time + offset."""
        one, two = self._time(subject), self._time(other)
        if one is None or two is None or one[0] == two[0]:
            return None
        return two[1] - one[1], one[0] == "right"

    def _time(self, node: exp.Expr) -> tuple[str, int] | None:
        """(side, offset in microseconds) of an event time plus or minus an interval."""
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, (exp.Add, exp.Sub)):
            base, shift = self._time(node.this), interval_micros(node.expression)
            if base is None or shift is None:
                return None
            return base[0], base[1] + (shift if isinstance(node, exp.Add) else -shift)
        if isinstance(node, exp.Column) and node.name in self.times:
            return ("right" if node.name.split(".")[0] in self.right else "left"), 0
        return None

    @property
    def bounds(self) -> TimeBounds | None:
        """Both bounds; None where one is missing, since state would grow without end."""
        if self.lower is None or self.upper is None:
            return None
        return TimeBounds(self.lower, self.upper)


def interval_micros(node: exp.Expr) -> int | None:
    """The length of a constant interval; None for anything else."""
    from velostream import durations
    from velostream.errors import VeloError

    if isinstance(node, exp.Paren):
        return interval_micros(node.this)
    if isinstance(node, Duration):
        return node.micros
    if isinstance(node, exp.Neg):
        inner = interval_micros(node.this)
        return None if inner is None else -inner
    if not isinstance(node, exp.Interval) or not isinstance(node.this, exp.Literal):
        return None
    unit = node.args.get("unit")
    length = node.this.name.strip()
    try:
        micros = durations.parse(f"{length.removeprefix('-')} {unit.name if unit is not None else ''}".strip())
    except VeloError:
        return None
    return -micros if length.startswith("-") else micros


def event_time_fields(scope: Scope, event_times: dict[str, str]) -> set[str]:
    """The fields that are event times: the system column, and the column that an input's event time is read from."""
    fields = {f"{member.alias}.{EVENT_TIME}" for member in scope.inputs}
    return fields | {f"{alias}.{column}" for alias, column in event_times.items() if column}


def expression(node: exp.Expr, whole: BoundExpression) -> BoundExpression:
    """A part of a bound condition as one of its own."""
    from velostream.sql.spans import span_of
    from velostream.types import UNKNOWN

    return BoundExpression(node, UNKNOWN if not isinstance(node, exp.Predicate) else whole.type, span_of(node))
