"""How keys are written, and compared: letter case, and whether parts are joined by `.`, `_` or `-`, make no difference.

`watermark.idle_timeout`, `watermark.idle-timeout` and `WATERMARK_IDLE_TIMEOUT` are one key. Only the dot after the name
of a source or sink must be a dot: `trades.topic`.
"""

import re
from functools import cache

_JOINTS = re.compile(r"[._-]+")


@cache
def fold(key: str) -> str:
    """The form in which two spellings of one key are equal."""
    return _JOINTS.sub("_", key.strip().casefold())


def squeeze(word: str) -> str:
    """The form in which two spellings of one word are equal: `SendToDLQ`, `send_to_dlq` and `send-to-dlq`."""
    return _JOINTS.sub("", word.casefold())


def setting(key: str, value: str) -> str:
    """A key and its value as WITH takes them."""
    return "'{}' = '{}'".format(key, value.replace("'", "''"))
