"""Times as people give them to a verb: a moment, or a length of time before now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from velostream.durations import parse
from velostream.errors import VeloError


def moment(text: str) -> datetime | None:
    """The time that a text means, None for no text; without a zone it is UTC."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        try:
            found = datetime.now(UTC) - timedelta(microseconds=parse(text))
        except VeloError:
            message = f"'{text}' is not a time"
            raise VeloError(message, hint="write 2026-01-31T12:00, or 2h for two hours ago", code="usage") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def letter_time(text: str) -> str:
    """The same, as dead letters have it."""
    found = moment(text)
    return "" if found is None else found.isoformat().replace("+00:00", "Z")
