"""A copy of an application's state for a version that runs beside it: the same past, and an identity of its own."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from functools import partial
from pathlib import Path
from urllib.parse import quote

from velostream.tables.pins import PINS

SPARK = "spark"
TAKEN = "taken"
"""The file of a job that says at which switch it took the place of another."""


def copy_state(source: Path, target: Path) -> None:
    """Copies all checkpoints. Only while nobody writes to the source.

    Every query gets a new id, which is part of every sink's markers: what the copy writes is not taken for something
    that was written before. Spark remembers the files of a job's own folder by their whole path: the copy knows them
    where they are now, or it would take its commands for new ones.
    """
    shutil.rmtree(target, ignore_errors=True)
    _copy(source, target, "*/").rename(target)


def take_place(source: Path, target: Path, mark: str) -> None:
    """Lets a job without state go on where the same job of another version stands, whose folder is `source`. Only while
    both rest, and once for a mark, however often it is repeated.

    A batch that was planned there and not begun is planned anew here; versions of tables are numbered here otherwise.
    """
    if (target / TAKEN).exists() and (target / TAKEN).read_text() == mark:
        return
    hidden = _copy(source, target, "")
    for planned in _not_done(hidden / SPARK):
        planned.unlink()
    (hidden / PINS).unlink(missing_ok=True)
    (hidden / TAKEN).write_text(mark)
    before = target.with_name(f".{target.name}.before")
    shutil.rmtree(before, ignore_errors=True)
    if target.exists():
        target.rename(before)
    hidden.rename(target)
    shutil.rmtree(before, ignore_errors=True)


def _copy(source: Path, target: Path, jobs: str) -> Path:
    """A copy beside the target, under a name that nobody looks at; `jobs` is where jobs are below the source."""
    hidden = target.with_name(f".{target.name}")
    shutil.rmtree(hidden, ignore_errors=True)
    if not source.exists():
        hidden.mkdir(parents=True)
    else:
        copied = partial(_copied, source, jobs.count("/"))
        shutil.copytree(source, hidden, copy_function=copied, ignore=shutil.ignore_patterns(".*.before", ".lock"))
    for metadata in hidden.glob(f"{jobs}{SPARK}/metadata"):
        _write(metadata, _with_new_id(metadata.read_text()))
    for remembered in hidden.glob(f"{jobs}{SPARK}/sources/**/*"):
        if remembered.is_file() and not remembered.name.startswith("."):
            _move_paths(remembered, source, target)
    return hidden


def _not_done(spark: Path) -> list[Path]:
    """What was planned behind the last micro-batch that was finished."""
    done = max((int(file.name) for file in (spark / "commits").glob("[0-9]*") if file.name.isdecimal()), default=-1)
    offsets = [file for file in (spark / "offsets").glob("[0-9]*") if file.name.isdecimal()]
    planned = [file for file in offsets if int(file.name) > done]
    return [*planned, *(sums for file in planned if (sums := file.with_name(f".{file.name}.crc")).exists())]


def _copied(root: Path, depth: int, source: str, target: str) -> str:
    """Spark never changes a file that it has written, so one file may be in both; what is changed here is copied.
    `depth` says how far below the root the folders of jobs are."""
    inside = Path(source).relative_to(root).parts[depth:]
    if inside[:1] == (SPARK,) and inside[1] not in ("sources", "metadata", ".metadata.crc"):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def _with_new_id(text: str) -> str:
    *head, last = text.splitlines()
    return "\n".join([*head, json.dumps({**json.loads(last), "id": str(uuid.uuid4())})])


def _move_paths(file: Path, source: Path, target: Path) -> None:
    """What Spark remembers of files below the source is true of those below the target."""
    text = file.read_text()
    moved = text
    for written in (str, lambda path: quote(str(path))):
        moved = moved.replace(f"{written(source.absolute())}/", f"{written(target.absolute())}/")
    if moved != text:
        _write(file, moved)


def _write(file: Path, text: str) -> None:
    """Changes a file of Spark's; the sum that it keeps beside it would not be right any more."""
    times = file.stat()
    file.write_text(text)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
