"""SQL text as it may be shown: the values of secret properties, and passwords inside of URLs, are masked."""

from __future__ import annotations

import re

from velostream.config.secrets import is_secret, masked

_SETTING = re.compile(r"""(?P<key>'[^'\n]*'|"[^"\n]*"|[\w.-]+)(?P<equals>\s*=\s*)'(?P<value>(?:[^']|'')*)'""")


def masked_sql(sql: str) -> str:
    """The text without secrets; its lines stay where they are."""
    return masked("", _SETTING.sub(_setting, sql))


def _setting(found: re.Match[str]) -> str:
    value = found["value"]
    key = found["key"].strip("'\"")
    shown = "****" + "\n" * value.count("\n") if is_secret(key) else masked(key, value)
    return f"{found['key']}{found['equals']}'{shown}'"
