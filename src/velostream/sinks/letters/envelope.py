"""A record on its way to be a dead letter: one text that holds its value, and its key, headers, topic and time.

A value or key that is UTF-8 is kept as it is; anything else, a text that looks like one of the forms here or has a zero
in it, is kept as `base64:` and its bytes in base64. So nothing that a source delivered is lost, or can be taken for
something else.
"""

from __future__ import annotations

import base64
import json
from typing import Any

BASE64 = "base64:"
OPENS, PARTS = "\x1e", "\x1f"
"""An envelope is `OPENS key PARTS timestamp PARTS headers PARTS topic OPENS value`: key, header values and value in
base64 or nothing, where there is none; the value behind a `+` as kept text."""
DERIVED = "\x1d"
"""How a text begins that is not the record, but a row that the job made of it."""
NULL = "-"
ZERO = "\0"
"""What not all that holds text can hold."""


def opened(text: str | None) -> dict[str, Any]:
    """What is in an envelope, by the fields of a letter; a text without one is the record itself."""
    if text is not None and text.startswith(DERIVED):
        return {"record": None, "row": text[1:]}
    if text is None or not text.startswith(OPENS):
        return {"record": text}
    head, value = text[1:].split(OPENS, 1)
    key, timestamp, headers, topic = head.split(PARTS, 3)
    return {
        "record": None if value == NULL else value[1:],
        "key": None if key == NULL else kept(base64.b64decode(key)),
        "timestamp": int(timestamp) if timestamp else None,
        "headers": _headers(headers),
        "topic": topic or None,
    }


def kept(data: bytes) -> str:
    """Bytes as a letter holds them: as text where they are, else in base64."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = BASE64
    if text.startswith((BASE64, OPENS, DERIVED)) or ZERO in text:
        return BASE64 + base64.b64encode(data).decode("ascii")
    return text


def original(text: str | None) -> bytes | None:
    """The bytes that a letter holds."""
    if text is None:
        return None
    return base64.b64decode(text.removeprefix(BASE64)) if text.startswith(BASE64) else text.encode()


def _headers(text: str) -> list[dict[str, str | None]] | None:
    if not text:
        return None
    return [
        {"key": one["key"], "value": kept(base64.b64decode(one["value"])) if one.get("value") is not None else None}
        for one in json.loads(text)
    ]
