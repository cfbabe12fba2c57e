"""The page of the keys that specifications of `velo test` have, and their JSON Schema."""

from __future__ import annotations

import json

from velostream.cli.pages import markdown
from velostream.testing.keys import BATCH, CASE, EXPECTATION, FAILURE, FILE, INPUT, Key
from velostream.testing.schema import schema

_INTRO = (
    "A specification is a YAML file with one case, or with several under `cases`. [Testing](../guides/testing.md)",
    "shows how to write one; editors check and complete it by [spec.schema.json](spec.schema.json).",
)
_PARTS: tuple[tuple[str, tuple[Key, ...]], ...] = (
    ("A file of several cases", FILE),
    ("A case", CASE),
    ("An input, where it is not a list of rows", INPUT),
    ("A micro-batch of `batches`", BATCH),
    ("What a job is to give", EXPECTATION),
    ("How a run fails", FAILURE),
)


def page() -> str:
    """Keys by the mapping that they stand in."""
    parts: list[tuple[str, ...] | list[str]] = [_INTRO]
    for title, keys in _PARTS:
        parts.append((f"## {title}",))
        parts.append(markdown.table(("key", "means"), [(markdown.code(key.name), key.doc) for key in keys]))
    return markdown.page("Specifications", *parts)


def schema_file() -> str:
    """The JSON Schema."""
    return json.dumps(schema(), indent=2) + "\n"
