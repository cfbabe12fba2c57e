"""Commands: the only clock and the only orders that a running query gets. Each is a file, read once by Spark itself.

Which files a micro-batch reads is in Spark's log, so a re-run of it hears the same. A test may give the clock of every
micro-batch: one command each, in step with the files of its records.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.files import replace_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CLOCK = ".clock"
"""The last time that a test gave; Spark does not read files whose names begin so."""
KEPT = 100
"""How many commands are kept for batches that are run again."""
_FIRST = 1_000_000_000
"""When the first command was written, as its file says, in seconds: Spark takes files in the order of their times."""


def command(folder: Path, **facts: Any) -> None:
    """Gives a command: it reaches every bucket in the next micro-batch that is free of another one.

    Where a test gives the clock, a command comes at the last time given.
    """
    given = folder / _CLOCK
    clock = {"clock": int(given.read_text())} if given.exists() else {}
    _give(folder, {"now": time.time_ns() // 1000, **clock, **facts})


def give_clocks(folder: Path, times: Sequence[int]) -> None:
    """Sets the clock of the micro-batches to come, in microseconds, one after another."""
    for moment in times:
        _give(folder, {"clock": moment})
        replace_text(folder / _CLOCK, str(moment))


def _give(folder: Path, facts: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    number = max((int(file.stem) for file in folder.glob("[0-9]*.json")), default=0) + 1
    hidden = folder / f".{number:09d}"
    replace_text(hidden, json.dumps(facts) + "\n")
    os.utime(hidden, (_FIRST + number, _FIRST + number))
    hidden.replace(_file(folder, number))
    _file(folder, number - KEPT).unlink(missing_ok=True)


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number:09d}.json"


def open_control(spark: SparkSession, folder: Path, name: str) -> DataFrame:
    """The commands as a stream of JSON in a column `facts`, one in a micro-batch."""
    folder.mkdir(parents=True, exist_ok=True)
    reader = spark.readStream.name(name).option("maxFilesPerTrigger", 1).option("wholetext", "true")
    return reader.text(str(folder)).withColumnRenamed("value", "facts")
