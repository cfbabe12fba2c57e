"""JSON: an object for each record. In files, one object per line (jsonl), or an array of objects."""

from velostream.formats.base import Format
from velostream.formats.schema_options import REGISTRY

JSON = Format(
    "json",
    "a JSON object for each record; a file holds an array of them, or one per line",
    REGISTRY,
)

JSONL = Format(
    "jsonl",
    "one JSON object per line",
    aliases=("json_lines", "ndjson"),
    key_capable=False,
)
