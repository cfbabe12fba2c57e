"""Where the cold tier of a job lies: a folder, or a PostgreSQL that is named or that the environment knows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from velostream.config.settings import Settings

NONE, FILES, POSTGRES = "none", "files", "postgres"
ENVIRONMENT = "PGHOST"
"""Names the PostgreSQL where nobody has named another."""


def place_of(settings: Settings, environment: Mapping[str, str] | None = None) -> str | None:
    """Where the tier lies; None where nobody has said it. An empty place is the PostgreSQL of the environment."""
    given = settings.get("state.cold.location")
    if given is not None:
        return str(given)
    known = os.environ if environment is None else environment
    return "" if settings.text("state.cold.backend") == POSTGRES and known.get(ENVIRONMENT) else None
