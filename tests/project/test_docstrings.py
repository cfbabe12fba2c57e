"""Every public name says what it is."""

import ast
from collections.abc import Iterator

import pytest
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


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_every_public_name_has_a_docstring(module: Module) -> None:
    what = ast.get_docstring(module.tree)
    assert what is not None, f"{module.path} does not say what it knows"
    assert len(what) > 10, f"{module.path} does not say what it knows"
    missing = [name for name, node in public(module.tree.body) if not ast.get_docstring(node) and not overloads(node)]
    assert not missing, f"{module.path}: no docstring for {', '.join(missing)}"


def overloads(node: ast.AST) -> bool:
    """An @overload or @override says nothing of its own."""
    decorators = getattr(node, "decorator_list", [])
    return any(isinstance(decorator, ast.Name) and decorator.id in ("overload", "override") for decorator in decorators)
