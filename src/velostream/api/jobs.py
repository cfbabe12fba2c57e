"""Jobs as a program sees them, whether they run in this process or on a server: how they are, and verbs for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from velostream.api import markup
from velostream.errors import VeloError

if TYPE_CHECKING:
    from velostream.api.plan import Plan
    from velostream.jobs.replaying import Replay
    from velostream.server.models.jobs import JobView

Letter = dict[str, Any]
"""A dead letter: `id`, `reason`, `error`, `record`, `source`, `partition`, `offset`, `event_time`, `replayed_at`, …"""


class Keeper(Protocol):
    """Whoever runs jobs."""

    def view(self, name: str) -> JobView:
        """How a job is."""
        ...

    def tell(self, name: str, verb: str, body: Mapping[str, Any] | None = None) -> None:
        """Has a verb carried out."""
        ...

    def plan_of(self, name: str) -> Plan:
        """How a job runs."""
        ...

    def letters_of(self, name: str, which: Mapping[str, str]) -> list[Letter]:
        """The dead letters of a job that are asked for, newest first."""
        ...

    def replay(self, name: str, which: Mapping[str, Any]) -> Replay:
        """Has dead letters of a job processed once more."""
        ...


@dataclass(frozen=True, repr=False)
class Job:
    """One job by its name. Every verb waits until it is carried out, and answers with how the job is then."""

    name: str
    keeper: Keeper = field(compare=False)

    def status(self) -> JobView:
        """How it is: state, records, rates, watermark, and who holds that back."""
        return self.keeper.view(self.name)

    @property
    def state(self) -> str:
        """In a word: running, paused, stopped, failed, done."""
        return self.status().state

    def plan(self) -> Plan:
        """How it runs."""
        return self.keeper.plan_of(self.name)

    def pause(self) -> JobView:
        """Ends its query after the running batch; what it remembers stays."""
        return self._told("pause")

    def resume(self) -> JobView:
        """Lets it go on after a pause."""
        return self._told("resume")

    def restart(self) -> JobView:
        """Ends it cleanly and starts it again, also where it was stopped."""
        return self._told("restart")

    def flush(self) -> JobView:
        """Writes what stands open, as it stands; later records correct it."""
        return self._told("flush")

    def stop(self) -> JobView:
        """Ends it after the running batch."""
        return self._told("stop")

    def letters(self, *, reason: str = "", source: str = "", text: str = "") -> list[Letter]:
        """Its dead letters, newest first: those of a reason or a source, or with a text in record or error."""
        return self.keeper.letters_of(self.name, {"reason": reason, "source": source, "text": text})

    def replay(
        self,
        *ids: str,
        reason: str = "",
        source: str = "",
        text: str = "",
        all: bool = False,  # noqa: A002 - as everywhere else
        late: str = "process_all",
    ) -> Replay:
        """Sends dead letters through it once more: those of some ids, those that `letters` would find, or all. `late`
        says what becomes of those that are late, as `velo dlq replay --late` does."""
        which = {"ids": list(ids), "reason": reason, "source": source, "text": text}
        if not (all or any(which.values())):
            raise VeloError(
                "which dead letters?", hint="give ids, reason=…, source=…, text=… or all=True", code="usage"
            )
        return self.keeper.replay(self.name, {**which, "all": all, "late": late})

    def _told(self, verb: str, body: Mapping[str, Any] | None = None) -> JobView:
        self.keeper.tell(self.name, verb, body)
        return self.status()

    def __repr__(self) -> str:
        return as_text([self.status()])

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return as_html([self.status()])


J = TypeVar("J", bound=Job)


class Jobs(Sequence[J], Generic[J]):
    """Several jobs, by their place or by their name; shown as a table."""

    def __init__(self, jobs: Sequence[J]) -> None:
        self._jobs = tuple(jobs)

    @overload
    def __getitem__(self, which: int | str) -> J: ...
    @overload
    def __getitem__(self, which: slice) -> Jobs[J]: ...
    def __getitem__(self, which: int | str | slice) -> J | Jobs[J]:
        if isinstance(which, slice):
            return Jobs(self._jobs[which])
        if isinstance(which, int):
            return self._jobs[which]
        found = {job.name.casefold(): job for job in self._jobs}.get(which.casefold())
        if found is None:
            raise KeyError(which)
        return found

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[J]:
        return iter(self._jobs)

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [job.name for job in self._jobs]

    def status(self) -> list[JobView]:
        """How each of them is."""
        return [job.status() for job in self._jobs]

    def __repr__(self) -> str:
        return as_text(self.status())

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return as_html(self.status())


def as_text(views: Sequence[JobView]) -> str:
    """Jobs as `velo jobs` shows them."""
    from velostream.cli.remote import job_table

    return job_table([view.model_dump(mode="json") for view in views]) if views else "no job runs"


def as_html(views: Sequence[JobView]) -> str:
    """The same for a notebook, with reasons where there are any."""
    rows = [
        (
            *(view.name, view.state, view.read, round(view.rate, 1), view.rows_out, view.open_windows),
            *(view.late_events, view.dead_lettered, (view.watermark or "")[:19], ", ".join(view.held_back_by[:2])),
        )
        for view in views
    ]
    heads = ("job", "state", "read", "rec/s", "rows out", "windows", "late", "dead", "watermark", "held back by")
    reasons = "; ".join(f"{view.name}: {view.reason}" for view in views if view.reason)
    return markup.table(heads, rows, reasons)
