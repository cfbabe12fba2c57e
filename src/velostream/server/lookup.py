"""A row of a table by its key, straight from the files of the table's newest complete version."""

from __future__ import annotations

from velostream.errors import VeloError
from velostream.server.control import Control
from velostream.server.models.tables import Row
from velostream.tables.keys import split_key
from velostream.typed_rows import said, type_of


def row_of(control: Control, app: str, table: str, key: str) -> Row:
    """The row; a table without a key, or a key without a row, is refused."""
    from velostream.tables.lookup import TableLookup

    deployment = control.app(app).deployment
    looked = TableLookup(control.folders.state(deployment.app, deployment.state), table)
    parts = split_key(key)
    if len(parts) != len(looked.key):
        hint = f"its key is {', '.join(looked.key)}: join the values with '|'"
        raise VeloError(f"'{key}' is not a key of table '{table}'", hint=hint, code="invalid-key")
    found = looked.row(*parts)
    if found is None:
        raise VeloError(f"table '{table}' has no row with the key '{key}'", hint="see its source", code="unknown-key")
    row = {name: said(value) for name, value in found.items()}
    return Row(
        table=table,
        app=app,
        version=looked.version,
        key={name: row[name] for name in looked.key},
        row=row,
        types={each.name: str(type_of(each.type)) for each in looked.schema},
    )
