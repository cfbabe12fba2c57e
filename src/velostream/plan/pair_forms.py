"""Conditions over two rows as the operator of a join computes them: like plan.forms, with arithmetic and functions.

What fails in Spark, a sum that is too large or a division by zero, is known here too: of such a pair Spark is asked
after the join, and says what it is. Random tests prove both equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from velostream.plan import pair_calls, pair_numbers
from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.forms import COMPARED, TRUTH, Form
from velostream.plan.pair_values import Value, alike, literal, read
from velostream.sql.nodes import Duration
from velostream.types import parse
from velostream.validation.expressions.literals import interval_micros

_COMPARED = COMPARED | {exp.NullSafeEQ: "same"}
_PATTERNS = (exp.Like, exp.ILike)
_MAY_FAIL = ("whole", "whole abs", "whole as", "/", "%", "div", "double %", "decimal /")


def pair_form(expression: Expression, fields: Fields, known: Mapping[str, Form]) -> Form | None:
    """The condition as data, with fields replaced by what they stand for; None where it may differ."""
    made = _Pairs(fields, known).value(expression.tree)
    return made.form if made is not None and made.family == "truth" else None


def may_fail(form: Form) -> bool:
    """True where Spark may have to be asked what a pair is."""
    if form[0] in _MAY_FAIL or (form[0] == "like" and form[3][0] != "value"):
        return True
    return any(isinstance(part, tuple) and may_fail(part) for part in form[1:])


class _Pairs:
    """What each part of a condition is."""

    def __init__(self, fields: Fields, known: Mapping[str, Form]) -> None:
        self.fields = fields
        self.known = known

    def value(self, node: exp.Expr) -> Value | None:
        """A part as data; None where only Spark knows."""
        special = next((made for kinds, made in self._special() if isinstance(node, kinds)), None)
        if special is not None:
            return special(node)
        make = next((made for kinds, made in _MAKERS if isinstance(node, kinds)), None)
        parts = None if make is None else self._values(_parts(node))
        return make(node, parts) if make is not None and parts else None

    def _values(self, nodes: list[exp.Expr]) -> list[Value] | None:
        """What each of them is; None where one of them only Spark knows."""
        parts = [self.value(node) for node in nodes]
        found = [part for part in parts if part is not None]
        return found if len(found) == len(parts) else None

    def _special(self) -> tuple[tuple[tuple[type[exp.Expr], ...], Callable[..., Value | None]], ...]:
        """Those that are more than a word between values."""
        return (
            ((exp.Paren,), lambda node: self.value(node.this)),
            ((exp.Column,), self._column),
            ((exp.Literal,), literal),
            ((exp.Boolean,), lambda node: Value(("value", bool(node.this)), "truth")),
            ((exp.Interval, Duration), _span),
            ((exp.Cast,), self._cast),
            ((exp.Case,), self._case),
            (_PATTERNS, self._like),
            ((exp.Escape,), self._escaped),
        )

    def _column(self, node: exp.Column) -> Value | None:
        name = node.name
        return None if node.table else read(self.known.get(name, ("column", name)), self.fields.of(name).type)

    def _cast(self, node: exp.Cast) -> Value | None:
        value = None if isinstance(node, exp.TryCast) else self.value(node.this)
        return None if value is None else pair_calls.cast(value, parse(node.args["to"].sql(dialect="spark")))

    def _case(self, node: exp.Case) -> Value | None:
        ifs = node.args["ifs"]
        conditions = self._values([_equal(node.this, one.this) if node.this else one.this for one in ifs])
        default = node.args.get("default")
        values = self._values([*(one.args["true"] for one in ifs), *([default] if default is not None else [])])
        return None if conditions is None or values is None else pair_calls.chosen(conditions, values)

    def _like(self, node: exp.Expr, escape: str = "\\") -> Value | None:
        parts = self._values([node.this, node.expression])
        if parts is None:
            return None
        negated = bool(node.args.get("negate"))
        return pair_calls.like(parts[0], parts[1], escape, folded=isinstance(node, exp.ILike), negated=negated)

    def _escaped(self, node: exp.Escape) -> Value | None:
        return self._like(node.this, escape=node.expression.name) if isinstance(node.this, exp.Like) else None


def _equal(one: exp.Expr, other: exp.Expr) -> exp.EQ:
    return exp.EQ(this=one.copy(), expression=other.copy())


def _parts(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Is):
        return [node.this] if isinstance(node.expression, exp.Null) else []
    if isinstance(node, exp.In):
        return [] if node.args.get("query") or node.args.get("unnest") else [node.this, *node.expressions]
    return list(node.iter_expressions())


def _span(node: exp.Expr) -> Value | None:
    micros = interval_micros(node)
    return None if micros is None else Value(("long", micros), "span")


def _truth(node: exp.Expr, parts: list[Value]) -> Value | None:
    fits = all(part.family == "truth" for part in parts)
    return Value((TRUTH[type(node)], *(part.form for part in parts)), "truth") if fits else None


def _not(node: exp.Expr, parts: list[Value]) -> Value | None:
    return Value(("not", parts[0].form), "truth") if parts[0].family == "truth" else None


def _null(node: exp.Expr, parts: list[Value]) -> Value | None:
    return Value(("null", parts[0].form), "truth")


def _asked(word: str, parts: list[Value]) -> Form | None:
    """A comparison of values in one type."""
    same = alike(parts)
    return None if same is None else (word, *(part.form for part in same))


def _compared(node: exp.Expr, parts: list[Value]) -> Value | None:
    form = _asked(_COMPARED[type(node)], parts)
    return None if form is None else Value(form, "truth")


def _distinct(node: exp.Expr, parts: list[Value]) -> Value | None:
    form = _asked("same", parts)
    return None if form is None else Value(("not", form), "truth")


def _between(node: exp.Expr, parts: list[Value]) -> Value | None:
    """Each bound is compared by itself, as Spark does."""
    low, high = _asked(">=", parts[:2]), _asked("<=", [parts[0], parts[2]])
    return None if low is None or high is None else Value(("and", low, high), "truth")


def _listed(node: exp.Expr, parts: list[Value]) -> Value | None:
    form = _asked("in", parts)
    return None if form is None else Value(form, "truth")


_MAKERS: tuple[tuple[tuple[type[exp.Expr], ...], Callable[[exp.Expr, list[Value]], Value | None]], ...] = (
    (tuple(TRUTH), _truth),
    ((exp.Not,), _not),
    ((exp.Is,), _null),
    (tuple(_COMPARED), _compared),
    ((exp.NullSafeNEQ,), _distinct),
    ((exp.Between,), _between),
    ((exp.In,), _listed),
    (pair_numbers.COMPUTED, pair_numbers.computed),
    ((exp.Neg,), pair_numbers.negative),
    ((exp.Anonymous,), pair_calls.call),
    ((exp.DPipe,), pair_calls.concatenated),
)
