"""Parquet: columns in files that know their schema."""

from velostream.formats.base import Format

PARQUET = Format("parquet", "Parquet files, which know their columns", key_capable=False)
