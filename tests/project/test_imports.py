"""Imports point one way only, from high to low."""

import pytest
from tests.project.modules import MODULES, SOURCE, Module

# Lowest first; the alphabet is the files beside the folders. Folders of one row do not know each other. The package's
# own face, `velostream/__init__.py`, leads to the top: it loads `connect` when somebody asks for it.
FACE = "velostream"
LAYERS = (
    ("",),
    ("config",),
    ("windows",),
    ("functions",),
    ("formats",),
    ("sources", "sinks"),
    ("sql",),
    ("catalog",),
    ("validation",),
    ("plan",),
    ("tables",),
    ("spark",),
    ("jobs",),
    ("observability",),
    ("server",),
    ("testing",),
    ("cli",),
    ("api",),
)
RANK = {package: rank for rank, row in enumerate(LAYERS) for package in row}
ONLY_IN = {
    "sqlglot": {"sql", "validation", "plan"},
    "pyspark": {"spark", "sources", "sinks", "tables", "jobs", "testing", "api"},
    "click": {"cli"},
}


def package_of(imported: str) -> str | None:
    """The folder of a module of ours, empty for the alphabet; None for somebody else's module."""
    parts = imported.split(".")
    if parts[0] != "velostream":
        return None
    return parts[1] if len(parts) > 1 and (SOURCE / parts[1]).is_dir() else ""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_imports_only_what_lies_below_it(module: Module) -> None:
    assert module.package in RANK, f"folder '{module.package}' has no place in the order of layers"
    for line, imported in module.imports():
        package = package_of(imported)
        if package is None or package == module.package or (module.name == FACE and package == "api"):
            continue
        assert package in RANK, f"{module.path}:{line} imports {imported}, which has no place in the order of layers"
        assert RANK[package] < RANK[module.package], f"{module.path}:{line} imports {imported} from above or beside it"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_heavy_libraries_stay_where_they_belong(module: Module) -> None:
    for line, imported in module.imports():
        library = imported.split(".")[0]
        allowed = ONLY_IN.get(library, {module.package})
        assert module.package in allowed, f"{module.path}:{line} imports {library}, which only {sorted(allowed)} may"
