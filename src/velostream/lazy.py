"""Modules that are loaded on first use, so that checking a SQL file does not pay for what only running it needs."""

import importlib
from types import ModuleType


class _Lazy(ModuleType):
    """Stands for a module until one of its names is asked for."""

    def __getattr__(self, name: str) -> object:
        value = getattr(importlib.import_module(self.__name__), name)
        self.__dict__[name] = value
        return value


def lazy(name: str) -> ModuleType:
    """The module `name`, imported when first used.

    The type checker sees the real one: `if TYPE_CHECKING: import polars as pl`, `else: pl = lazy("polars")`.
    """
    return _Lazy(name)
