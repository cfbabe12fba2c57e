"""Columns that SQL does not list: by a list in the settings, by a schema file, or by sample records of local files."""

from __future__ import annotations

from pathlib import Path

from velostream.config.connections.address import format_of
from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.formats import FORMATS
from velostream.formats.field import Field
from velostream.formats.inference import infer
from velostream.formats.inference.csv import CsvOptions
from velostream.formats.schemas.file import read_schema
from velostream.sources.file import FILE_SOURCE, matching


def columns_from_settings(settings: Settings, folder: Path) -> tuple[Field, ...] | None:
    """The columns of a source; None where only running it can tell."""
    listed = _optional(settings, "schema")
    if isinstance(listed, tuple):
        return listed
    named = _optional(settings, "schema.file")
    if named is not None:
        return _of_file(str(named), settings, folder)
    whole = FORMATS.get(str(_optional(settings, "format")))
    if whole is not None and whole.columns:
        return whole.columns
    kind = settings.find("type")
    return _sampled(settings, folder) if kind is not None and kind.value == FILE_SOURCE.name else None


def _of_file(named: str, settings: Settings, folder: Path) -> tuple[Field, ...]:
    """The columns of a schema file; what is wrong with it is said of the path as typed, where it is typed."""
    path = folder / named
    try:
        return read_schema(path, str(_optional(settings, "schema.message") or ""))
    except VeloError as error:
        value = settings.value("schema.file")
        span = value.origin.span if value is not None else None
        message = error.message.replace(f"'{path}'", f"'{named}'")
        raise VeloError(message, hint=error.hint, span=span, code=error.error_code) from None


def _sampled(settings: Settings, folder: Path) -> tuple[Field, ...] | None:
    path = _optional(settings, "path")
    if path is None:
        return None
    files = matching(str(path), folder)
    name = str(_optional(settings, "format") or format_of(str(path)) or "")
    filled = [file for file in files if file.stat().st_size]
    return infer(filled, name, _csv(settings)) if filled and name else None


def _csv(settings: Settings) -> CsvOptions | None:
    if settings.known.find("csv.delimiter") is None:
        return None
    escape, null = settings.get("csv.escape"), settings.get("csv.null")
    return CsvOptions(
        settings.text("csv.delimiter"),
        settings.boolean("csv.header"),
        settings.text("csv.quote"),
        str(escape) if escape is not None else None,
        str(null) if null is not None else "",
    )


def _optional(settings: Settings, name: str) -> object:
    return settings.get(name) if settings.known.find(name) is not None else None
