"""The metrics of all jobs as Prometheus reads them, made at most once a second however often they are asked for."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from velostream.observability.exposition import exposition
from velostream.server.control import Control
from velostream.server.views import Seen

LOG = logging.getLogger("velostream.server")
EVERY = 1.0


class Figures:
    """The text of `/metrics`, ready to be sent."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._made = 0.0
        self.text = b""

    def look(self) -> None:
        """Makes the text anew where it is old."""
        if time.monotonic() - self._made < EVERY:
            return
        self._made = time.monotonic()
        self.text = _exposed(self.snapshots(), self.tables()).encode()

    def snapshots(self) -> list[Mapping[str, Any]]:
        """The jobs of all applications, each in the state that it is in."""
        return [snapshot for one in self._control.apps for snapshot in snapshots_of(one)]

    def tables(self) -> list[Mapping[str, Any]]:
        """The tables of all applications that run."""
        return [{**table, "app": one.deployment.app} for one in self._control.apps if one.alive for table in one.tables]


def _exposed(snapshots: list[Mapping[str, Any]], tables: list[Mapping[str, Any]]) -> str:
    """The text; a driver that an older version started may report in a way that is not known here, and is left out."""
    try:
        return exposition(snapshots, tables)
    except (KeyError, TypeError, ValueError):
        return exposition([one for one in snapshots if _is_known(one)], tables)


def _is_known(snapshot: Mapping[str, Any]) -> bool:
    try:
        exposition([snapshot])
    except (KeyError, TypeError, ValueError) as error:
        LOG.warning("the metrics of '%s' cannot be shown: %r", snapshot.get("name"), error)
        return False
    return True


def snapshots_of(one: Seen) -> list[Mapping[str, Any]]:
    """The jobs of an application; of one that has not reported, since it fails at its start, the state alone."""
    states = {"starting": "created", "stopping": "running", "restarting": "created"}
    return [
        {
            **(job["reported"] or {"name": job["name"], "stateful": job["stateful"], "metrics": []}),
            "app": one.deployment.app,
            "state": states.get(job["state"], job["state"]),
        }
        for job in one.jobs
    ]
