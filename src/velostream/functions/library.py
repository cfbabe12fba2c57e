"""The functions that a file can use: those built in, and those of its user. Passed around, never changed."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.errors import VeloError
from velostream.functions.base import Function
from velostream.registry import did_you_mean


class Library:
    """Functions by name and alias, in any letter case. Two functions of one name are refused."""

    __slots__ = ("_by_name", "functions")

    def __init__(self, functions: Iterable[Function]) -> None:
        self.functions = tuple(functions)
        self._by_name: dict[str, Function] = {}
        for function in self.functions:
            for name in (function.name, *function.aliases):
                if name in self._by_name:
                    raise _duplicate(name, self._by_name[name])
                self._by_name[name] = function

    def find(self, name: str) -> Function | None:
        """The function of that name."""
        return self._by_name.get(name) or self._by_name.get(name.upper())

    def get(self, name: str) -> Function:
        """The function of that name, or an error that names the nearest."""
        function = self.find(name)
        if function is None:
            hint = did_you_mean(name, self.names()) or "`velo functions` lists all"
            raise VeloError(f"there is no function '{name}'", hint=hint, code="unknown-function")
        return function

    def names(self) -> tuple[str, ...]:
        """All names and aliases, in upper case and in order."""
        return tuple(sorted(self._by_name))

    def families(self) -> tuple[str, ...]:
        """The families in the order of their declaration."""
        return tuple(dict.fromkeys(function.family for function in self.functions))

    def with_functions(self, functions: Iterable[Function]) -> Library:
        """A library that has these functions too; this one stays as it is."""
        return Library((*self.functions, *functions))


def _duplicate(name: str, known: Function) -> VeloError:
    hint = f"'{known.name}' is in the family '{known.family}'; give the other one another name"
    return VeloError(f"two functions are named '{name}'", hint=hint, code="duplicate-name")
