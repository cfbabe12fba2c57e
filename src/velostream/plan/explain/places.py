"""Where a source, a table or a sink is, by its settings: topic, path, table, URL, servers. Secrets are masked."""

from __future__ import annotations

from typing import Any

_PLACES = ("topic", "topic.pattern", "path", "table", "query", "url", "listen", "bootstrap.servers")


def place_data(settings: Any) -> dict[str, str]:
    """What says where it is, by the property's name; nothing for what is nowhere, such as generated data."""
    if settings is None:
        return {}
    found = {name: settings.values.get(name) for name in _PLACES}
    return {name: value.shown for name, value in found.items() if value is not None}


def place_text(settings: Any) -> str:
    """`topic trades, bootstrap.servers localhost:9092`; empty for what is nowhere."""
    return ", ".join(f"{name} {' '.join(shown.split())}" for name, shown in place_data(settings).items())
