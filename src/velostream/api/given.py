"""What a program gives as SQL: a text, or a file by its path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from velostream.cli import inputs
from velostream.cli.explain import one
from velostream.cli.inputs import Input

Sql = str | Path
"""SQL itself, or the file that it is in: a Path, or the name of one."""


def input_of(sql: Sql) -> Input:
    """The text that is meant. Its folder is absolute: Spark keeps that of its start, whatever a program changes to."""
    text = isinstance(sql, str) and sql.strip() == "-"
    found = inputs.read(sql) if isinstance(sql, Path) else inputs.query(sql) if text else one(sql)
    return replace(found, folder=found.folder.absolute())


def is_file(sql: Sql) -> bool:
    """True where a file is meant."""
    return isinstance(sql, Path) or not inputs.looks_like_sql(sql)
