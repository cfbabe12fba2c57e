"""Every code that is used is declared, every declared one is used, and all are documented."""

import ast
import re

from tests.project.modules import MODULES, ROOT

from velostream.codes import CODES

GIVEN_BY = {"error", "warning", "note", "Diagnostic", "Missing"}
LOOKS_LIKE_A_CODE = re.compile(r"[a-z]+(-[a-z]+)+")


def literals() -> set[str]:
    """All text literals of the package, but for the table of codes itself."""
    return {
        node.value
        for module in MODULES
        if module.name != "velostream.codes"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def values_of(node: ast.AST) -> list[ast.expr]:
    """What stands where a code is expected: `code=…`, `code = …`, or an argument of a finding."""
    match node:
        case ast.Call(func=function, keywords=keywords, args=arguments):
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            named = [keyword.value for keyword in keywords if keyword.arg == "code"]
            return named + (arguments[:2] if name in GIVEN_BY else [])
        case ast.Assign(targets=[ast.Name(id="code")], value=value):
            return [value]
        case ast.AnnAssign(target=ast.Name(id="code"), value=ast.expr() as value):
            return [value]
    return []


def given() -> dict[str, str]:
    """Codes given to a finding or an error, each with its place."""
    return {
        value.value: f"{module.path}:{value.lineno}"
        for module in MODULES
        for node in ast.walk(module.tree)
        for value in values_of(node)
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and LOOKS_LIKE_A_CODE.fullmatch(value.value)
    }


def test_every_code_that_is_used_is_declared() -> None:
    undeclared = {code: place for code, place in given().items() if code not in CODES}
    assert not undeclared


def test_every_declared_code_is_used() -> None:
    used = literals()
    shell = (ROOT / "scripts" / "java.sh").read_text()
    unused = [code for code in CODES if code not in used and f"[{code}]" not in shell]
    assert not unused


def test_every_code_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text()
    missing = [code for code in CODES if f"`{code}`" not in page]
    assert not missing
