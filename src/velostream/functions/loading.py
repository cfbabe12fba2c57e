"""Where users' functions come from: Python files that an application names, and packages that are installed.

A file is named in the header of the SQL file, `-- Dependencies: pricing.py`, relative to it. A package has an entry
point in the group `velostream.functions` that leads to a decorated function or to a module full of them.
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from velostream.errors import InvalidFunction, NotFound, VeloError
from velostream.functions import LIBRARY
from velostream.functions.python import PythonFunction
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from velostream.functions.base import Function
    from velostream.functions.library import Library

GROUP = "velostream.functions"
_HOW = "decorate functions with @scalar, @vectorised, @aggregate or @table from velostream.functions.python"


def library_with(dependencies: Iterable[str], folder: Path) -> Library:
    """The built-in functions, those of installed packages, and those of the Python files among the dependencies."""
    files = [folder / name for name in dependencies if name.endswith(".py")]
    loaded = [*load_entry_points(), *(function for path in files for function in load_file(path))]
    return LIBRARY.with_functions(loaded) if loaded else LIBRARY


def load_file(path: Path) -> tuple[Function, ...]:
    """The functions that a Python file declares. It is run once, and leaves nothing behind in Python's modules."""
    if not path.is_file():
        folder = path.parent
        nearby = sorted(each.name for each in folder.glob("*.py")) if folder.is_dir() else []
        hint = did_you_mean(path.name, nearby, "Python files there") or "the path is relative to the SQL file"
        raise NotFound(f"there is no file of functions '{path}'", hint=hint)
    found = _declared(_run(path))
    if not found:
        raise InvalidFunction(f"'{path}' declares no function", hint=_HOW)
    return tuple(each.found_in(str(path)) for each in found)


def load_entry_points(points: Iterable[EntryPoint] | None = None) -> tuple[Function, ...]:
    """The functions of installed packages, in order of their entry points' names."""
    if points is None:
        from importlib.metadata import entry_points

        points = entry_points(group=GROUP)
    return tuple(function for point in sorted(points, key=lambda point: point.name) for function in _at(point))


def _at(point: EntryPoint) -> list[Function]:
    try:
        target = point.load()
    except Exception as error:
        raise _broken(f"the entry point '{point.name}' of '{GROUP}'", error) from error
    found = [target] if isinstance(target, PythonFunction) else []
    if isinstance(target, ModuleType):
        found = _declared(target)
    if not found:
        raise InvalidFunction(f"the entry point '{point.name}' ('{point.value}') leads to no function", hint=_HOW)
    return [each.found_in(point.value) for each in found]


def _declared(module: ModuleType) -> list[PythonFunction]:
    """What a module holds, each function once, whatever names it has there."""
    held = {id(each): each for each in vars(module).values() if isinstance(each, PythonFunction)}
    return list(held.values())


class _AsWritten(SourceFileLoader):
    """Takes a file as it is now. What Python keeps of it compiled it knows by second and size alone, and it would lie
    beside the user's file."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _run(path: Path) -> ModuleType:
    name = f"velostream_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_AsWritten(name, str(path)))
    if path.suffix != ".py" or spec is None or spec.loader is None:
        raise InvalidFunction(f"'{path}' is not a Python file", hint="its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up while it runs; afterwards it goes, so that functions travel to workers by value
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except VeloError as error:
        hint = error.hint or _HOW
        raise InvalidFunction(f"'{path}'{_line(path, error)}: {error.message}", hint=hint) from error
    except (Exception, SystemExit) as error:
        raise _broken(f"'{path}'{_line(path, error)}", error) from error
    finally:
        del sys.modules[name]
    return module


def _broken(what: str, error: BaseException) -> InvalidFunction:
    reason = str(error).strip() or "no message"
    message = f"{what} cannot be loaded: {type(error).__name__}: {reason.splitlines()[0]}"
    if isinstance(error, ImportError):
        return InvalidFunction(message, hint="install what it imports into the environment that velo runs in")
    return InvalidFunction(message, hint="run it with Python to see the whole error")


def _line(path: Path, error: BaseException) -> str:
    """Where in the file it went wrong."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f" line {error.lineno}"
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == str(path)]
    return f" line {lines[-1]}" if lines else ""
