"""Files as a source: a path, a folder or a glob; CSV, JSON, Parquet, Avro or lines of text."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from velostream.config.connections.files import FilePath
from velostream.config.property import Property
from velostream.sources.base import Source
from velostream.sources.reading_files import FILE_COLUMNS, FILE_FORMATS, READING_FILES, extent_of_files
from velostream.stores import is_remote, objects

FILE_SOURCE = Source(
    name="file_source",
    doc="files on disk, watched for new ones",
    options=(
        Property(
            "path",
            FilePath(),
            "a file, a folder or a glob; ** stands for any depth",
            "data/trades-*.csv",
            required=True,
        ),
        *READING_FILES,
    ),
    extent=extent_of_files,
    formats=FILE_FORMATS,
    aliases=("file", "filesystem"),
    system="file",
    columns=FILE_COLUMNS,
)


def found_at(path: str, folder: Path) -> dict[str, tuple[int, int] | None]:
    """The files on disk, or the objects of a store, that a path, a folder or a glob names, in order of name; of objects
    their sizes and times, which the list of them says."""
    return {**objects(path)} if is_remote(path) else dict.fromkeys(map(str, matching(path, folder)))


def matching(path: str, folder: Path) -> list[Path]:
    """The files that a path, a folder or a glob names, in order of name; relative ones are looked up in `folder`.

    Files whose names begin with `.` or `_` are being written or describe others, and are left out, as Spark does.
    """
    plain = path.removeprefix("file://")
    full = os.path.join(folder, plain)  # noqa: PTH118 - a Path would swallow the trailing slash and the pattern's dots
    if os.path.isdir(full):  # noqa: PTH112
        full = os.path.join(glob.escape(full), "*")  # noqa: PTH118
    named = [Path(full)] if Path(full).is_file() else [Path(name) for name in glob.glob(full, recursive=True)]  # noqa: PTH207
    return sorted(file for file in named if file.is_file() and not file.name.startswith((".", "_")))
