"""How jobs will run: as text, as data, and as pictures that notebooks show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from velostream.api import markup
from velostream.api.picture import svg
from velostream.errors import VeloError
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from velostream.plan.job import ApplicationPlan


@dataclass(frozen=True)
class Plan:
    """The plan of one job or of several. As text it is what `velo explain` prints; in a notebook it is a picture."""

    text: str
    jobs: Sequence[Mapping[str, Any]] = ()
    """Each job as the data of `velo explain --format json`; a table made of other tables and a stream that only its
    readers run have a plan too."""

    @classmethod
    def of(cls, planned: ApplicationPlan, statement: str = "") -> Plan:
        """The plan of an application, or of one of its statements."""
        import json

        from velostream.cli.explain import as_json, as_text

        data = json.loads(as_json(planned, statement))
        return cls(as_text(planned, statement), [*data["derived"], *data["jobs"], *data.get("definitions", ())])

    def svg(self, job: str = "") -> str:
        """The picture of a job; the name may be left out where there is one only."""
        names = [one["name"] for one in self.jobs]
        found = [one for one in self.jobs if not job or one["name"].casefold() == job.casefold()]
        if len(found) != 1:
            hint = did_you_mean(job, names, "jobs") if job else f"name one of: {', '.join(names) or 'it has none'}"
            message = f"the plan has no job '{job}'" if job else f"the plan has {len(names)} jobs"
            raise VeloError(message, hint=hint, code="unknown-job")
        return svg(found[0]["plan"], f"job {found[0]['name']}")

    def __str__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What notebooks show: pictures where they can, text elsewhere."""
        bundle = {"text/plain": self.text}
        if self.jobs:
            pictures = (f"<h4>{escape(one['name'])}</h4>{self.svg(one['name'])}" for one in self.jobs)
            words = f"<details><summary>as text</summary>{markup.text(self.text)}</details>"
            bundle["text/html"] = "".join(pictures) + words
        if len(self.jobs) == 1:
            bundle["image/svg+xml"] = self.svg()
        return bundle
