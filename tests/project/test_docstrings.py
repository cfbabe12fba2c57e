"""Every public name says what it is."""

import ast
from collections.abc import Iterator

from tests.project.modules import MODULES, Module

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def public(
    body: list[ast.stmt], prefix: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    for node in body:
        if isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{node.name}.")


def test_every_public_name_has_a_docstring() -> None:
    assert [fault for module in MODULES for fault in unsaid(module)] == []


def unsaid(module: Module) -> Iterator[str]:
    """What of a module does not say what it is."""
    if len(ast.get_docstring(module.tree) or "") <= 10:
        yield f"{module.path} does not say what it knows"
    for name, node in public(module.tree.body):
        if not ast.get_docstring(node) and not overloads(node):
            yield f"{module.path}: no docstring for {name}"


def overloads(node: ast.AST) -> bool:
    """An @overload or @override says nothing of its own."""
    decorators = getattr(node, "decorator_list", [])
    return any(isinstance(decorator, ast.Name) and decorator.id in ("overload", "override") for decorator in decorators)
