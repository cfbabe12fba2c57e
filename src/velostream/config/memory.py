"""The budget of a job's state in memory (`state.memory.total`): what the hot tier and the warm one take of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from velostream.config.settings import Settings

HOT, WARM = 50, 30
"""Percent of the budget, where nobody says how much a tier may take; the rest is spare."""


def hot_size(settings: Settings) -> int:
    """Bytes for decoded state."""
    return _share(settings, "state.hot.max_size", HOT)


def cache_size(settings: Settings) -> int:
    """Bytes for what state stores read and write."""
    return _share(settings, "state.warm.cache_size", WARM)


def _share(settings: Settings, name: str, percent: int) -> int:
    """What is set, else a part of a budget that is set, else the default."""
    if settings.find(name) is None and settings.find("state.memory.total") is not None:
        return settings.size("state.memory.total") * percent // 100
    return settings.size(name)
