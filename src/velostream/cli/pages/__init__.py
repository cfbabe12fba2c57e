"""The generated reference pages: one page per file, each a function from what is declared in code to text."""

from collections.abc import Callable

from velostream.cli.pages import annotations, errors, functions, metrics, properties, specs, system_columns

Page = Callable[[], str]

PAGES: dict[str, Page] = {
    "annotations.md": annotations.page,
    "errors.md": errors.page,
    "functions.md": functions.page,
    "metrics.md": metrics.page,
    "properties.md": properties.page,
    "specs.md": specs.page,
    "spec.schema.json": specs.schema_file,
    "system-columns.md": system_columns.page,
}
