"""Whether a call's arguments fit a function: their number, and their types.

Spark casts much in silence. Whatever it takes is taken here too, with one exception: a text, a truth value or a time
where a number is computed with (`SUM(name)`, `ABS('x')`), because what comes out is never what was meant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from velostream.functions.base import Function, Parameter, Shape, least, most
from velostream.functions.widening import common
from velostream.types import FLOAT, INTEGRAL, NUMERIC, UNKNOWN, Type

_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_WRITABLE = ("STRING", *NUMERIC, "BOOLEAN", *_TIMES, "TIME", "INTERVAL", "BINARY", "VARIANT")
_ACCEPTED: dict[Shape, tuple[str, ...]] = {
    Shape.ATOMIC: _WRITABLE,
    Shape.CASTABLE: (*NUMERIC, "STRING", "BOOLEAN", "TIMESTAMP", "INTERVAL", "VARIANT"),
    Shape.NUMBER: NUMERIC,
    Shape.AMOUNT: (*NUMERIC, "INTERVAL"),
    Shape.MEASURE: (*NUMERIC, "INTERVAL", *_TIMES),
    Shape.PERCENTAGE: (*NUMERIC, "ARRAY"),
    Shape.INTEGER: (*NUMERIC, "STRING"),
    Shape.WHOLE: INTEGRAL,
    Shape.INT: INTEGRAL[:-1],
    Shape.STRING: _WRITABLE,
    Shape.TEXT: ("STRING",),
    Shape.BINARY: ("BINARY", "STRING"),
    Shape.BYTES: ("BINARY",),
    Shape.BOOLEAN: ("BOOLEAN", "STRING"),
    Shape.CONDITION: ("BOOLEAN",),
    Shape.TRUTH: (*NUMERIC, "STRING", "BOOLEAN", "VARIANT"),
    Shape.DATE: (*_TIMES, "STRING"),
    Shape.TIME: (*_TIMES, "STRING"),
    Shape.INSTANT: ("TIMESTAMP",),
    Shape.CLOCK: ("TIME",),
    Shape.SPAN: (*_TIMES, "TIME", "INTERVAL", "STRING"),
    Shape.STEP: (*INTEGRAL, *_TIMES, "STRING"),
    Shape.ARRAY: ("ARRAY",),
    Shape.MAP: ("MAP",),
    Shape.COLLECTION: ("ARRAY", "MAP"),
    Shape.SEQUENCE: (*_WRITABLE, "ARRAY"),
    Shape.NESTED: ("ARRAY", "MAP", "STRUCT", "VARIANT"),
    Shape.STRUCT: ("STRUCT",),
    Shape.INTERVAL: ("INTERVAL",),
    Shape.VARIANT: ("VARIANT",),
}
_ELEMENTS: dict[Shape, Callable[[Type], bool]] = {
    Shape.VECTOR: lambda element: element == FLOAT,
    Shape.ARRAYS: lambda element: element.name == "ARRAY",
    Shape.ENTRIES: lambda element: element.name == "STRUCT" and len(element.fields) == 2,
}
_UNORDERED = ("MAP", "VARIANT")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a call. `argument` is the index of the argument to point at, None for the call as a whole."""

    code: str
    message: str
    hint: str
    argument: int | None = None


def check(function: Function, types: tuple[Type, ...]) -> Problem | None:
    """The first thing wrong with a call of these argument types; None where it fits. An unknown type always fits."""
    fitting = [parameters for parameters in function.parameter_lists if admits(parameters, len(types))]
    if not fitting:
        return _wrong_count(function, len(types))
    problems: list[Problem] = []
    for parameters in fitting:
        problem = _mismatch(function, parameters, types)
        if problem is None:
            return None
        problems.append(problem)
    return max(problems, key=lambda problem: problem.argument or 0)


def lambda_places(function: Function, count: int) -> set[int]:
    """Which of so many arguments are lambdas: these and no others."""
    fitting = [parameters for parameters in function.parameter_lists if admits(parameters, count)]
    return {
        index
        for parameters in fitting
        for index in range(count)
        if parameter_of(parameters, index, count).shape is Shape.LAMBDA
    }


def admits(parameters: tuple[Parameter, ...], count: int) -> bool:
    """True where a parameter list can be called with so many arguments."""
    upper = most(parameters)
    if count < least(parameters) or (upper is not None and count > upper):
        return False
    group = sum(parameter.repeated for parameter in parameters)
    return group < 2 or (count - least(parameters)) % group == 0


def parameter_of(parameters: tuple[Parameter, ...], index: int, count: int) -> Parameter:
    """The parameter that the argument at `index` of `count` belongs to; the last optional ones are missing first."""
    missing = max(len(parameters) - count, 0)
    present: list[Parameter] = []
    for parameter in reversed(parameters):
        if missing and parameter.optional:
            missing -= 1
        else:
            present.insert(0, parameter)
    if index < len(present):
        return present[index]
    group = [parameter for parameter in parameters if parameter.repeated]
    return group[(index - (len(present) - len(group))) % len(group)]


def accepts(shape: Shape, kind: Type) -> bool:
    """True where a parameter of this shape takes a value of this type."""
    if kind.name in ("UNKNOWN", "VOID"):
        return True
    if shape is Shape.ORDERED:
        return _is_ordered(kind)
    if shape in _ELEMENTS:
        return kind.name == "ARRAY" and (kind.arguments[0] == UNKNOWN or _ELEMENTS[shape](kind.arguments[0]))
    names = _ACCEPTED.get(shape)
    return names is None or kind.name in names


def _is_ordered(kind: Type) -> bool:
    inner = (*kind.arguments, *(field for _, field in kind.fields))
    return kind.name not in _UNORDERED and all(map(_is_ordered, inner))


def _wrong_count(function: Function, count: int) -> Problem:
    message = f"{function.name} takes {_count_text(function)}, not {count}"
    return Problem("wrong-arguments", message, " or ".join(function.signatures))


def _count_text(function: Function) -> str:
    lower, upper = function.least, function.most
    if upper is None:
        return f"{_arguments(lower)} or more" if admits(function.parameters, lower + 1) else "arguments in pairs"
    return _arguments(lower) if lower == upper else f"{lower} to {_arguments(upper)}"


def _arguments(count: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")


def _mismatch(function: Function, parameters: tuple[Parameter, ...], types: tuple[Type, ...]) -> Problem | None:
    given = [parameter_of(parameters, index, len(types)) for index in range(len(types))]
    for index, (parameter, kind) in enumerate(zip(given, types, strict=True)):
        if not accepts(parameter.shape, kind):
            subject = function.name if len(types) == 1 else f"'{parameter.name}' of {function.name}"
            article = "an" if parameter.shape.value[0] in "aeiou" else "a"
            message = f"{subject} takes {article} {parameter.shape.value}, not {kind}"
            return Problem("type-mismatch", message, _advice(function, parameter, kind), index)
    return _unlike(function, given, types)


def _unlike(function: Function, given: list[Parameter], types: tuple[Type, ...]) -> Problem | None:
    """The first argument that has no common type with those before it, or with what the first is made of."""
    met: list[Type] = []
    for index, (parameter, kind) in enumerate(zip(given, types, strict=True)):
        others = types[0].arguments[:1] if parameter.inner else met if parameter.alike else ()
        strings = parameter.shape is not Shape.ORDERED and not parameter.inner
        if others and common((*others, kind), strings=strings) is None:
            known = next(other for other in reversed(others) if other.name != "VOID")
            message = f"{function.name} cannot take {known} and {kind} together"
            return Problem("type-mismatch", message, f"cast one of them; {' or '.join(function.signatures)}", index)
        if parameter.alike:
            met.append(kind)
    return None


def _advice(function: Function, parameter: Parameter, kind: Type) -> str:
    signature = " or ".join(function.signatures)
    if parameter.shape in (Shape.NUMBER, Shape.AMOUNT) and kind.name == "STRING":
        return f"cast it: CAST({parameter.name} AS DOUBLE); {signature}"
    if parameter.shape in (Shape.NUMBER, Shape.AMOUNT) and kind.is_time:
        return f"take its milliseconds: MILLIS({parameter.name}); {signature}"
    if parameter.shape in (Shape.NUMBER, Shape.AMOUNT) and kind.name == "BOOLEAN":
        return f"COUNT_IF({parameter.name}) counts what is true; {signature}"
    return signature
