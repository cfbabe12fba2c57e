"""JoinTable: rows of a stream meet the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.errors import VeloError
from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.forms import form_of_rows
from velostream.plan.nodes.base import Node, needs_for_state
from velostream.plan.nodes.filter import MARK, REMOVE
from velostream.plan.nodes.table_scan import BROADCAST, TableScan
from velostream.validation.coercion import comparable

MISSING = ("skip_record", "emit_with_nulls", "use_defaults", "wait_and_retry", "fail_fast")
OUTER_TO_TABLE = ("RIGHT", "FULL")


@dataclass(frozen=True, slots=True)
class MissingData:
    """What becomes of a row that finds nothing in the table (SPEC D4). `defaults` are (field, constant) pairs."""

    strategy: str
    defaults: tuple[tuple[str, Expression], ...] = ()
    retries: int = 0
    delay: int = 0


@dataclass(frozen=True, slots=True)
class KeyPair:
    """An equality of ON: a side of the left input, a side of the right."""

    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


@dataclass(frozen=True)
class JoinTable(Node):
    """A join of a stream, or of a table, with a table on the right.

    `as_of` is the time whose version of the table is taken; None takes the newest. `misses` says whether rows without a
    match are removed or marked 'unmatched' for the router above.
    """

    left: Node
    right: Node
    kind: str
    keys: tuple[KeyPair, ...] = ()
    residual: tuple[Expression, ...] = ()
    missing: MissingData = MissingData("skip_record")
    as_of: Expression | None = None
    misses: str = REMOVE

    branches: ClassVar[tuple[str, ...]] = ("left", "right")

    def check(self) -> None:
        """Keys are of comparable types, each on its side; a stream is never the side that is filled with NULLs."""
        check_keys(self, self.left.fields, self.right.fields, self.keys)
        both = self.left.fields.plus(self.right.fields)
        for condition in self.residual:
            self.require_condition(both, condition)
        if not self.right.bounded:
            raise self.refuse("its right side is not a table")
        if self.kind in OUTER_TO_TABLE and not self.left.bounded:
            message = f"a {self.kind} join of a stream with a table would wait for the stream to end"
            raise self.refuse(message, "swap the sides and use LEFT")
        if self.missing.strategy not in MISSING:
            raise self.refuse(f"missing data strategy '{self.missing.strategy}' is not one of {', '.join(MISSING)}")
        for name, _ in self.missing.defaults:
            self.require_fields(self.right.fields, name)
        if self.misses not in (REMOVE, MARK):
            raise self.refuse(f"'{self.misses}' is not what can become of misses")
        if self.as_of is not None:
            self.require(self.left.fields, self.as_of)
        if self.waits:
            self._check_waiting()

    def _check_waiting(self) -> None:
        """Rows that wait are looked up outside of Spark, which is right only where both mean the same."""
        if self.left.bounded and self.left.static:
            message = "a join of two tables cannot wait: both are as they are"
            raise VeloError(message, hint="join them without wait_and_retry", code="join-unsupported")
        if self.as_of is not None and not self.meets_one:
            key = ", ".join(self.right.identity) or "a PRIMARY KEY"
            message = f"FOR SYSTEM_TIME AS OF finds versions of a row by its key: {key}"
            raise VeloError(message, hint="add it to ON", span=self.as_of.span, code="join-as-of")
        both = self.left.fields.plus(self.right.fields)
        for part in self.residual:
            if form_of_rows(part, both) is None:
                hint = "compare columns of one type: comparisons, AND, OR, NOT, IN, BETWEEN, IS NULL; the rest in WHERE"
                message = f"'{part}' cannot be asked while rows wait"
                raise VeloError(message, hint=hint, span=part.span, code="join-unsupported")

    @property
    def broadcast(self) -> bool | None:
        """True where the table is sent to every task, False where rows and table are spread by keys; None where that is
        not known before it is loaded."""
        sizes = [node.size for node in self.right.walk() if isinstance(node, TableScan)]
        if not self.keys or all(size is not None and size <= BROADCAST for size in sizes):
            return True
        return False if any(size is not None and size > BROADCAST for size in sizes) else None

    @property
    def meets_one(self) -> bool:
        """True where the keys of the join are the key of the table, so that a row meets one row at most."""
        met = {pair.right.name for pair in self.keys if pair.right.is_field}
        return bool(self.right.identity) and met.issuperset(self.right.identity)

    def derive(self) -> Fields:
        """Both sides' fields."""
        return self.left.fields.plus(self.right.fields)

    @property
    def status(self) -> str:
        """What a record without a match counts as where it is left out."""
        return "unmatched"

    @property
    def waits(self) -> bool:
        """True where rows are held in state: until the table's version is there, or to try again."""
        return self.as_of is not None or self.missing.strategy == "wait_and_retry"

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Keys, other conditions, the as-of time, defaults."""
        pairs = (side for pair in self.keys for side in (pair.left, pair.right))
        as_of = () if self.as_of is None else (self.as_of,)
        return (*pairs, *self.residual, *as_of, *(value for _, value in self.missing.defaults))

    @property
    def keeps_state(self) -> bool:
        """Where rows wait."""
        return self.waits and not self.static

    @property
    def needs(self) -> tuple[str, ...]:
        """Times and order of the rows that wait."""
        return needs_for_state(self.left) if self.keeps_state else ()

    @property
    def route(self) -> tuple[str, ...]:
        """Where rows wait, they wait by key."""
        return tuple(pair.left.name for pair in self.keys) if self.keeps_state else ()

    @property
    def identity(self) -> tuple[str, ...]:
        """The stream row's, and the table's key where one row meets several."""
        if not self.left.identity:
            return ()
        met = {pair.right.name for pair in self.keys if pair.right.is_field}
        return (*self.left.identity, *(name for name in self.right.identity if name not in met))

    @property
    def bounded(self) -> bool:
        """As the left side is."""
        return self.left.bounded

    @property
    def revises(self) -> bool:
        """As the left side does: a newer version of the table does not change rows that went out."""
        return self.left.revises


def check_keys(node: Node, left: Fields, right: Fields, keys: tuple[KeyPair, ...]) -> None:
    """Refuse join keys that read the wrong side or cannot be compared."""
    for pair in keys:
        node.require(left, pair.left)
        node.require(right, pair.right)
        if not comparable(pair.left.type, pair.right.type):
            message = f"join key '{pair}' compares {pair.left.type} with {pair.right.type}"
            raise node.refuse(message, "cast one side")
