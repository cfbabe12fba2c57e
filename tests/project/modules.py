"""The package's own source files, as trees."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "velostream"


@dataclass(frozen=True)
class Module:
    path: Path

    @property
    def name(self) -> str:
        parts = self.path.relative_to(SOURCE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """The folder below velostream, empty for the alphabet."""
        parts = self.path.relative_to(SOURCE).parts
        return parts[0] if len(parts) > 1 else ""

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(), str(self.path))

    @cached_property
    def imports(self) -> list[tuple[int, str]]:
        """Every module imported anywhere in the file, inside functions and by `lazy("…")` too, with its line."""
        found: list[tuple[int, str]] = []
        for node in ast.walk(self.tree):
            match node:
                case ast.Import(names=names):
                    found += [(node.lineno, alias.name) for alias in names]
                case ast.ImportFrom(module=str(module), level=0, names=names):
                    found += [(node.lineno, f"{module}.{alias.name}") for alias in names]
                case ast.ImportFrom(level=level):
                    raise AssertionError(f"{self.path}:{node.lineno}: a relative import of level {level}")
                case ast.Call(func=ast.Name(id="lazy"), args=[ast.Constant(value=str(module))]):
                    found.append((node.lineno, module))
        return found


MODULES = [Module(path) for path in sorted(SOURCE.rglob("*.py"))]
