"""Columns that nobody declared: sampled at the first start, kept with the checkpoint, and the same ever after."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.durations import SECOND
from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.formats.registry import registry_of
from velostream.formats.registry.columns import registered_columns
from velostream.sources.file import FILE_SOURCE, matching

if TYPE_CHECKING:
    from velostream.catalog.relation import Relation
    from velostream.catalog.schema import Schema
    from velostream.validation import Validated

KEPT = "schemas.json"


def settled(
    check: Callable[[Mapping[str, str]], Validated],
    home: Callable[[Validated], Path],
    folder: Path,
    show: Callable[[str], None],
) -> Validated:
    """An application with all of its columns known, those that were sampled before as they were then.

    `check` validates it with more settings, `home` tells where its checkpoints are. A source that has nothing to take
    columns from is waited for as long as `file.wait.timeout` says. Nothing is kept of what has errors.
    """
    answer = check({})
    found = {relation.name: relation for relation in _undeclared(answer)}
    if not found:
        return answer
    file = home(answer) / KEPT
    kept: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    known = {f"{name}.schema": kept[name] for name in found if name in kept}
    asked = {name: _registered(relation) for name, relation in found.items() if name not in kept}
    asked = {name: columns for name, columns in asked.items() if columns}
    known |= {f"{name}.schema": columns for name, columns in asked.items()}
    empty = [each for name, each in found.items() if each.schema.is_open and name not in kept and name not in asked]
    for relation in empty:
        _wait(relation, folder)
    if known or empty:
        answer = check(known)
    new = asked | {each.name: listed(each.schema) for each in _undeclared(answer) if not each.schema.is_open}
    if new and answer.ok:
        for name, columns in new.items():
            show(f"{name} has the columns {columns}")
        replace_text(file, json.dumps({**kept, **new}, indent=2) + "\n")
    return answer


def listed(schema: Schema) -> str:
    """Columns as the property `schema` takes them."""
    return ", ".join(f"{_quoted(column.name)} {column.type}" for column in schema)


def _quoted(name: str) -> str:
    return name if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) else f"`{name}`"


def _undeclared(answer: Validated) -> Iterator[Relation]:
    """The sources that are read and whose columns only samples or a registry tell."""
    from velostream.validation.walk import sources_of

    seen = set()
    for statement in answer.bound.statements:
        for member in sources_of(statement.query):
            relation = member.relation
            if relation.name not in seen and (_is_sampled(relation) or _names_registry(relation)):
                seen.add(relation.name)
                yield relation


def _is_sampled(relation: Relation) -> bool:
    if relation.connector is None or relation.connector.name != FILE_SOURCE.name or relation.settings is None:
        return False
    told = [name for name in ("schema", "schema.file") if relation.settings.get(name) is not None]
    # Columns of a list in SQL have places of their own; sampled ones have that of the source.
    return not told and all(column.span == relation.span for column in relation.schema)


def _names_registry(relation: Relation) -> bool:
    """True for a source whose columns nobody declares and a registry knows."""
    if relation.connector is None or relation.settings is None or not relation.schema.is_open:
        return False
    return registry_of(relation.settings) is not None


def _registered(relation: Relation) -> str:
    """The columns that a registry tells, as the property `schema` takes them; empty where none is named."""
    found = registered_columns(relation.name, relation.settings) if _names_registry(relation) else None
    return ", ".join(f"{_quoted(field.name)} {field.type}" for field in found or ())


def _wait(relation: Relation, folder: Path) -> None:
    """Waits for the first record of a source."""
    from velostream.sources.streams.waiting import wait_for_files

    settings = relation.settings
    ends = time.monotonic() + settings.duration("file.wait.timeout") / SECOND
    wait_for_files(relation.name, settings, folder)
    while not any(file.stat().st_size for file in matching(settings.text("path"), folder)):
        left = ends - time.monotonic()
        if left <= 0:
            hint = f"declare the columns, or '{relation.name}.file.wait.timeout' = '30s' waits for the first record"
            message = f"the files of '{relation.name}' are empty, and its columns are not declared"
            raise VeloError(message, hint=hint, code="unknown-schema")
        time.sleep(min(settings.duration("file.retry.interval") / SECOND, left))
