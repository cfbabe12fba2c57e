"""Files read by Spark's own source, for plans without state: nothing of them enters Python.

Spark takes files by the time of their last change and reads each once, so this way is for plans that ask neither for
positions nor for files that grow.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.origin import Layer
from velostream.sources.streams.csv_records import header_of
from velostream.sources.streams.decoding import FileForm
from velostream.sources.streams.texts import BASE64, NOT_UTF8

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FORMATS = ("jsonl", "string", "csv", "parquet")
_ONLY_OURS = (".xz", ".zst", ".lz4")
"""Ways to compress that Spark cannot be sure to read."""
_LIES_BACK = "36500d"
"""Spark leaves out files that are older than the newest by more than this; its default of a week would lose some."""


def native_files(node: Any, lowering: Any, form: FileForm, found: Sequence[Path]) -> DataFrame | None:
    """The stream, if Spark can read these files: text as `value`, else the declared columns; faults beside them."""
    if not _is_able(node, lowering, form, found):
        return None
    settings = node.settings
    at_once = None if settings.get("files.per.batch") is None else settings.integer("files.per.batch")
    lowering.first_bytes += sum(file.stat().st_size for file in found[:at_once] if file.exists())
    reader = lowering.spark.readStream.name(f"source_{node.source}").option("maxFileAge", _LIES_BACK)
    if at_once is not None:
        reader = reader.option("maxFilesPerTrigger", at_once)
    path = _path(settings.text("path"), Path(lowering.run.folder))
    declared = ", ".join(f"`{column.name}` {column.type}" for column in node.declared)
    columns: Sequence[str] = form.columns
    if form.format == "parquet":
        frame = reader.schema(declared).parquet(path)
    elif form.format == "csv":
        frame, columns = _csv(reader, node, form, path, declared)
    else:
        frame, columns = _text(reader.text(path), node, form)
    return _with_system(frame, columns, placed=lowering.run.slots or f"{node.alias}._topic" in node.fields.names)


def _is_able(node: Any, lowering: Any, form: FileForm, found: Sequence[Path]) -> bool:
    settings = node.settings
    if node.way is None or node.way.kind != "spark" or form.format not in _FORMATS:
        return False
    interval = settings.find("watch.interval")
    told = interval is not None and interval.origin.layer > Layer.PRESET
    if not lowering.run.bounded and (settings.get("watch") is False or told):
        return False
    full = os.path.join(lowering.run.folder, settings.text("path"))  # noqa: PTH118
    if set(full) & set("[]{}\\") or "**" in full:
        return False
    if any(file.suffix.casefold() in _ONLY_OURS for file in found):
        return False
    if form.format != "csv":
        return True
    if any(str(column.type) in ("STRING", "BINARY") for column in node.declared):
        # Spark's reader puts another sign in the place of bytes that are not UTF-8, and what they were is lost; and it
        # takes the letters of base64 for the bytes that they stand for.
        return False
    if not form.csv.header:
        return True
    wanted = [name.casefold() for name in form.columns]
    return all([name.strip().casefold() for name in header_of(str(file), form.csv)] == wanted for file in found)


def _path(path: str, folder: Path) -> str:
    """The path as Spark takes it: always a glob, since it does not stream a single file."""
    full = os.path.abspath(os.path.join(folder, path.removeprefix("file://")))  # noqa: PTH100, PTH118
    if os.path.isdir(full):  # noqa: PTH112
        return os.path.join(full, "*")  # noqa: PTH118
    head, name = os.path.split(full)
    if set(name) & set("*?"):
        return full
    return os.path.join(head, re.sub("([A-Za-z0-9])", r"[\1]", name, count=1))  # noqa: PTH118


def _text(frame: DataFrame, node: Any, form: FileForm) -> tuple[DataFrame, Sequence[str]]:
    """Lines; blank ones are no records, and bytes that are not UTF-8 are kept in base64."""
    from pyspark.sql import functions as F  # noqa: N812

    bom = F.lit("\ufeff")
    good = F.is_valid_utf8(F.col("value"))
    frame = frame.withColumns(
        {
            "_raw": F.when(~good, F.concat(F.lit(BASE64), F.base64(F.col("value").cast("binary")))),
            "_fault": F.when(~good, F.lit(NOT_UTF8)),
            "value": F.when(
                good,
                F.when(F.startswith(F.col("value"), bom), F.substring(F.col("value"), 2, 1 << 30)).otherwise(
                    F.col("value")
                ),
            ),
        }
    )
    if form.format != "string":
        return frame.filter(F.col("value").isNull() | (F.trim(F.col("value")) != "")), ("value", "_raw", "_fault")
    name = node.declared[0].name
    return frame.withColumnRenamed("value", name), (name, "_raw", "_fault")


def _csv(reader: Any, node: Any, form: FileForm, path: str, declared: str) -> tuple[DataFrame, Sequence[str]]:
    """Columns, none of which is text; what is not UTF-8 is no number either."""
    from pyspark.sql import functions as F  # noqa: N812

    csv = form.csv
    options = {"header": csv.header, "enforceSchema": False, "multiLine": True, "mode": "PERMISSIVE"}
    options |= {"sep": csv.delimiter, "quote": csv.quote, "escape": csv.escape or csv.quote}
    options["columnNameOfCorruptRecord"] = "_raw"
    if node.settings.get("csv.null") is not None:
        options["nullValue"] = node.settings.text("csv.null")
    frame = reader.options(**options).schema(f"{declared}, _raw STRING").csv(path)
    fault = F.when(F.col("_raw").isNotNull(), F.lit("the text is not a record of the declared columns"))
    return frame.withColumn("_fault", fault), (*form.columns, "_raw", "_fault")


def _with_system(frame: DataFrame, columns: Sequence[str], *, placed: bool) -> DataFrame:
    """The columns and no marks: there is no state that would ask for them. The file is there as `_topic` only where
    rows are `placed` by it: with it Spark also reads every record's number in its file."""
    from pyspark.sql import functions as F  # noqa: N812

    path = F.regexp_replace(F.col("_metadata.file_path"), "^file:/*", "/")
    plain = F.url_decode(F.regexp_replace(path, "[+]", "%2B"))
    return frame.select(
        *(F.col(f"`{name}`") for name in columns),
        *([plain.alias("_topic")] if placed else []),
        F.lit(None).cast("string").alias("_mark"),
    )
