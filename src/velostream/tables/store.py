"""The versions of a table on disk: each says which Parquet files it is made of, and is there whole or not at all.

<checkpoint>/.tables/<table>/000000007/version.json         what it is made of: its own files and those of earlier ones
                                       base-00000.parquet   rows, and the time of each
                                       delta-00000.parquet  changes to the rows of the base, each key once
                                       past-00000.parquet   all that rows were, where somebody asks for earlier times
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.tables.newest import merged

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = ".tables"
"""Where the tables of an application are, below its checkpoint; no job can have that name."""
BASE, DELTA, PAST = "base", "delta", "past"
"""The kinds of files."""
ROWS_PER_FILE = 1_000_000
_ABOUT = "version.json"


@dataclass(frozen=True)
class About:
    """What is said of a version beside its rows. `offset` is where the source goes on."""

    complete: bool = True
    """False for what a load that was cut off had reached."""
    offset: Mapping[str, Any] = field(default_factory=dict)
    made_by: str = ""
    """Which micro-batch of which query made it, where one did."""
    watermark: int | None = None
    """All that rows were up to this time is known, in microseconds; None where nobody can say."""


@dataclass(frozen=True)
class Version:
    """One version of a table."""

    number: int
    home: Path
    """The folder of the table."""
    rows: int
    about: About = field(default_factory=About)
    key: tuple[str, ...] = ()
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Its files by kind, as paths below the folder of the table."""
    base_rows: int = 0
    rewritten: int = 0
    """How many rows of deltas were written since the base was."""
    replaces: bool = False
    """True for a load from the beginning that has not come to its end."""
    columns: tuple[tuple[str, str], ...] = ()
    """The columns that its rows have, and their types, as they were declared when it was made."""

    @property
    def complete(self) -> bool:
        """True where it was loaded to its end."""
        return self.about.complete

    @property
    def folder(self) -> Path:
        """Where its own files are."""
        return self.home / f"{self.number:09d}"

    @property
    def is_there(self) -> bool:
        """False once it was deleted, since there are newer ones."""
        return all(file.exists() for kind in self.files for file in self.paths(kind))

    @property
    def size(self) -> int:
        """The bytes of its rows."""
        return sum(file.stat().st_size for kind in (BASE, DELTA) for file in self.paths(kind))

    def paths(self, kind: str) -> list[Path]:
        """Its files of a kind."""
        return [self.home / name for name in self.files.get(kind, ())]

    def read(self) -> pa.Table:
        """Its rows."""
        base = self.table(BASE)
        delta = self.table(DELTA)
        assert base is not None, "a version has a base"
        return base if delta is None else merged(base, delta, self.key)

    def table(self, kind: str, columns: list[str] | None = None) -> pa.Table | None:
        """What its files of a kind hold; None where there are none."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        found = [pq.read_table(file, partitioning=None, columns=columns) for file in self.paths(kind)]
        return pa.concat_tables(found) if found else None


class TableStore:
    """All versions of one table."""

    def __init__(self, checkpoint: Path, name: str) -> None:
        self.name = name
        self.folder = checkpoint / FOLDER / name

    def numbers(self) -> list[int]:
        """The numbers of all versions, oldest first."""
        return [number for number in self._folders() if (self._folder(number) / _ABOUT).exists()]

    def _folders(self) -> list[int]:
        return sorted(int(one.name) for one in self.folder.glob("[0-9]*") if one.name.isdecimal())

    def _folder(self, number: int) -> Path:
        return self.folder / f"{number:09d}"

    @property
    def next_number(self) -> int:
        """The number of the version that is made next."""
        return max(self._folders(), default=0) + 1

    def version(self, number: int) -> Version:
        """The version of that number."""
        try:
            said = json.loads((self._folder(number) / _ABOUT).read_text())
        except (OSError, ValueError) as error:
            message = f"version {number} of table '{self.name}' cannot be read: {error}"
            hint = "restore the checkpoint from a copy, or start with another one"
            raise VeloError(message, hint=hint, code="checkpoint-unreadable") from None
        files = {kind: tuple(names) for kind, names in said.pop("files").items()}
        columns = tuple((name, kind) for name, kind in said.pop("columns", ()))
        about, key = About(**said.pop("about")), tuple(said.pop("key"))
        return Version(number, self.folder, about=about, key=key, files=files, columns=columns, **said)

    def newest(self, *, complete: bool = True) -> Version | None:
        """The newest version; with `complete` the newest that was loaded to its end."""
        for number in reversed(self.numbers()):
            try:
                found = self.version(number)
            except VeloError:
                if (self._folder(number) / _ABOUT).exists():
                    raise
                return self.newest(complete=complete)  # it was deleted meanwhile, since there is a newer one
            if found.complete or not complete:
                return found
        return None

    def add(self, version: Version, written: Mapping[str, pa.Table]) -> Version:
        """Makes a version: its files of the kinds in `written` are these rows and no others, those of PAST are added.

        It is there once this returns, and stays. Its number is the next one.
        """
        number = self.next_number
        hidden = self.folder / f".{number:09d}"
        shutil.rmtree(hidden, ignore_errors=True)
        hidden.mkdir(parents=True)
        files = dict(version.files)
        for kind, rows in written.items():
            names = tuple(f"{number:09d}/{name}" for name in write_rows(hidden, kind, rows))
            files[kind] = (*files.get(kind, ()), *names) if kind == PAST else names
        made = replace(version, number=number, home=self.folder, files=files)
        said = {name: value for name, value in made.__dict__.items() if name not in ("number", "home")}
        replace_text(hidden / _ABOUT, json.dumps({**said, "about": made.about.__dict__}))
        hidden.rename(self._folder(number))
        _persist(self.folder)
        return made

    def forget(self, kept: Iterable[int]) -> None:
        """Deletes all versions but the newest complete one, those after it, and those that are `kept`; files that these
        are made of stay."""
        newest = self.newest()
        if newest is None:
            return
        held = set(kept)
        gone = [number for number in self._folders() if number < newest.number and number not in held]
        if not gone:
            return
        alive = [self.version(number) for number in self.numbers() if number not in gone]
        needed = {name for version in alive for names in version.files.values() for name in names}
        for number in gone:
            folder = self._folder(number)
            (folder / _ABOUT).unlink(missing_ok=True)
            for file in list(folder.iterdir()):
                if f"{folder.name}/{file.name}" not in needed:
                    file.unlink()
            if not any(folder.iterdir()):
                folder.rmdir()


def write_rows(folder: Path, kind: str, rows: pa.Table) -> list[str]:
    """Writes rows as files of a kind, one at least."""
    import pyarrow.parquet as pq

    names = []
    for place, start in enumerate(range(0, max(rows.num_rows, 1), ROWS_PER_FILE)):
        file = folder / f"{kind}-{place:05d}.parquet"
        pq.write_table(rows.slice(start, ROWS_PER_FILE), file, coerce_timestamps="us", store_schema=False)
        _persist(file)
        names.append(file.name)
    return names


def _persist(path: Path) -> None:
    """Waits until a file or a folder survives a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
