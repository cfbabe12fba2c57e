"""What is looked at before a source of files is started: that they are there, that they have the declared columns, and
that what is set can be done with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.sources.file import matching
from velostream.sources.streams.csv_records import header_of
from velostream.sources.streams.decoding import COLUMNAR, FileForm
from velostream.sources.streams.opening import is_compressed
from velostream.sources.streams.refusing import GROWING
from velostream.sources.streams.waiting import wait_for_files
from velostream.stores import is_remote, opened

_LOOKED_AT = 20
"""Files whose columns are looked at."""


def check_files(node: Any, form: FileForm, folder: Path, *, bounded: bool, before: bool) -> list[Path]:
    """The files of a scan; `before` says that some were read in an earlier run, so that none needs to be there now."""
    settings = node.settings
    found = matching(settings.text("path"), folder) if before else wait_for_files(node.source, settings, folder)
    if settings.boolean("growing"):
        _check_growing(node, found)
    check_form(node, form, [str(file) for file in found], bounded=bounded)
    return found


def check_form(node: Any, form: FileForm, found: Sequence[str], *, bounded: bool) -> None:
    """That files have the declared columns, and come to an end where the run does."""
    settings = node.settings
    if bounded and settings.get("watch"):
        message = f"'{node.source}' is watched for more files, so that a run until its end never ends"
        raise VeloError(
            message, hint=f"remove '{node.source}.watch', or run it without --until-done", code="unsupported"
        )
    _check_columns(node, form, found)


def _check_growing(node: Any, found: Sequence[Path]) -> None:
    packed = next((file for file in found if is_compressed(str(file))), None)
    if packed is not None:
        message = f"'{node.source}.growing' cannot be done: '{packed.name}' is compressed"
        hint = f"files that grow are {', '.join(GROWING)}, not compressed"
        raise VeloError(message, hint=hint, code="unsupported")


def _check_columns(node: Any, form: FileForm, found: Sequence[str]) -> None:
    """A declared column that no file has would be NULL by accident."""
    if not found or not (form.format in COLUMNAR or (form.format == "csv" and form.csv.header)):
        return
    names: dict[str, str] = {}
    for file in found[:_LOOKED_AT]:
        names |= {name.strip().casefold(): name.strip() for name in column_names(file, form)}
    missing = next((column for column in form.columns if column.casefold() not in names), None)
    if missing is not None and names:
        message = f"no file of '{node.source}' has column '{missing}'"
        raise VeloError(message, hint=did_you_mean(missing, list(names.values()), "columns"), code="unknown-column")


def column_names(path: str, form: FileForm) -> list[str]:
    """The columns that a file of CSV, Avro or Parquet says it has."""
    if form.format == "csv":
        return header_of(path, form.csv)
    if form.format == "avro":
        from velostream.sources.streams.avro import avro_columns

        return [one.name for one in avro_columns(path)]
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(opened(path) if is_remote(path) else path).names)
    except (OSError, pa.ArrowInvalid) as error:
        message = f"'{path}' is not a Parquet file: {error}"
        raise VeloError(message, hint="take it away, or correct path", code="source-unreadable") from None
