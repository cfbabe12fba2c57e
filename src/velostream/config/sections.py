"""Sections of configuration files that read better than keys: `watermarks:` and `checkpointing:`.

watermarks:                      watermark.idle_timeout = 5m
  idle_timeout: 5m               metrics.watermark.max_out_of_orderness = 2m
  metrics:
    max_out_of_orderness: 2m     where `metrics` is a source
checkpointing:
  interval: 30s                  checkpoint.interval = 30s
"""

from __future__ import annotations

from collections.abc import Collection

_SECTIONS = {"watermarks": "watermark", "checkpointing": "checkpoint"}


def translate(key: str, names: Collection[str]) -> str:
    """The key of a property that a key of a file means; `names` are the sources of the application."""
    head, _, rest = key.partition(".")
    prefix = _SECTIONS.get(head.casefold())
    if prefix is None or not rest:
        return key
    first, _, last = rest.partition(".")
    if last and first.casefold() in {name.casefold() for name in names}:
        return f"{first}.{prefix}.{last}"
    return f"{prefix}.{rest}"
