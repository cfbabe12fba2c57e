"""What a function that a user wrote in Python does, as a short text that differs where it does something else.

It is made of the compiled code, so that comments and places in a file do not matter, of the values that the code is
bound to, and of all that it calls in its own module. What it imports is told by name alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from hashlib import blake2b
from types import CodeType, FunctionType, ModuleType
from typing import Any

from velostream.functions.python import PythonFunction

_PLAIN = (type(None), bool, int, float, complex, str, bytes, Decimal, type(Ellipsis))
_WITHOUT = ("__doc__", "__module__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__")
"""What a class has beside what it does."""


def digest(run: Callable[..., Any]) -> str:
    """The text of a function or class."""
    told = "\n".join(_told(run, getattr(run, "__module__", None), set()))
    return blake2b(told.encode(), digest_size=8).hexdigest()


def _told(value: Any, module: str | None, seen: set[int]) -> Iterator[str]:
    """Lines that differ where values do; one that was told before is not told again."""
    value = value.run if isinstance(value, PythonFunction) else getattr(value, "__func__", value)
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, list | tuple):
        yield from _all(type(value).__name__, value, module, seen)
    elif isinstance(value, set | frozenset):
        yield from [type(value).__name__, *sorted(" ".join(_told(each, module, seen)) for each in value)]
    elif isinstance(value, Mapping):
        yield from _all("mapping", [part for pair in value.items() for part in pair], module, seen)
    elif isinstance(value, CodeType):
        yield from _all(
            f"code {value.co_code.hex()} {value.co_names} {value.co_varnames}", value.co_consts, module, seen
        )
    elif module in (getattr(value, "__module__", None), type(value).__module__):
        if id(value) in seen:
            return
        seen.add(id(value))
        yield from _own(value, module, seen)
    elif isinstance(value, property | partial):
        parts = (value.fget, value.fset) if isinstance(value, property) else (value.func, value.args, value.keywords)
        yield from _all(type(value).__name__, parts, module, seen)
    elif isinstance(value, ModuleType):
        yield f"module {value.__name__}"
    else:
        named = value if hasattr(value, "__qualname__") else type(value)
        yield f"{named.__module__}.{named.__qualname__}"


def _all(name: str, parts: Any, module: str | None, seen: set[int]) -> Iterator[str]:
    yield name
    for part in parts:
        yield from _told(part, module, seen)


def _own(value: Any, module: str | None, seen: set[int]) -> Iterator[str]:
    """What the module itself has: functions, also those behind a cache, classes, and objects of these."""
    if isinstance(value, FunctionType):
        yield from _function(value, module, seen)
    elif isinstance(value, type):
        yield from _class(value, module, seen)
    elif hasattr(value, "__wrapped__"):
        yield from _told(value.__wrapped__, module, seen)
    else:
        yield from _all("object", [type(value), getattr(value, "__dict__", {})], module, seen)


def _function(value: FunctionType, module: str | None, seen: set[int]) -> Iterator[str]:
    """The code, and what its names stand for."""
    code, doc = value.__code__, value.__doc__
    bound = [cell.cell_contents for cell in value.__closure__ or ()]
    known = [value.__globals__[name] for name in _names(code) if name in value.__globals__]
    plain = code.replace(co_consts=tuple(each for each in code.co_consts if doc is None or each != doc))
    yield from _all("function", [plain, value.__defaults__, value.__kwdefaults__, bound, known], module, seen)


def _names(code: CodeType) -> list[str]:
    """The names that code asks for, and those that functions inside of it do."""
    inner = [name for each in code.co_consts if isinstance(each, CodeType) for name in _names(each)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _class(value: type, module: str | None, seen: set[int]) -> Iterator[str]:
    """Its bases and what it defines."""
    own = {name: each for name, each in sorted(vars(value).items()) if name not in _WITHOUT}
    yield from _all(f"class {value.__name__}", [*value.__bases__, own], module, seen)
