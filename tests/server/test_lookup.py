"""A row of a table by REST: found by its key as text, and with the types of its columns."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pyarrow as pa
import pytest

from velostream.errors import VeloError
from velostream.server.control import Control
from velostream.server.folders import Folders
from velostream.server.lookup import row_of
from velostream.tables.newest import TIME
from velostream.tables.store import About, TableStore
from velostream.tables.writer import TableWriter
from velostream.typed_rows import meant
from velostream.types import parse

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_a_row_is_found_by_the_text_of_its_key_and_says_its_types(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    rows = pa.table(
        {
            "at": pa.array([NOON], pa.timestamp("us", "UTC")),
            "venue": ["a|b"],
            "price": pa.array([Decimal("1.20")], pa.decimal128(10, 2)),
            TIME: pa.array([0], pa.int64()),
        }
    )
    TableWriter(TableStore(folders.state("shop", "1"), "prices"), ("at", "venue")).replace(rows, About())
    seen = SimpleNamespace(deployment=SimpleNamespace(app="shop", state="1"))
    control = cast(Control, SimpleNamespace(folders=folders, app=lambda name: seen))
    found = row_of(control, "shop", "prices", r"2026-03-02T12:00:00Z|a\|b")
    assert found.row == {"at": "2026-03-02T12:00:00Z", "venue": "a|b", "price": "1.20"}
    assert found.types == {"at": "TIMESTAMP", "venue": "STRING", "price": "DECIMAL(10,2)"}
    values = {name: meant(value, parse(found.types[name])) for name, value in found.row.items()}
    assert values == {"at": NOON, "venue": "a|b", "price": Decimal("1.20")}
    for key, code in ((r"2026-03-02T12:00:00Z|x", "unknown-key"), ("a", "invalid-key"), ("noon|x", "invalid-key")):
        with pytest.raises(VeloError) as refusal:
            row_of(control, "shop", "prices", key)
        assert refusal.value.error_code == code
