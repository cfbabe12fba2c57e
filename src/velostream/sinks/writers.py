"""Rows to files and to the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.config.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ENDINGS = {"jsonl": "jsonl", "json": "jsonl", "csv": "csv", "parquet": "parquet"}


def write_files(rows: DataFrame, settings: Settings, query: str, number: int) -> None:
    """Writes a micro-batch as files named by query and batch: written again, they replace themselves."""
    folder = Path(settings.text("path").removeprefix("file://"))
    form = settings.text("format")
    staging = folder / ".staging" / f"{query}-{number}"
    writer = rows.write.mode("overwrite")
    compression = settings.get("compression")
    if compression is not None:
        writer = writer.option("compression", str(compression))
    if form == "parquet":
        writer.parquet(str(staging))
    elif form == "csv":
        writer.option("header", "true").csv(str(staging))
    else:
        writer.option("ignoreNullFields", "false").json(str(staging))
    prefix = f"part-{query[:8]}-{number:09d}-"
    for old in folder.glob(f"{prefix}*"):
        old.unlink()
    files = [file for file in sorted(staging.glob("part-*")) if file.stat().st_size]
    for index, file in enumerate(files):
        suffix = "." + _ENDINGS[form] + ("".join(file.suffixes[1:]) if form != "parquet" else "")
        file.replace(folder / f"{prefix}{index:05d}{suffix}")
    shutil.rmtree(staging, ignore_errors=True)


def write_console(rows: DataFrame, show: Callable[[str], None]) -> None:
    """Shows the rows of a micro-batch, a line each."""
    for row in rows.collect():
        show("  ".join(f"{name}={value}" for name, value in row.asDict().items()))
