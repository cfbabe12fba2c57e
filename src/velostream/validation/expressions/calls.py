"""Function calls: the function is found, its arguments are counted and typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.positions import Span
from velostream.registry import did_you_mean
from velostream.types import BOOLEAN, INT, NULL, STRING, UNKNOWN, Type, decimal, struct
from velostream.validation.expressions import window_bounds
from velostream.validation.scope import Found

if TYPE_CHECKING:
    from velostream.functions.base import Function
    from velostream.validation.expressions.binder import ExpressionBinder

_UNITS = (
    *("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "DAYOFYEAR", "WEEK", "MONTH", "QUARTER", "YEAR"),
)
_FIELDS = (
    *("YEAR", "Y", "YEARS", "YR", "YRS", "YEAROFWEEK", "QUARTER", "QTR", "MONTH", "MON", "MONS", "MONTHS"),
    *("WEEK", "W", "WEEKS", "DAY", "D", "DAYS", "DAYOFWEEK", "DOW", "DAYOFWEEK_ISO", "DOW_ISO", "DOY"),
    *("HOUR", "H", "HOURS", "HR", "HRS", "MINUTE", "M", "MIN", "MINS", "MINUTES"),
    *("SECOND", "S", "SEC", "SECONDS", "SECS"),
)
_SHARES = ("percentile_cont", "percentile_disc", "approx_percentile")
_WITH_UNIT = ("DATEDIFF", "DATE_DIFF", "TIMESTAMPDIFF", "DATEADD", "DATE_ADD", "TIMESTAMPADD", "TIMEDIFF")
_ORDERED_SETS = ("PERCENTILE_CONT", "PERCENTILE_DISC")
_SPECIAL_TYPES: dict[type, Type] = {exp.Extract: INT, exp.Trim: STRING, exp.Overlay: STRING, exp.StrPosition: INT}


def call(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`NAME(arguments)`."""
    from velostream.functions.base import FunctionKind
    from velostream.functions.check import check, lambda_places

    name = str(node.this)
    function = binder.library.find(name)
    if function is None:
        hint = (
            did_you_mean(name, binder.library.names())
            or "velo functions lists all; a Python function can be registered"
        )
        binder.findings.error("unknown-function", f"there is no function '{name}'", name_span(binder, node), hint=hint)
        binder.visit_all(node.expressions)
        return UNKNOWN
    _unit_words(node, function.name)
    if function.name in window_bounds.FUNCTIONS:
        return window_bounds.bind(binder, node, function.name)
    if function.name == "STRUCT":
        return _struct(binder, node)
    if function.name == "PROCTIME":
        return _processing_time(binder, node)
    aggregate = function.kind is FunctionKind.AGGREGATE
    _refuse_distinct(binder, node, aggregate=aggregate)
    kinds = tuple(binder.visit_rows(node.expressions) if aggregate else _arguments(binder, node.expressions))
    problem = check(function, kinds)
    if problem is not None:
        place = node.expressions[problem.argument] if problem.argument is not None else node
        binder.refuse(problem.code, problem.message, place, problem.hint)
        return UNKNOWN
    lambdas = lambda_places(function, len(kinds))
    for index, argument in enumerate(node.expressions):
        if isinstance(argument, exp.Lambda) is not (index in lambdas):
            message = f"{function.name} takes {'a' if index in lambdas else 'no'} lambda here"
            binder.refuse("type-mismatch", message, argument, f"{function.signature}; {function.example}")
            return UNKNOWN
    _refuse_variables(binder, node, function)
    _refuse_shares(binder, node, function)
    if function.refused:
        binder.refuse("unsupported", f"{function.name} cannot run on a stream: {function.refused}", node)
    return function.result_type(kinds, tuple(_literal(argument) for argument in node.expressions))


def _arguments(binder: ExpressionBinder, nodes: list[exp.Expr]) -> list[Type]:
    """The types of the arguments; a lambda's variables have those of the elements before it."""
    kinds: list[Type] = []
    for node in nodes:
        if isinstance(node, exp.Lambda):
            kinds.append(lambda_function(binder, node, _elements(kinds)))
        else:
            kinds.append(binder.visit(node))
    return kinds


def _elements(kinds: list[Type]) -> list[Type]:
    arrays = [kind.arguments[0] for kind in kinds if kind.name == "ARRAY"]
    if kinds and kinds[0].name == "MAP":
        return list(kinds[0].arguments)
    return arrays if len(arrays) > 1 else [*arrays, INT] if len(kinds) == 1 else []


def _refuse_shares(binder: ExpressionBinder, node: exp.Expr, function: Function) -> None:
    """A percentage is a share: 0.95, not 95."""
    if function.accumulator not in _SHARES or not node.expressions:
        return
    share = node.expressions[min(1, len(node.expressions) - 1)]
    if isinstance(node.parent, exp.WithinGroup):
        share = node.expressions[0]
    if isinstance(share, exp.Literal) and not share.is_string and not 0 <= float(share.name) <= 1:
        message = f"{function.name} takes a share between 0 and 1, not {share.name}"
        binder.refuse("wrong-arguments", message, share, f"write {float(share.name) / 100:g} for {share.name} %")


def _struct(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """STRUCT(a, b + 1 AS c): the fields have the names of columns and aliases, whatever Spark calls them on the way."""
    fields: list[tuple[str, Type]] = []
    parts: list[exp.Expr] = []
    for index, argument in enumerate(list(node.expressions), start=1):
        inner = argument.this if isinstance(argument, exp.Alias) else argument
        named = isinstance(argument, exp.Alias) or isinstance(inner, (exp.Column, exp.Dot))
        name = argument.alias if isinstance(argument, exp.Alias) else inner.name if named else f"col{index}"
        if isinstance(inner, exp.Dot):
            name = argument.alias or inner.expression.name
        fields.append((name, binder.visit(inner)))
        current = node.expressions[index - 1]
        parts += [exp.Literal.string(name), (current.this if isinstance(current, exp.Alias) else current).copy()]
    if parts:
        binder.replace(node, exp.Anonymous(this="NAMED_STRUCT", expressions=parts))
    return struct(*fields)


def _refuse_variables(binder: ExpressionBinder, node: exp.Expr, function: Function) -> None:
    """Arguments that must be the same for all rows are constants."""
    from velostream.functions.check import admits, parameter_of

    count = len(node.expressions)
    if function.name in _ORDERED_SETS and count == 1 and not isinstance(node.parent, exp.WithinGroup):
        hint = f"{function.name}(0.5) WITHIN GROUP (ORDER BY x)"
        binder.refuse("wrong-arguments", f"{function.name} does not say what it orders", node, hint)
        return
    parameters = next((each for each in function.parameter_lists if admits(each, count)), ())
    for index, argument in enumerate(node.expressions if parameters else []):
        parameter = parameter_of(parameters, index, count)
        if parameter.constant and argument.find(exp.Column) is not None:
            message = f"'{parameter.name}' of {function.name} must be a constant"
            binder.refuse("wrong-arguments", message, argument, function.signature)


def _refuse_distinct(binder: ExpressionBinder, node: exp.Expr, *, aggregate: bool) -> None:
    first = node.expressions[0] if node.expressions else None
    if isinstance(first, exp.Distinct) and not aggregate:
        message = f"DISTINCT belongs to aggregates, and {str(node.this).upper()} is none"
        binder.refuse("aggregate-not-allowed", message, first, "remove it")


def _unit_words(node: exp.Expr, name: str) -> None:
    """`DATEDIFF(HOUR, a, b)`: the unit is a word and no column."""
    first = node.expressions[0] if node.expressions else None
    is_word = isinstance(first, exp.Column) and len(first.parts) == 1 and first.name.upper() in _UNITS
    if name in _WITH_UNIT and len(node.expressions) == 3 and is_word:
        assert first is not None
        word = exp.Var(this=first.name.upper())
        word.meta.update(first.meta)
        first.replace(word)


def _literal(node: exp.Expr) -> object:
    """The value of an argument that is a literal; some result types depend on it."""
    if isinstance(node, exp.Literal):
        return node.name if node.is_string or not node.name.isdecimal() else int(node.name)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and node.this.name.isdecimal():
        return -int(node.this.name)
    return None


def name_span(binder: ExpressionBinder, node: exp.Expr) -> Span:
    """Where the name of a call stands, without its arguments."""
    whole = binder.span(node)
    length = len(str(node.this))
    return Span(whole.start, whole.start + length, whole.line, whole.column, whole.line, whole.column + length)


def _processing_time(binder: ExpressionBinder, node: exp.Expr) -> Type:
    from velostream.validation.expressions.access import field_node

    found = binder.scope.resolve("_processing_time")
    if not isinstance(found, Found):
        binder.refuse(found.code, "PROCTIME() needs a stream", node, found.hint)
        return UNKNOWN
    new = field_node(found)
    new.meta["system_time"] = True
    binder.replace(node, new)
    return found.type


def special_form(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """A function with a syntax of its own: EXTRACT(year FROM ts), TRIM(BOTH x FROM y), SUBSTRING(a FROM b)."""
    assert isinstance(node, exp.Func)
    kinds = tuple(binder.visit(child) for child in list(node.iter_expressions()) if not isinstance(child, exp.Var))
    if isinstance(node, exp.Extract) and node.this.name.upper() not in _FIELDS:
        hint = did_you_mean(node.this.name, _FIELDS) or "use YEAR, MONTH, DAY, HOUR, MINUTE, SECOND"
        binder.refuse("type-mismatch", f"'{node.this.name}' is no part of a time", node, hint)
        return UNKNOWN
    if isinstance(node, exp.Extract) and node.this.name.upper() in ("SECOND", "SECONDS", "S", "SEC", "SECS"):
        return decimal(8, 6)
    if type(node) in _SPECIAL_TYPES:
        return _SPECIAL_TYPES[type(node)]
    function = binder.library.find(node.sql_name())
    if function is None:
        binder.refuse("unknown-function", f"there is no function '{node.sql_name()}'", node, "velo functions lists all")
        return UNKNOWN
    return function.result_type(kinds)


def filtered(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`agg(x) FILTER (WHERE condition)`."""
    from velostream.validation.grouping import is_aggregate_call

    inner = node.this.this if isinstance(node.this, exp.WithinGroup) else node.this
    if (
        isinstance(inner, exp.Anonymous)
        and binder.library.find(str(inner.this))
        and not is_aggregate_call(inner, binder.library)
    ):
        message = f"FILTER belongs to aggregates, and {str(inner.this).upper()} is none"
        binder.refuse("aggregate-not-allowed", message, node, "use CASE WHEN, or WHERE")
    condition = node.expression.this
    kind = binder.visit_rows([condition])[0]
    if kind not in (BOOLEAN, NULL, UNKNOWN):
        binder.refuse(
            "type-mismatch", f"FILTER needs a condition, but this is {kind}", condition, "compare it with something"
        )
    return binder.visit(node.this)


def within_group(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)`: the type is that of a call with x as the first argument."""
    ordered = [term.this for term in node.expression.expressions]
    kinds = binder.visit_rows(ordered)
    inner = node.this
    function = binder.library.find(str(inner.this)) if isinstance(inner, exp.Anonymous) else None
    if function is None:
        return binder.visit(inner)
    own = binder.visit_all(inner.expressions)
    if function.name in ("LISTAGG", "STRING_AGG"):
        return function.result_type(tuple(own))
    if function.name not in ("PERCENTILE_CONT", "PERCENTILE_DISC", "PERCENTILE", "MODE", "APPROX_PERCENTILE"):
        message = f"WITHIN GROUP belongs to PERCENTILE_CONT, PERCENTILE_DISC and LISTAGG, not to {function.name}"
        binder.refuse("aggregate-not-allowed", message, node, "remove it")
        return UNKNOWN
    numeric = function.name in ("PERCENTILE_CONT", "PERCENTILE_DISC", "MEDIAN")
    if numeric and kinds and kinds[0].is_known and not (kinds[0].is_numeric or kinds[0].name == "INTERVAL"):
        binder.refuse(
            "type-mismatch", f"{function.name} orders by a number, not {kinds[0]}", ordered[0], "cast it to DOUBLE"
        )
        return UNKNOWN
    return function.result_type((*kinds, *own))


def distinct(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`COUNT(DISTINCT x)`: the type of its first argument."""
    kinds = binder.visit_all(node.expressions)
    return kinds[0] if kinds else UNKNOWN


def ordered_argument(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`ARRAY_AGG(x ORDER BY y)`: the type of x."""
    for term in node.expressions:
        binder.visit(term.this)
    return binder.visit(node.this) if node.this is not None else UNKNOWN


def lambda_function(binder: ExpressionBinder, node: exp.Expr, kinds: list[Type] | None = None) -> Type:
    """`x -> x + 1`: its variables hide columns of the same name."""
    known = [*(kinds or []), *[UNKNOWN] * len(node.expressions)]
    names = [variable.name.casefold() for variable in node.expressions]
    binder.scope.locals.append(dict(zip(names, known, strict=False)))
    try:
        return binder.visit(node.this)
    finally:
        binder.scope.locals.pop()


def star(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`*` inside COUNT."""
    parent = node.parent
    if isinstance(parent, exp.Anonymous) and str(parent.this).upper() == "COUNT" and len(parent.expressions) == 1:
        return UNKNOWN
    binder.refuse("syntax", "'*' is not a value", node, "name the columns; COUNT(*) counts rows")
    return UNKNOWN
