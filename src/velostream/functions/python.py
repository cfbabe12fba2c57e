"""How users write functions in Python: a decorator makes one of a plain function or class.

    from velostream.functions.python import aggregate, scalar, table, vectorised

    @scalar("DECIMAL(12,2)")
    def net(gross: Decimal, rate: Decimal) -> Decimal:
        '''The price without tax.'''
        return gross / (1 + rate)

    @vectorised("DOUBLE", signature="NORM(value: number)")
    def norm(values):                 # a pyarrow array, and one of the same length back
        ...

    @aggregate("DOUBLE")
    class Harmonic:                   # an object is the state of a group; without arguments it is empty
        def add(self, value): ...     # a row
        def merge(self, other): ...   # another state of the same group
        def finish(self): ...         # the result

    @table("word STRING, place INT")
    def words(text):                  # yields a tuple per row
        ...

The name in SQL is that in Python, in any letter case, and the parameters are those in Python, their shapes told by the
annotations; `signature` says both in the notation of `family.py`. What is decorated stays callable.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, get_origin, get_type_hints

from velostream.errors import InvalidFunction
from velostream.functions.base import Function, FunctionKind, Parameter, Shape
from velostream.functions.family import parse_signature
from velostream.functions.implementation import Form, Implementation
from velostream.functions.schemas import spelled
from velostream.types import Type, parse

FAMILY = "python"
ACCUMULATOR = "python"
"""The accumulator that runs aggregates written in Python."""

_VERBS = ("add", "merge", "finish")
_SHAPES = {
    "bool": Shape.BOOLEAN,
    "int": Shape.INTEGER,
    "float": Shape.NUMBER,
    "Decimal": Shape.NUMBER,
    "str": Shape.STRING,
    "bytes": Shape.BINARY,
    "date": Shape.DATE,
    "datetime": Shape.TIME,
    "timedelta": Shape.INTERVAL,
    "list": Shape.ARRAY,
    "dict": Shape.MAP,
}


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """What a decorator leaves in place of the function: its declaration, and still the function."""

    function: Function
    run: Callable[..., Any]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The function itself."""
        return self.run(*arguments, **named)

    def found_in(self, origin: str) -> Function:
        """The declaration, with the place where it was found."""
        implementation = self.function.implementation
        assert implementation is not None
        return replace(self.function, implementation=replace(implementation, origin=origin))


Decorator = Callable[[Callable[..., Any]], PythonFunction]


def scalar(
    returns: str, *, signature: str = "", deterministic: bool = True, aliases: tuple[str, ...] = (), example: str = ""
) -> Decorator:
    """A value for every row."""
    return _decorator(Form.SCALAR, parse(returns), signature, deterministic, aliases, example)


def vectorised(
    returns: str, *, signature: str = "", deterministic: bool = True, aliases: tuple[str, ...] = (), example: str = ""
) -> Decorator:
    """A value for every row, computed for whole batches of them: Arrow arrays in, one of the same length out."""
    return _decorator(Form.VECTORISED, parse(returns), signature, deterministic, aliases, example)


def aggregate(returns: str, *, signature: str = "", aliases: tuple[str, ...] = (), example: str = "") -> Decorator:
    """A value for every group, by a class with the methods add, merge and finish."""
    return _decorator(Form.AGGREGATE, parse(returns), signature, True, aliases, example)


def table(columns: str, *, signature: str = "", aliases: tuple[str, ...] = (), example: str = "") -> Decorator:
    """Rows for every row: `columns` are theirs, such as 'word STRING, place INT'."""
    rows = spelled(columns)
    if rows.name != "STRUCT":
        raise InvalidFunction(f"'{columns}' is not a list of columns", hint="write 'word STRING, place INT'")
    return _decorator(Form.TABLE, rows, signature, True, aliases, example)


_KINDS = {
    Form.SCALAR: FunctionKind.SCALAR,
    Form.VECTORISED: FunctionKind.SCALAR,
    Form.AGGREGATE: FunctionKind.AGGREGATE,
    Form.TABLE: FunctionKind.TABLE,
}


def _decorator(
    form: Form, returns: Type, signature: str, deterministic: bool, aliases: tuple[str, ...], example: str
) -> Decorator:
    def decorate(run: Callable[..., Any]) -> PythonFunction:
        name, parameters = _signature(form, run, signature)
        shown = ", ".join(parameter.name for parameter in parameters)
        declared = Function(
            name,
            _KINDS[form],
            FAMILY,
            parameters,
            returns,
            _first_line(run),
            example or f"{name}({shown})",
            aliases=tuple(alias.upper() for alias in aliases),
            accumulator=ACCUMULATOR if form is Form.AGGREGATE else "",
            deterministic=deterministic,
            implementation=Implementation(form, run),
        )
        return PythonFunction(declared, run)

    return decorate


def _signature(form: Form, run: Callable[..., Any], signature: str) -> tuple[str, tuple[Parameter, ...]]:
    """Name and parameters: from the notation where given, else from Python."""
    named = getattr(run, "__name__", "")
    called = _adder(run) if form is Form.AGGREGATE else run
    if signature:
        try:
            name, lists = parse_signature(signature)
        except ValueError as error:
            hint = "write it as NAME(text: string, [start: integer])"
            raise InvalidFunction(f"the signature of '{named}' cannot be read: {error}", hint=hint) from None
        return name.upper(), lists[0]
    if not named.isidentifier():
        raise InvalidFunction(f"'{named}' cannot be called in SQL", hint="give it a signature: 'NAME(value)'")
    return named.upper(), tuple(_parameters(named, called, skip=form is Form.AGGREGATE))


def _adder(run: Callable[..., Any]) -> Callable[..., Any]:
    named = getattr(run, "__name__", str(run))
    if not isinstance(run, type):
        raise InvalidFunction(f"'{named}' is not a class", hint="an aggregate is a class with add, merge and finish")
    missing = [verb for verb in _VERBS if not callable(getattr(run, verb, None))]
    if missing:
        message = f"the aggregate '{named}' has no method {' and no method '.join(missing)}"
        raise InvalidFunction(message, hint="add(self, value), merge(self, other) and finish(self) are needed")
    adder: Callable[..., Any] = run.add  # type: ignore[attr-defined]
    return adder


def _parameters(named: str, called: Callable[..., Any], *, skip: bool) -> list[Parameter]:
    hints = _hints(called)
    found = []
    for each in list(inspect.signature(called).parameters.values())[1 if skip else 0 :]:
        if each.kind in (each.KEYWORD_ONLY, each.VAR_KEYWORD):
            message = f"'{named}' takes '{each.name}' by name, which SQL cannot give"
            raise InvalidFunction(message, hint="let it take its arguments by position")
        repeated = each.kind is each.VAR_POSITIONAL
        optional = each.default is not each.empty
        found.append(Parameter(each.name, _shape(hints.get(each.name)), optional, repeated))
    return found


def _hints(called: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(called)
    except (NameError, TypeError, AttributeError):
        # an annotation that only a type checker can resolve: then it says nothing about the shape
        return {}


def _shape(hint: Any) -> Shape:
    kind = get_origin(hint) or hint
    return _SHAPES.get(getattr(kind, "__name__", ""), Shape.ANY)


def _first_line(run: Callable[..., Any]) -> str:
    lines = (inspect.getdoc(run) or "").splitlines()
    return lines[0] if lines else f"The Python function {getattr(run, '__name__', '')}."
