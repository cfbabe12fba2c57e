"""The dead letters of applications, wherever their jobs keep them: found, filtered, and handed back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.server.control import Control
from velostream.server.models.asking import Letter, Letters, PassedOver, ReplayAnswer, ReplayRequest
from velostream.server.registry.deployment import Deployment

if TYPE_CHECKING:
    from velostream.jobs.letters import JobLetters, Wanted


def letters(control: Control, wanted: Wanted, limit: int, offset: int, *, app: str = "", job: str = "") -> Letters:
    """The letters that are asked for, of one application or job or of all, newest first."""
    apps = [control.app(app)] if app else control.apps
    reasons: Counter[str] = Counter()

    def found() -> Iterator[tuple[str, dict[str, Any]]]:
        for one in apps:
            active, beside = one.deployment, control.registry.beside(one.deployment.app)
            known: set[tuple[str, str]] = set()
            for store in _all_stores(control, active, beside):
                for said in store.found(wanted) if job.casefold() in ("", store.job.casefold()) else ():
                    if (store.job, said["id"]) in known:
                        continue
                    if beside is not None:
                        known.add((store.job, said["id"]))
                    reasons[said["reason"]] += 1
                    yield active.app, said

    # There may be very many: no more of them are held than are shown.
    newest = nlargest(offset + limit, found(), key=lambda each: (each[1].get("written_at") or "", each[1]["id"]))
    items = [_letter(name, said) for name, said in newest[offset:]]
    return Letters(items=items, total=reasons.total(), offset=offset, limit=limit, reasons=dict(reasons))


def replay(control: Control, asked: ReplayRequest) -> ReplayAnswer:
    """Hands letters back to their job, which takes them in its next micro-batch, or at its next start."""
    from velostream.jobs.letters import Wanted

    if not (asked.ids or asked.reason or asked.source or asked.text or asked.all):
        message = "neither ids, a reason, a source nor a text are given"
        raise VeloError(message, hint="'all': true replays all dead letters of the job", code="usage")
    deployment = control.app(asked.app).deployment
    beside = control.registry.beside(deployment.app)
    if beside is not None:
        message = (
            f"keys of '{deployment.app}' are shared with version '{beside.version}': nobody would know whose it is"
        )
        hint = "the letters stay: replay them when one version has all keys (velo versions)"
        raise VeloError(message, hint=hint, code="job-state")
    for table in _stores(control, deployment):
        if table.of_table and table.job.casefold() == asked.job.casefold():
            table.replay([])
    meant = control.find(f"{deployment.app}.{asked.job}")
    store = next(one for one in _stores(control, meant.deployment) if one.job == meant.job)
    found = list(store.found(Wanted(frozenset(asked.ids), asked.reason, asked.source, text=asked.text)))
    missing = sorted(set(asked.ids) - {letter["id"] for letter in found})
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        message = f"job '{meant.job}' has no dead letter '{missing[0]}'{more}"
        raise VeloError(message, hint="ids are those of /api/v1/dlq", code="unknown-letter")
    done = store.replay(found, asked.late)
    passed = [PassedOver(id=number, reason=why) for number, why in done.passed_over]
    return ReplayAnswer(app=meant.deployment.app, job=meant.job, replayed=done.records, passed_over=passed)


def _all_stores(control: Control, active: Deployment, beside: Deployment | None) -> Iterator[JobLetters]:
    """Those of an application and, while keys move, of the version that runs beside it: each letter is written by one
    of them. Both load tables for themselves, and have those before the state was copied."""
    shown = []
    for store in _stores(control, active):
        shown.append(store.store.shown)
        yield store
    for store in _stores(control, beside) if beside is not None else ():
        if not store.of_table and store.store.shown not in shown:
            yield store


def _stores(control: Control, deployment: Deployment) -> Iterator[JobLetters]:
    """Where the letters of each job and table are; of an application that cannot be planned any more nothing is
    known."""
    from velostream.jobs.letters import all_letters

    try:
        plan = control.plan_of(deployment).plan
    except VeloError:
        return
    state = control.folders.state(deployment.app, deployment.state)
    yield from all_letters(plan, state, control.folders.files)


def _letter(app: str, said: dict[str, Any]) -> Letter:
    known = {"error": None, "source": None, "partition": None, "offset": None, "event_time": None, "watermark": None}
    whole = {**known, "lateness_ms": None, "record": None, **said}
    if whole["error"]:
        whole["error"] = masked("", whole["error"])  # a function may say what it connects to
    return Letter(**whole, app=app)
