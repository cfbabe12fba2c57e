"""The JSON Schema of specifications, by which editors complete and check them."""

from __future__ import annotations

from typing import Any

from velostream.testing.keys import FILE, PARTS, ROWS, Key


def schema() -> dict[str, Any]:
    """The schema of a file: a case, or several."""
    parts = {name: _mapping(keys) for name, keys in PARTS.items()}
    parts["case"] |= {
        "oneOf": [{"required": ["sql"]}, {"required": ["app"]}],
        "not": {"required": ["inputs", "batches"]},
    }
    ways = ("rows", "batches", "files", "generate")
    parts["input"] = {"anyOf": [ROWS, {**parts["input"], "oneOf": [{"required": [way]} for way in ways]}]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Specification of velo test",
        "type": "object",
        "if": {"required": ["cases"]},
        "then": _mapping(FILE),
        "else": {"$ref": "#/$defs/case"},
        "$defs": parts,
    }


def _mapping(keys: tuple[Key, ...]) -> dict[str, Any]:
    properties = {key.name: {**key.shape, "description": key.doc} for key in keys}
    return {"type": "object", "properties": properties, "additionalProperties": False}
