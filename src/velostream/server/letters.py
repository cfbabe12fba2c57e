"""The dead letters of applications: found, filtered, and told apart by an id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from velostream.server.control import Control
from velostream.server.models.asking import Letter, Letters
from velostream.server.registry.deployment import Deployment


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which letters are asked for; what is empty does not matter."""

    app: str = ""
    job: str = ""
    reason: str = ""
    source: str = ""
    text: str = ""

    def takes(self, letter: Letter) -> bool:
        """True for a letter that is asked for."""
        said = (
            (self.job, letter.job),
            (self.reason, letter.reason),
            (self.source, letter.source or ""),
        )
        if any(wanted and wanted.casefold() != has.casefold() for wanted, has in said):
            return False
        return not self.text or self.text.casefold() in f"{letter.record} {letter.error}".casefold()


def letters(control: Control, wanted: Wanted, limit: int, offset: int) -> Letters:
    """The letters that are asked for, newest first."""
    apps = [control.app(wanted.app)] if wanted.app else control.apps
    found = [letter for one in apps for letter in letters_of(control, one.deployment) if wanted.takes(letter)]
    found.sort(key=lambda letter: (letter.written_at or "", letter.id), reverse=True)
    reasons = Counter(letter.reason for letter in found)
    return Letters(
        items=found[offset : offset + limit], total=len(found), offset=offset, limit=limit, reasons=dict(reasons)
    )


def letters_of(control: Control, deployment: Deployment) -> Iterator[Letter]:
    """All letters of an application, oldest first."""
    from velostream.jobs.home import Home
    from velostream.sinks.letters import read_letters

    state = control.folders.state(deployment.app, deployment.state)
    for folder in sorted(state.glob("*/dead-letters")):
        seen: Counter[int] = Counter()
        for said in read_letters(Home(folder.parent).letters):
            number = said["batch"]
            yield _letter(deployment.app, said, seen[number])
            seen[number] += 1


def _letter(app: str, said: dict[str, Any], place: int) -> Letter:
    known = {"error": None, "source": None, "partition": None, "offset": None, "event_time": None, "watermark": None}
    own = {"id": f"{said['batch']:09d}-{place:06d}", **known, "lateness_ms": None, "record": None, **said}
    return Letter(**own, app=app)
