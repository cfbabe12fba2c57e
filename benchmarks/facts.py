"""What a result has to say of the machine and the versions that it was measured with."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

LIBRARIES = ("velostream", "pyspark", "polars", "pyarrow", "duckdb")


def facts(*, records: int, runs: int, warm_ups: int, cores: int, profiled: bool) -> dict[str, Any]:
    """Size, cores, processor, memory, versions, and the load before the run."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "records": records,
        "runs": runs,
        "warm_ups": warm_ups,
        "cores": cores,
        "profiled": profiled,
        "machine": {
            "cores": os.cpu_count(),
            "processor": _line("/proc/cpuinfo", "model name"),
            "memory": _line("/proc/meminfo", "MemTotal"),
            "system": f"{platform.system()} {platform.machine()}",
            "load": round(os.getloadavg()[0], 2),
        },
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
    }


def _line(file: str, name: str) -> str:
    path = Path(file)
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "unknown")
