"""The versions of a table on disk: Parquet files in a folder each, which is there whole or not at all.

<checkpoint>/.tables/<table>/000000007/part-00000.parquet   the rows, and the time of each
                                       version.json         what it is made of
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.files import replace_text

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = ".tables"
"""Where the tables of an application are, below its checkpoint; no job can have that name."""
TIME = "_version_time"
"""The column beside those of the table that says when a row became what it is, in microseconds."""
ROWS_PER_FILE = 1_000_000
_ABOUT = "version.json"


@dataclass(frozen=True)
class Version:
    """One version: complete, or what a load that was cut off had reached. `offset` is where the source goes on."""

    number: int
    folder: Path
    rows: int
    size: int
    complete: bool = True
    offset: Mapping[str, Any] = field(default_factory=dict)
    made_by: str = ""
    """Which micro-batch of which query made it, where one did."""

    @property
    def files(self) -> list[Path]:
        """Its Parquet files."""
        return sorted(self.folder.glob("*.parquet"))

    def read(self) -> pa.Table:
        """Its rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        return pa.concat_tables([pq.read_table(file, partitioning=None) for file in self.files])


class TableStore:
    """All versions of one table."""

    def __init__(self, checkpoint: Path, name: str) -> None:
        self.name = name
        self.folder = checkpoint / FOLDER / name

    def numbers(self) -> list[int]:
        """The numbers of all versions, oldest first."""
        return sorted(int(one.name) for one in self.folder.glob("[0-9]*") if one.name.isdecimal())

    def version(self, number: int) -> Version:
        """The version of that number."""
        folder = self.folder / f"{number:09d}"
        try:
            said = json.loads((folder / _ABOUT).read_text())
        except (OSError, ValueError) as error:
            message = f"version {number} of table '{self.name}' cannot be read: {error}"
            hint = "restore the checkpoint from a copy, or start with another one"
            raise VeloError(message, hint=hint, code="checkpoint-unreadable") from None
        return Version(number, folder, **said)

    def newest(self, *, complete: bool = True) -> Version | None:
        """The newest version; with `complete` the newest that was loaded to its end."""
        found = (self.version(number) for number in reversed(self.numbers()))
        return next((one for one in found if one.complete or not complete), None)

    def publish(
        self, rows: pa.Table, *, complete: bool = True, offset: Mapping[str, Any] | None = None, made_by: str = ""
    ) -> Version:
        """Writes a version: rows of the table's columns and TIME. It is there once this returns, and stays."""
        import pyarrow.parquet as pq

        number = max(self.numbers(), default=0) + 1
        hidden = self.folder / f".{number:09d}"
        shutil.rmtree(hidden, ignore_errors=True)
        hidden.mkdir(parents=True)
        for place, start in enumerate(range(0, max(rows.num_rows, 1), ROWS_PER_FILE)):
            file = hidden / f"part-{place:05d}.parquet"
            pq.write_table(rows.slice(start, ROWS_PER_FILE), file, coerce_timestamps="us", store_schema=False)
            _persist(file)
        size = sum(file.stat().st_size for file in hidden.iterdir())
        said = {"rows": rows.num_rows, "size": size, "complete": complete, "offset": dict(offset or {})}
        replace_text(hidden / _ABOUT, json.dumps({**said, "made_by": made_by}))
        hidden.rename(self.folder / f"{number:09d}")
        _persist(self.folder)
        return self.version(number)

    def forget(self, kept: Iterable[int]) -> None:
        """Deletes all versions but the newest complete one, those after it, and those that are `kept`."""
        newest = self.newest()
        if newest is None:
            return
        held = set(kept)
        for number in self.numbers():
            if number < newest.number and number not in held:
                shutil.rmtree(self.folder / f"{number:09d}")


def _persist(path: Path) -> None:
    """Waits until a file or a folder survives a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
