"""Columns of CSV files: names from the header, types from the values as Spark's inferSchema tells them.

Whole numbers are BIGINT, however small the samples are; empty values are NULL.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.inference.merging import WIDE, Sample
from velostream.formats.inference.text import BYTES, RECORDS, head
from velostream.types import Type

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|NaN|[+-]?Inf(inity)?")
_DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(_DATE.pattern + r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?")


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """How a CSV file is written; the options `csv.*`."""

    delimiter: str = ","
    header: bool = True
    quote: str = '"'
    escape: str | None = None
    null: str = ""


def infer_csv(paths: Sequence[Path], options: CsvOptions) -> tuple[Field, ...]:
    """The columns of CSV files. A row that does not have as many values as there are columns is passed over."""
    sample, left = Sample(), BYTES
    names: list[str] = []
    for path in paths:
        if left <= 0 or sample.records >= RECORDS:
            break
        text, complete = head(path, left)
        left -= len(text.encode())
        rows = _parsed(text, options, path)
        # The limit may have cut the last row inside of a quoted value.
        names = _add(rows if complete else rows[:-1], names, sample, options, path)
    if not names:
        raise InvalidSchema("there is no header and no row to take columns from", hint="declare the columns")
    return sample.fields(names)


def _parsed(text: str, options: CsvOptions, path: Path) -> list[list[str]]:
    try:
        rows = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=options.delimiter,
            quotechar=options.quote,
            escapechar=options.escape,
            doublequote=options.escape is None,
        )
        return [row for row in rows if row]
    except csv.Error as error:
        raise InvalidSchema(f"'{path.name}' is not CSV: {error}") from None


def _add(rows: list[list[str]], names: list[str], sample: Sample, options: CsvOptions, path: Path) -> list[str]:
    """Takes the rows of one file into the sample; gives the names of the columns."""
    if options.header and rows:
        names = names or _header(rows[0], path)
        rows = rows[1:]
    elif rows:
        names = names or [f"_c{index}" for index in range(len(rows[0]))]
    for row in rows[: RECORDS - sample.records]:
        if len(row) == len(names):
            sample.add({name: type_of(value, options.null) for name, value in zip(names, row, strict=True)})
    return names


def _header(row: list[str], path: Path) -> list[str]:
    names = [name.strip() for name in row]
    folded = [name.casefold() for name in names]
    if not all(names):
        raise InvalidSchema(f"the header of '{path.name}' has a column without a name", hint="declare the columns")
    twice = next((name for name in names if folded.count(name.casefold()) > 1), None)
    if twice is not None:
        raise InvalidSchema(f"the header of '{path.name}' has column '{twice}' twice", hint="declare the columns")
    return names


def type_of(text: str, null: str = "") -> Type:
    """The type of one value as it is written."""
    if text in ("", null):
        return types.NULL
    if _WHOLE.fullmatch(text):
        return (
            types.BIGINT if -(2**63) <= int(text) < 2**63 else WIDE if len(text.lstrip("+-0")) <= 38 else types.DOUBLE
        )
    if _REAL.fullmatch(text):
        return types.DOUBLE
    if text.casefold() in ("true", "false"):
        return types.BOOLEAN
    if _DATE.fullmatch(text):
        return types.DATE
    return types.TIMESTAMP if _TIME.fullmatch(text) else types.STRING
