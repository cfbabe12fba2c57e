"""Columns of a file source that nobody declares: from a sample of the files that are there."""

from __future__ import annotations

from pathlib import Path

from velostream.config.connections.address import format_of
from velostream.config.settings import Settings
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.inference import infer
from velostream.formats.inference.csv import CsvOptions
from velostream.sources.file import FILE_SOURCE, matching


def sampled_columns(settings: Settings, folder: Path) -> tuple[Field, ...] | None:
    """The columns of a file source; None for another source, or where no file is there yet.

    Paths are looked up in `folder`. Raises InvalidSchema where the files do not tell columns.
    """
    path = settings.values.get("path")
    if settings.get("type") != FILE_SOURCE.name or path is None:
        return None
    files = matching(str(path.value), folder)
    if not files:
        return None
    format_name = settings.get("format") or format_of(str(path.value)) or format_of(files[0].name)
    if format_name is None:
        hint = f"set '{settings.owner}.format' = 'csv', or another format"
        raise InvalidSchema(f"the format of '{files[0].name}' is not known by its ending", hint=hint)
    return infer(files, str(format_name), _csv_options(settings))


def _csv_options(settings: Settings) -> CsvOptions | None:
    if settings.known.find("csv.delimiter") is None:
        return None
    escape, null = settings.get("csv.escape"), settings.get("csv.null")
    return CsvOptions(
        delimiter=settings.text("csv.delimiter"),
        header=settings.boolean("csv.header"),
        quote=settings.text("csv.quote"),
        escape=None if escape is None else str(escape),
        null="" if null is None else str(null),
    )
