"""SQL text as it may be shown: the values of secret properties, and passwords inside of URLs, are masked."""

from __future__ import annotations

import re

from velostream.config.secrets import is_secret, masked
from velostream.sql.setting_values import setting_values

_IN_COMMENTS = re.compile(
    r"""(?P<key>'[^'\n]*'|"[^"\n]*"|[\w.-]+)(?P<equals>\s*=\s*)(?P<quote>['"])[^\n]*?(?P=quote)"""
)


def masked_sql(sql: str) -> str:
    """The text without secrets; its lines stay where they are."""
    parts, done = [], 0
    for value in setting_values(sql):
        text = sql[value.start : value.end]
        parts.append(sql[done : value.start])
        parts.append("'****'" + "\n" * text.count("\n") if is_secret(value.key) else masked(value.key, text))
        done = value.end
    return masked("", _IN_COMMENTS.sub(_setting, "".join([*parts, sql[done:]])))


def _setting(found: re.Match[str]) -> str:
    """A setting that somebody has left in a comment, which is no token."""
    return f"{found['key']}{found['equals']}'****'" if is_secret(found["key"]) else found[0]
