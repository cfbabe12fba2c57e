"""The keys of specifications: what each means and which values it takes. Reading, the schema and the page go by it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Shape = dict[str, Any]
"""A value's shape, as JSON Schema says it."""

TEXT: Shape = {"type": "string"}
SCALAR: Shape = {"type": ["string", "number", "boolean"]}
TIME: Shape = {"type": ["string", "number"]}
TEXTS: Shape = {"type": "array", "items": {"type": "string"}}
ROW: Shape = {"type": "object"}
ROWS: Shape = {"type": "array", "items": ROW}
SETTINGS: Shape = {"type": "object", "additionalProperties": SCALAR}
WHOLE: Shape = {"type": "integer", "minimum": 0}
TRUTH: Shape = {"type": "boolean"}


def part(name: str) -> Shape:
    """A mapping that the schema describes elsewhere."""
    return {"$ref": f"#/$defs/{name}"}


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a mapping."""

    name: str
    doc: str
    shape: Shape = field(default_factory=lambda: TEXT)


FILE = (
    Key("setup", "SQL that stands before the `sql` of every case"),
    Key("set", "settings for all cases; a case may set others", SETTINGS),
    Key("preset", "the preset for all cases"),
    Key("variables", "what the environment has for all cases", SETTINGS),
    Key("day", "the day of times of day in all cases, 2024-01-01 without it"),
    Key("cases", "the cases", {"type": "array", "items": part("case"), "minItems": 1}),
)
_NAMED_INPUTS: Shape = {"type": "object", "additionalProperties": part("input")}
_EXPECTED: Shape = {"anyOf": [ROWS, part("expectation")]}
CASE = (
    Key("name", "what the case shows; `-k` looks for a part of it"),
    Key("app", "the file of the application, relative to the specification"),
    Key("sql", "the application itself"),
    Key("set", "settings above all files, as `--set` gives them", SETTINGS),
    Key("preset", "the preset to start from: dev or prod"),
    Key("variables", "what the environment has; without it nothing: a test does not depend on where it runs", SETTINGS),
    Key("day", "the day of times of day, such as 10:05:03"),
    Key("inputs", "by the name of a source or a table: rows, or more about them", _NAMED_INPUTS),
    Key("batches", "instead of `inputs`: all micro-batches in order", {"type": "array", "items": part("batch")}),
    Key(
        "expect",
        "what the only job gives, or by the names of jobs and sinks what each gives; a list is its rows",
        {"anyOf": [ROWS, part("expectation"), {"type": "object", "additionalProperties": _EXPECTED}]},
    ),
    Key("printed", "all lines that statements without a sink, and console sinks, print, in any order", TEXTS),
    Key("fails", "how the run fails", part("failure")),
    Key(
        "stop",
        "after how many micro-batches the second run stops and resumes, else in the middle; `never` for no second run",
        {"anyOf": [{"type": "integer", "minimum": 1}, {"const": "never"}]},
    ),
    Key("refuses", "all errors of checking, each as `code line:column`", TEXTS),
    Key("warns", "all warnings of checking", TEXTS),
    Key("notes", "all notes of checking", TEXTS),
    Key("hints", "texts that the findings hold", TEXTS),
    Key("columns", "the columns of the last query, with their types", {"type": "object", "additionalProperties": TEXT}),
    Key("explains", "texts that the plan holds", TEXTS),
)
INPUT = (
    Key("rows", "the rows of one micro-batch", ROWS),
    Key("batches", "a list of rows for each micro-batch", {"type": "array", "items": ROWS}),
    Key(
        "files",
        "files to be read instead: the settings of a file_source, `path` relative to the specification",
        SETTINGS,
    ),
    Key("generate", "records to be generated: the settings of a datagen_source", SETTINGS),
    Key(
        "partitions",
        "how many partitions, or which, are known from the start; without it those that rows name",
        {"anyOf": [WHOLE, {"type": "array", "items": {"type": "integer"}}]},
    ),
)
BATCH = (
    Key("clock", "what the clock shows in this micro-batch; all batches have it, or none", TIME),
    Key("inputs", "the rows of each source", {"type": "object", "additionalProperties": ROWS}),
)
EXPECTATION = (
    Key("rows", "all rows, with the columns that matter", ROWS),
    Key("count", "how many rows there are", WHOLE),
    Key("ordered", "whether rows come in this order", TRUTH),
    Key("exact", "whether rows have no other columns", TRUTH),
    Key("newest", "columns of a key: only its newest revision counts, and none that was withdrawn", TEXTS),
    Key("dead_letters", "all dead letters of the job, with the fields that matter", ROWS),
    Key("report", "numbers of the job's report by their path, such as `records.read`", {"type": "object"}),
)
FAILURE = (
    Key("code", "the code of the error"),
    Key("message", "a part of its message"),
)
PARTS = {"case": CASE, "input": INPUT, "batch": BATCH, "expectation": EXPECTATION, "failure": FAILURE}
"""The mappings below a file, by the name that the schema gives them."""


def names(keys: tuple[Key, ...]) -> tuple[str, ...]:
    """The names of keys."""
    return tuple(key.name for key in keys)
