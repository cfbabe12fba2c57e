"""Records that a test gives: a file for each micro-batch, in which every record says its partition and offset.

Spark's own text source reads them: nothing of them needs a Python worker, which a small test would mostly wait for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.types import HEADERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GIVEN = "given"
"""The connector of a scan whose records a test gives; SQL has no name for it."""
_LINE = (
    "value STRING, partition INT, offset BIGINT, topic STRING, key STRING, timestamp BIGINT, clock BIGINT, "
    f"headers {HEADERS}, mark STRING"
)
"""What a line says of a record; its time, and what the clock shows, are in microseconds."""
_FIRST = 1_000_000_000
"""When the first file was written, in seconds: Spark takes files by that time, and two of one second in any order."""


def write_batch(folder: Path, number: int, known: dict[str, Any], records: Iterable[dict[str, Any]]) -> None:
    """Writes a micro-batch: what is `known` of the partitions, then a line for each record."""
    lines = map(json.dumps, ({"mark": json.dumps(known)}, *records))
    hidden, file = folder / f".{number:06d}.jsonl", folder / f"{number:06d}.jsonl"
    hidden.write_text("\n".join(lines) + "\n")
    os.utime(hidden, (_FIRST + number, _FIRST + number))
    hidden.replace(file)


def open_given(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    """The stream of a scan whose records a test gives; they are text, whatever the application's source is. Changes are
    the bytes of a message, since one without a value is one of them."""
    from pyspark.sql import functions as F  # noqa: N812

    declared = ", ".join(f"`{column.name}` {column.type}" for column in node.declared)
    reader = lowering.spark.readStream.name(f"source_{node.alias}").option("maxFilesPerTrigger", 1)
    lines = reader.text(node.settings.text("path")).select(F.from_json("value", _LINE).alias("line"))
    frame = lines.select(
        F.col("line.value").cast("binary" if node.changelog else "string").alias("value"),
        *(
            F.col(f"line.{name}").alias(f"_{name}")
            for name in ("partition", "offset", "topic", "key", "headers", "mark")
        ),
        F.timestamp_micros("line.timestamp").alias("_timestamp"),
        F.coalesce(F.timestamp_micros("line.clock"), F.current_timestamp()).alias("_clock"),
    )
    return frame, declared, "debezium_json" if node.changelog else "jsonl"
