"""A preset that puts closed windows away needs a place for them: without one they are not kept, which is said."""

from __future__ import annotations

from velostream.config.cold import ENVIRONMENT, NONE, place_of
from velostream.config.origin import Layer
from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of, streams


def check(statement: BoundStatement, look: Look) -> None:
    """Notes where a preset has chosen a cold tier for windows, and nobody a place."""
    settings = statement.settings
    chosen = settings.find("state.cold.backend") if settings is not None else None
    if settings is None or chosen is None or chosen.value == NONE or chosen.origin.layer is not Layer.PRESET:
        return
    windowed = [select for select in selects_of(statement.query) if select.windowed and streams(select)]
    if windowed and place_of(settings) is None:
        message = f"{chosen.origin} puts closed windows away in PostgreSQL, and nobody names one: they are not kept"
        hint = f"set 'state.cold.location' or {ENVIRONMENT}, or 'state.cold.backend' = 'none'"
        look.findings.note("missing-property", message, windowed[0].span, hint=hint)
