"""Python functions that a program brings along, as functions of SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from velostream.errors import InvalidFunction
from velostream.functions import LIBRARY
from velostream.functions.base import Function
from velostream.functions.python import PythonFunction, scalar

HERE = "a program"
"""Where such functions were found, in the words of messages."""
_TYPES = {
    "bool": "BOOLEAN",
    "int": "BIGINT",
    "float": "DOUBLE",
    "str": "STRING",
    "bytes": "BINARY",
    "date": "DATE",
    "datetime": "TIMESTAMP",
}
"""What the annotation of a result means in SQL; other types are named."""


def declared(function: PythonFunction | Callable[..., Any], returns: str = "") -> PythonFunction:
    """A function as the decorators of `velostream.functions.python` leave it; a plain one is called once per row."""
    if isinstance(function, PythonFunction):
        if returns:
            message = f"'{function.function.name}' says already what it returns"
            raise InvalidFunction(message, hint="leave 'returns' out, or register the function without its decorator")
        return function
    return scalar(returns or _returned(function))(function)


def with_function(known: tuple[Function, ...], new: PythonFunction) -> tuple[Function, ...]:
    """The functions with one more; one of the same name before it goes, one that is built in is refused."""
    function = new.found_in(HERE)
    names = {function.name, *function.aliases}
    kept = tuple(one for one in known if not names & {one.name, *one.aliases})
    LIBRARY.with_functions((*kept, function))
    return (*kept, function)


def _returned(function: Callable[..., Any]) -> str:
    named = getattr(function, "__name__", str(function))
    try:
        hint = get_type_hints(function).get("return")
    except (NameError, TypeError, AttributeError):
        hint = None
    found = _TYPES.get(getattr(hint, "__name__", ""))
    if found is None:
        raise InvalidFunction(f"nobody says what '{named}' returns", hint="register(function, 'DECIMAL(12,2)') does")
    return found
