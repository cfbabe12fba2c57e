"""Imports point one way only, from high to low."""

from collections.abc import Iterator

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


def test_a_module_imports_only_what_lies_below_it() -> None:
    assert [module.path for module in MODULES if module.package not in RANK] == [], "they lie in no layer"
    assert [fault for module in MODULES for fault in above(module)] == []


def above(module: Module) -> Iterator[str]:
    """The imports of a module that lie above or beside it, or nowhere."""
    for line, imported in module.imports:
        package = package_of(imported)
        if package is None or package == module.package or (module.name == FACE and package == "api"):
            continue
        if package not in RANK:
            yield f"{module.path}:{line} imports {imported}, which has no place in the order of layers"
        elif RANK[package] >= RANK[module.package]:
            yield f"{module.path}:{line} imports {imported} from above or beside it"


def test_heavy_libraries_stay_where_they_belong() -> None:
    assert [fault for module in MODULES for fault in heavy(module)] == []


def heavy(module: Module) -> Iterator[str]:
    """The imports of a module that others alone may have."""
    for line, imported in module.imports:
        library = imported.split(".")[0]
        allowed = ONLY_IN.get(library, {module.package})
        if module.package not in allowed:
            yield f"{module.path}:{line} imports {library}, which only {sorted(allowed)} may"
