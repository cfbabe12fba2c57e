"""A copy of an application's state for a version that runs beside it: the same past, and an identity of its own."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from pathlib import Path

SPARK = "spark"


def copy_state(source: Path, target: Path) -> None:
    """Copies all checkpoints. Every query gets a new id, which is part of every sink's markers: what the copy writes is
    not taken for something that was written before. Only while nobody writes to the source."""
    shutil.rmtree(target, ignore_errors=True)
    hidden = target.with_name(f".{target.name}")
    shutil.rmtree(hidden, ignore_errors=True)
    if not source.exists():
        hidden.mkdir(parents=True)
    else:
        shutil.copytree(source, hidden, copy_function=_linked, ignore=shutil.ignore_patterns(".lock"))
    for metadata in hidden.glob(f"*/{SPARK}/metadata"):
        _rename(metadata)
    hidden.rename(target)


def _linked(source: str, target: str) -> str:
    """Spark never changes a file that it has written, so one file may be in both; others are copied."""
    if f"/{SPARK}/" in source and not source.endswith("/metadata"):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def _rename(metadata: Path) -> None:
    """Gives a query a new id."""
    lines = metadata.read_text().splitlines()
    said = json.loads(lines[-1])
    lines[-1] = json.dumps({**said, "id": str(uuid.uuid4())})
    metadata.unlink()
    metadata.write_text("\n".join(lines))
    metadata.with_name(f".{metadata.name}.crc").unlink(missing_ok=True)
