"""A row of a table by its key, straight from the files of the table's newest complete version."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from velostream.errors import VeloError
from velostream.server.control import Control
from velostream.server.models.tables import Row

ESCAPE, BETWEEN, NULL = "\\", "|", "\\N"
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def row_of(control: Control, app: str, table: str, key: str) -> Row:
    """The row; a table without a key, or a key without a row, is refused."""
    from velostream.tables.newest import TIME
    from velostream.tables.store import TableStore

    deployment = control.app(app).deployment
    names = key_of(control, app, table)
    parts = split_key(key)
    if len(parts) != len(names):
        hint = f"its key is {', '.join(names)}: join the values with '|'"
        raise VeloError(f"'{key}' is not a key of table '{table}'", hint=hint, code="invalid-key")
    version = TableStore(control.folders.state(deployment.app, deployment.state), table).newest()
    if version is None:
        hint = "wait for it: POST /health/table/NAME/wait"
        raise VeloError(f"table '{table}' is not loaded yet", hint=hint, code="table-not-ready")
    rows = version.read().drop_columns([TIME])
    for row in _matching(rows, dict(zip(names, parts, strict=True))):
        shown = json.loads(json.dumps(row, default=str))
        return Row(table=table, app=app, version=version.number, key={name: shown[name] for name in names}, row=shown)
    raise VeloError(f"table '{table}' has no row with the key '{key}'", hint="see its source", code="unknown-key")


def _matching(rows: Any, wanted: dict[str, str | None]) -> list[dict[str, Any]]:
    import polars as pl

    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    for name, text in wanted.items():
        column = pl.col(name)
        frame = frame.filter(column.is_null() if text is None else column.cast(pl.String, strict=False) == text)
    return frame.head(1).to_dicts()


def key_of(control: Control, app: str, table: str) -> tuple[str, ...]:
    """The key columns of a table."""
    from velostream.plan.nodes import Materialise

    plan = control.plan_of(control.app(app).deployment).plan
    keys = {each.name: each.key for each in plan.tables}
    keys |= {job.root.table: job.root.key for job in plan.jobs if isinstance(job.root, Materialise)}
    if not keys.get(table):
        hint = "declare one: PRIMARY KEY"
        raise VeloError(f"table '{table}' has no key", hint=hint, code="missing-key")
    return tuple(keys[table])


def joined_key(values: Iterable[Any]) -> str:
    """A key as paths and messages have it: what `split_key` takes apart."""
    return BETWEEN.join(NULL if value is None else _escaped(value) for value in values)


def _escaped(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "".join(ESCAPE + sign if sign in (ESCAPE, BETWEEN) else sign for sign in text)


def split_key(key: str) -> list[str | None]:
    """The values of a key as messages have it: joined with `|`, escaped by a backslash, NULL as `\\N`."""
    parts = [""]
    signs = iter(key)
    for sign in signs:
        if sign == BETWEEN:
            parts.append("")
        else:
            parts[-1] += sign + (next(signs, "") if sign == ESCAPE else "")
    return [None if part == NULL else _ESCAPED.sub(r"\1", part) for part in parts]
