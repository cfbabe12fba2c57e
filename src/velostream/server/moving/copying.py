"""A copy of an application's state for a version that runs beside it: the same past, and an identity of its own."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from functools import partial
from pathlib import Path
from urllib.parse import quote

from velostream.files import replace_text
from velostream.jobs.home import Home
from velostream.sinks.letters import COPIED

SPARK = "spark"


def copy_state(source: Path, target: Path) -> None:
    """Copies all checkpoints. Only while nobody writes to the source.

    Every query gets a new id, which is part of every sink's markers: what the copy writes is not taken for something
    that was written before. Spark remembers the files of a job's own folder by their whole path: the copy knows them
    where they are now, or it would take its commands for new ones.
    """
    shutil.rmtree(target, ignore_errors=True)
    hidden = target.with_name(f".{target.name}")
    shutil.rmtree(hidden, ignore_errors=True)
    if not source.exists():
        hidden.mkdir(parents=True)
    else:
        ignored = shutil.ignore_patterns(".lock")
        shutil.copytree(source, hidden, copy_function=partial(_copied, source), ignore=ignored)
    for metadata in hidden.glob(f"*/{SPARK}/metadata"):
        _write(metadata, _with_new_id(metadata.read_text()))
    for remembered in hidden.glob(f"*/{SPARK}/sources/**/*"):
        if remembered.is_file() and not remembered.name.startswith("."):
            _move_paths(remembered, source, target)
    (hidden / COPIED).touch()
    hidden.rename(target)


def carry_letters(source: Path, target: Path) -> None:
    """The dead letters of a version that has ended go to the one that is left, which has those before it was copied."""
    for file in source.glob("*/dead-letters/*.jsonl"):
        place = Home(target / file.parent.parent.name).letters / file.name
        if place.parent.parent.exists() and not place.exists():
            replace_text(place, file.read_text(encoding="utf-8"))


def _copied(root: Path, source: str, target: str) -> str:
    """Spark never changes a file that it has written, so one file may be in both; what is changed here is copied."""
    inside = Path(source).relative_to(root).parts[1:]
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
