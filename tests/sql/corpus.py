"""Statements of every form, for tests that try something on each of them."""

from pathlib import Path

TEXT = (Path(__file__).parent / "corpus.sql").read_text()
STATEMENTS: tuple[str, ...] = tuple(line.rstrip().removesuffix(";") for line in TEXT.splitlines() if line.strip())
EXAMPLES: tuple[Path, ...] = tuple(sorted((Path(__file__).parents[2] / "examples").glob("*/*.sql")))
