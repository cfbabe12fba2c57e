"""Columns from samples: up to 1,000 records or 1 MB of local files, read as Spark would infer them."""

from velostream.formats.inference.files import infer

__all__ = ["infer"]
