"""Which sample is read how: by the format of the files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from velostream.errors import InvalidSchema
from velostream.formats import FORMATS
from velostream.formats.field import Field
from velostream.formats.inference.avro import infer_avro
from velostream.formats.inference.csv import CsvOptions, infer_csv
from velostream.formats.inference.json import infer_json
from velostream.formats.inference.parquet import infer_parquet


def infer(paths: Sequence[Path], format_name: str, csv: CsvOptions | None = None) -> tuple[Field, ...]:
    """The columns of local files of one format, in the order in which they are given.

    CSV and JSON are sampled over the files up to 1,000 records or 1 MB; Parquet and Avro files tell their columns, and
    the first file tells them for all. Raises InvalidSchema where nothing can be learnt.
    """
    if not paths:
        raise InvalidSchema("there is no file to take columns from", hint="declare the columns")
    if format_name == "csv":
        return infer_csv(paths, csv or CsvOptions())
    if format_name in ("json", "jsonl"):
        return infer_json(paths)
    if format_name == "parquet":
        return infer_parquet(paths[0])
    if format_name == "avro":
        return infer_avro(paths[0])
    known = FORMATS.get(format_name)
    if known is not None and known.columns:
        return known.columns
    raise InvalidSchema(f"columns cannot be learnt from files of format '{format_name}'", hint="declare the columns")
