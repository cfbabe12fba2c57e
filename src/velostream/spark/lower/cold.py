"""Why the cold tier of a job cannot be had: it says no final rows of windows, or nobody has said where to put them."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.config.cold import FILES, NONE, POSTGRES, place_of
from velostream.config.origin import Layer
from velostream.errors import VeloError
from velostream.plan.cold import closing
from velostream.plan.job import Job

_PLACES = {FILES: "closed", POSTGRES: "postgresql://localhost/velostream"}
_SERVERS = ("postgres://", "postgresql://")


def refused_cold(job: Job) -> Iterator[VeloError]:
    """What a preset, SET or a file of settings says holds for jobs with windows; other jobs are not meant."""
    chosen = job.settings.find("state.cold.backend") if job.settings is not None else None
    if chosen is None or chosen.value == NONE:
        return
    if closing(job) is None:
        if chosen.origin.layer is Layer.STATEMENT:
            message = f"'state.cold.backend' of job '{job.name}' has no effect: it says no final rows of windows"
            hint = "remove it, or close windows: GROUP BY … WINDOW without EMIT CHANGES, and nothing with state above"
            yield VeloError(message, hint=hint, span=chosen.origin.span, code="conflicting-properties")
        return
    given = job.settings.find("state.cold.location")
    if given is None and place_of(job.settings) is None and chosen.origin.layer > Layer.PRESET:
        message = f"'state.cold.backend' = '{chosen.text}' of job '{job.name}' needs 'state.cold.location'"
        hint = f"add 'state.cold.location' = '{_PLACES[str(chosen.value)]}'"
        yield VeloError(message, hint=hint, span=chosen.origin.span, code="missing-property")
    if given is None:
        return
    place = str(given.value).casefold()
    wrong = not place.startswith(_SERVERS) if chosen.value == POSTGRES else "://" in place
    if wrong:
        wants = "the address of a PostgreSQL" if chosen.value == POSTGRES else "a folder"
        message = f"'state.cold.location' = '{given.shown}' of job '{job.name}' is not {wants}"
        hint = f"write '{_PLACES[str(chosen.value)]}', or choose another state.cold.backend"
        yield VeloError(message, hint=hint, span=given.origin.span, code="invalid-property")
