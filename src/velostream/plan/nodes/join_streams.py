"""JoinStreams: rows of two streams meet within a bound of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.errors import VeloError
from velostream.plan.emission import NO_LATENESS, Lateness
from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.forms import Form
from velostream.plan.nodes.base import EVENT_TIME, Node, needs_for_state, revision_fields
from velostream.plan.nodes.join_table import KeyPair, check_keys
from velostream.plan.pair_forms import may_fail, pair_form
from velostream.types import TIMESTAMP

KINDS = ("INNER", "LEFT", "RIGHT", "FULL", "CROSS")
OUTER = ("LEFT", "RIGHT", "FULL")
JOINED_TIME = "_joined_time"
ASKED = "of both sides compute comparisons, + - * / %, LIKE, CASE, COALESCE, CONCAT, CAST of numbers and the like"
"""What the operator can ask of two rows."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """right − left lies in [lower, upper], in microseconds."""

    lower: int
    upper: int


@dataclass(frozen=True)
class JoinStreams(Node):
    """A join in the operator: both sides are routed by the key and held as long as a match may come.

    Rows are held by `bounds`, or by `ttl` (event time) where there are none. An outer row goes out when the other
    side's watermark has passed its bound.
    """

    left: Node
    right: Node
    kind: str
    left_time: str
    right_time: str
    keys: tuple[KeyPair, ...] = ()
    bounds: Bounds | None = None
    residual: tuple[Expression, ...] = ()
    ttl: int | None = None
    lateness: Lateness = NO_LATENESS

    branches: ClassVar[tuple[str, ...]] = ("left", "right")
    stateful: ClassVar[bool] = True

    def check(self) -> None:
        """Keys are comparable, times are there, state is bounded."""
        if self.kind not in KINDS:
            raise self.refuse(f"'{self.kind}' is not a kind of join")
        check_keys(self, self.left.fields, self.right.fields, self.keys)
        both = self.left.fields.plus(self.right.fields)
        for condition in self.residual:
            self.require_condition(both, condition)
        self.require_fields(self.left.fields, self.left_time)
        self.require_fields(self.right.fields, self.right_time)
        if self.kind in OUTER and self.asked_after:
            odd = self.asked_after[0]
            hint = f"{ASKED}; or use an INNER JOIN"
            message = f"a {self.kind} JOIN cannot ask '{odd}' before it knows that a row stays alone"
            raise VeloError(message, hint=hint, span=odd.span, code="join-unsupported")
        if self.bounds is None and self.ttl is None and not self.bounded:
            raise self.refuse("its state has no bound", "add a BETWEEN on event time, WITHIN, or state.ttl")
        if self.bounds is not None and self.bounds.lower > self.bounds.upper:
            raise self.refuse("the lower bound lies above the upper one")

    def derive(self) -> Fields:
        """Both sides' fields, and what tells corrections where a side is corrected."""
        added = revision_fields(self.left, self.right) if self.revises else ()
        time = (Field(self.time, TIMESTAMP, system=True),) if self.time != self.left_time else ()
        return self.left.fields.plus((*self.right.fields, *added, *time))

    def conditions_on(self, names: tuple[tuple[str, ...], tuple[str, ...]] | None = None) -> tuple[Form, ...]:
        """The other conditions of ON as the operator computes them, over columns that are called so on each side;
        without those that are for Spark alone."""
        both = self.left.fields.plus(self.right.fields)
        called = both.names if names is None else (*names[0], *names[1])
        known: dict[str, Form] = {field: ("column", name) for field, name in zip(both.names, called, strict=True)}
        return tuple(form for part in self.residual if (form := pair_form(part, both, known)) is not None)

    @property
    def asked_after(self) -> tuple[Expression, ...]:
        """The conditions that only Spark can ask, after the join: records count as met whatever they say."""
        both = self.left.fields.plus(self.right.fields)
        return tuple(part for part in self.residual if pair_form(part, both, {}) is None)

    @property
    def uncertain(self) -> tuple[Expression, ...]:
        """The conditions of which Spark says whether they hold: those that only it can ask, and those that the operator
        asks and that fail for some pairs, as a sum does that is too large."""
        both = self.left.fields.plus(self.right.fields)
        forms = [(part, pair_form(part, both, {})) for part in self.residual]
        return tuple(part for part, form in forms if form is None or may_fail(form))

    def may_lack(self, field: str) -> bool:
        """True where a row that stays alone has no value of a field."""
        return (self.kind in ("LEFT", "FULL") and field in self.right.fields) or (
            self.kind in ("RIGHT", "FULL") and field in self.left.fields
        )

    @property
    def watermark_delay(self) -> int:
        """How far the event time of its rows, which is the left side's, may lie behind its input's watermark."""
        held = self.ttl or 0
        return max(self.bounds.upper, 0) if self.bounds is not None else held

    @property
    def held(self) -> tuple[int | None, int | None]:
        """How long a left and a right row are held, in event time."""
        if self.bounds is None:
            return self.ttl, self.ttl
        return max(self.bounds.upper, 0), max(-self.bounds.lower, 0)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Keys and other conditions."""
        pairs = (side for pair in self.keys for side in (pair.left, pair.right))
        return (*pairs, *self.residual)

    @property
    def route(self) -> tuple[str, ...]:
        """The left side of the key; the right side's rows are routed by `right_route`."""
        return tuple(pair.left.name for pair in self.keys)

    @property
    def right_route(self) -> tuple[str, ...]:
        """The right side of the key."""
        return tuple(pair.right.name for pair in self.keys)

    @property
    def needs(self) -> tuple[str, ...]:
        """Both sides' times and identities."""
        times = (self.left_time, self.right_time)
        return tuple(dict.fromkeys((*times, *needs_for_state(self.left), *needs_for_state(self.right))))

    @property
    def identity(self) -> tuple[str, ...]:
        """Both rows'."""
        left, right = self.left.identity, self.right.identity
        return (*left, *right) if left and right else ()

    @property
    def time(self) -> str:
        """The left side's; where a row may lack that, a field of the join's own, which is the right side's then."""
        lacking = any(isinstance(node, JoinStreams) and node.may_lack(self.left_time) for node in self.left.walk())
        if self.kind not in ("RIGHT", "FULL") and not (lacking and self.left_time != self.left.time):
            return self.left_time
        return f"{self.right_time.removesuffix(EVENT_TIME)}{JOINED_TIME}"

    @property
    def position(self) -> tuple[str, ...]:
        """A row of two records is at neither's place."""
        return ()
