"""How a server runs: where, with which data, and how patient it is with drivers that die."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What `velo serve` was told."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8700
    master: str = "local[2]"
    registry: str = ""
    """A URL of PostgreSQL; SQLite in the data folder without one."""
    driver_memory: str = "512m"
    """Memory of the JVM of each local driver: there may be many on one machine."""
    restarts: int = 5
    """How often a driver that died is started again before it counts as failed."""
    backoff: float = 1.0
    """Seconds before the first restart; each further pause is twice as long."""
    longest_backoff: float = 60.0
    healthy_after: float = 60.0
    """A driver that ran so many seconds has its restarts forgiven."""
    silence: float = 60.0
    """A driver that lives but says nothing for so many seconds is restarted."""
    body_limit: int = 1_000_000
    """Bytes that a request may have."""
    spark: Mapping[str, str] = field(default_factory=dict)

    @property
    def spark_settings(self) -> dict[str, str]:
        """What each driver's session is told."""
        local = {"spark.driver.memory": self.driver_memory} if self.master.startswith("local") else {}
        return {**local, "spark.ui.enabled": "false", **self.spark}

    def pause(self, restarts: int) -> float:
        """Seconds before the restart of that number, which begins with 1."""
        return float(min(self.backoff * 2 ** max(0, restarts - 1), self.longest_backoff))
