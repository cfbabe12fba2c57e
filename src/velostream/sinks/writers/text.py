"""How Spark is told to write the same text as `formats.encoding` does."""

from __future__ import annotations

from velostream.formats.encoding.csv_texts import CsvStyle

_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
"""All digits of a microsecond, so that nothing is lost and text sorts as time does."""
JSON_OPTIONS = {**_TIMES, "ignoreNullFields": "false"}
_SPACES = {"ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"}


def csv_options(style: CsvStyle) -> dict[str, str]:
    """A style of CSV in Spark's words."""
    return {
        **_TIMES,
        **_SPACES,
        "sep": style.delimiter,
        "quote": style.quote,
        "escape": style.escape,
        "nullValue": style.null,
    }
