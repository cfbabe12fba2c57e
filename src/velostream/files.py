"""Files that are whole or not there: written under another name, then renamed; and locks between processes."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_native_id


def replace_text(file: Path, text: str) -> None:
    """Puts the text in place of what the file held, in one step that survives a power cut. Of several who do so at
    once, each has a file of its own on the way."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}-{get_native_id()}.new")
    with temporary.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(file)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """One process and one thread at a time; a process that dies gives the lock back."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
