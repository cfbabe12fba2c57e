"""What a message about objects says, as S3 writes it: by itself, through a topic of SNS, or through EventBridge."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from velostream.stores import PREFIX

_TEST = "s3:TestEvent"
"""What S3 sends when notifications are turned on."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Objects that were made, in the order of the message, and how many other things it tells of."""

    made: tuple[str, ...] = ()
    others: int = 0


def read_notice(body: str) -> Notice:
    """What a message says; a ValueError where it is not about objects."""
    said = json.loads(body)
    if isinstance(said, dict) and said.get("Type") == "Notification" and isinstance(said.get("Message"), str):
        said = json.loads(said["Message"])
    if not isinstance(said, dict):
        raise ValueError("it is not an object of JSON")
    if said.get("Event") == _TEST:
        return Notice()
    if said.get("source") == "aws.s3" and isinstance(said.get("detail"), dict):
        made = said.get("detail-type") == "Object Created"
        return Notice((_object(said["detail"]),)) if made else Notice(others=1)
    records = said.get("Records")
    if not isinstance(records, list) or not all(isinstance(one, dict) and "s3" in one for one in records):
        raise ValueError("it has no Records of S3")
    made = [one for one in records if "ObjectCreated:" in str(one.get("eventName"))]
    return Notice(tuple(_object(one["s3"], coded=True) for one in made), len(records) - len(made))


def _object(said: Any, *, coded: bool = False) -> str:
    """The object of an event; S3 itself writes keys as they stand in an address of the web."""
    try:
        bucket, key = str(said["bucket"]["name"]), str(said["object"]["key"])
    except (KeyError, TypeError):
        raise ValueError("it names no object") from None
    return f"{PREFIX}{bucket}/{unquote_plus(key) if coded else key}"
