"""Aggregate calls of a bound tree as calls of the plan: accumulator, arguments, constants, order, filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from velostream.plan.build.trees import unwrapped
from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.nodes import AggregateCall, Order
from velostream.sql.spans import span_of

if TYPE_CHECKING:
    from velostream.functions.base import Function
    from velostream.functions.library import Library


def aggregate_call(term: exp.Expr, fields: Fields, library: Library) -> AggregateCall:
    """The call that `term` is, with FILTER, WITHIN GROUP and IGNORE NULLS around it."""
    call = unwrapped(term)
    function = library.find(str(call.this))
    assert function is not None
    whole = typed(term, fields, library)
    parts = CallParts.of(term, fields, library)
    return AggregateCall(
        name=whole.name,
        function=function.name,
        accumulator=function.accumulator or function.name.casefold(),
        type=whole.type,
        arguments=parts.arguments,
        parameters=parts.parameters,
        distinct=parts.distinct,
        ignore_nulls=parts.ignore_nulls,
        order=parts.order,
        where=parts.where,
        merges=function.merges,
        span=span_of(term),
    )


class CallParts:
    """What stands inside and around a call."""

    def __init__(self) -> None:
        self.arguments: tuple[Expression, ...] = ()
        self.parameters: tuple[Any, ...] = ()
        self.order: tuple[Order, ...] = ()
        self.where: Expression | None = None
        self.distinct = False
        self.ignore_nulls = False

    @classmethod
    def of(cls, term: exp.Expr, fields: Fields, library: Library) -> CallParts:
        """The parts of a call over these fields."""
        parts = cls()
        while not isinstance(term, exp.Anonymous):
            if isinstance(term, exp.Filter):
                parts.where = typed(term.expression.this, fields, library)
            elif isinstance(term, exp.WithinGroup):
                parts.order = orders(term.expression, fields, library)
            elif isinstance(term, exp.IgnoreNulls):
                parts.ignore_nulls = True
            term = term.this
        parts._take(term, fields, library)
        return parts

    def _take(self, call: exp.Anonymous, fields: Fields, library: Library) -> None:
        arguments: list[exp.Expr] = []
        constants: list[Any] = []
        within = bool(self.order)
        marks = _constant_places(library.find(str(call.this)), within=within)
        for place, value in enumerate(call.expressions):
            if isinstance(value, exp.Distinct):
                self.distinct = True
                arguments += value.expressions
            elif place in marks and is_constant(value):
                if marks[place] == "ignore_nulls":
                    self.ignore_nulls = bool(constant(value))
                else:
                    constants.append(constant(value))
            elif not isinstance(value, exp.Star) and not _counts_rows(value):
                arguments.append(value)
        self.arguments = tuple(typed(argument, fields, library) for argument in arguments)
        self.parameters = tuple(constants)
        if within and not arguments:
            self.arguments = tuple(term.expression for term in self.order)
            self.order = self.order if any(term.descending for term in self.order) else ()


def orders(clause: exp.Expr, fields: Fields, library: Library) -> tuple[Order, ...]:
    """The terms of an ORDER BY."""
    found = []
    for term in clause.expressions:
        tree = term.this if isinstance(term, exp.Ordered) else term
        descending = bool(term.args.get("desc"))
        first = term.args.get("nulls_first")
        found.append(Order(typed(tree, fields, library), descending, not descending if first is None else bool(first)))
    return tuple(found)


def is_constant(node: exp.Expr) -> bool:
    """True for a literal, also below zero, and for arrays of them."""
    if isinstance(node, exp.Array) or (isinstance(node, exp.Anonymous) and str(node.this).upper() == "ARRAY"):
        return all(is_constant(each) for each in node.expressions)
    if isinstance(node, exp.Neg | exp.Paren):
        return is_constant(node.this)
    return isinstance(node, exp.Literal | exp.Boolean)


def constant(node: exp.Expr) -> Any:
    """The value of a literal."""
    if isinstance(node, exp.Array | exp.Anonymous):
        return tuple(constant(each) for each in node.expressions)
    if isinstance(node, exp.Paren):
        return constant(node.this)
    if isinstance(node, exp.Neg):
        return -constant(node.this)
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    text = str(node.this)
    if node.args.get("is_string"):
        return text
    return int(text) if text.isdecimal() else float(text)


def _constant_places(function: Function | None, *, within: bool) -> dict[int, str]:
    """The places of arguments that are constants, with their names; before WITHIN GROUP the first one is."""
    if function is None:
        return {}
    places: dict[int, str] = {}
    for parameters in function.parameter_lists:
        for place, parameter in enumerate(parameters):
            if parameter.constant:
                places.setdefault(place, parameter.name)
    return {0: "", **places} if within and function.accumulator != "string_agg" else places


def _counts_rows(node: exp.Expr) -> bool:
    """COUNT(1) counts rows as COUNT(*) does."""
    call = node.parent
    counts = isinstance(call, exp.Anonymous) and str(call.this).upper() == "COUNT"
    return counts and isinstance(node, exp.Literal)
