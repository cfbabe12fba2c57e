"""Jobs on a server: what can be seen of them, and verbs that only a server has."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from velostream.api.jobs import Job
from velostream.jobs.closed_rows import in_utc
from velostream.server.client import quoted

if TYPE_CHECKING:
    from velostream.api.server import Server
    from velostream.server.models.apps import VersionView
    from velostream.server.models.jobs import JobDetail, JobMetrics, JobView, LogLine, Partitions, Windows


@dataclass(frozen=True, repr=False)
class ServerJob(Job):
    """One job of a server."""

    keeper: Server = field(compare=False)

    def stop(self, *, force: bool = False) -> JobView:
        """Ends it after the running batch; with `force` at once."""
        return self._told("stop", {"force": force})

    def rollback(self, version: str = "") -> JobView:
        """Goes back to the version before, or to one by its name."""
        return self._told("rollback", {"version": version})

    def detail(self) -> JobDetail:
        """All about it: accounts, sources, sinks, window metrics."""
        from velostream.server.models.jobs import JobDetail

        return JobDetail.model_validate(self._get())

    def logs(self, lines: int = 200) -> list[LogLine]:
        """The newest lines of its log, oldest first."""
        from velostream.server.models.jobs import Logs

        return Logs.model_validate(self._get("/logs", lines=lines)).lines

    def partitions(self) -> Partitions:
        """The partitions that it reads; those that hold the watermark back come first."""
        from velostream.server.models.jobs import Partitions

        return Partitions.model_validate(self._get("/partitions"))

    def windows(
        self,
        key: str = "",
        limit: int = 100,
        offset: int = 0,
        *,
        begin: datetime | None = None,
        end: datetime | None = None,
    ) -> Windows:
        """Open windows, how late records come, and what was written of each window, newest first, closed ones that
        were put away included: all, or those of a key, and those that begin within bounds."""
        from velostream.server.models.jobs import Windows

        bounds = {"from": begin and in_utc(begin), "to": end and in_utc(end)}
        wanted = {name: at.isoformat() for name, at in bounds.items() if at is not None}
        return Windows.model_validate(self._get("/windows", key=key, limit=limit, offset=offset, **wanted))

    def metrics(self) -> JobMetrics:
        """Its metrics as data."""
        from velostream.server.models.jobs import JobMetrics

        return JobMetrics.model_validate(self._get("/metrics"))

    def versions(self) -> list[VersionView]:
        """The deployments of its application, newest first."""
        from velostream.server.models.apps import VersionView

        found = self.keeper.client.items(f"/api/v1/jobs/{quoted(self.name)}/versions")
        return [VersionView.model_validate(one) for one in found]

    def _get(self, part: str = "", **query: Any) -> Any:
        return self.keeper.client.get(f"/api/v1/jobs/{quoted(self.name)}{part}", **query)
