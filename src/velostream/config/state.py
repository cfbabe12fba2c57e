"""State (`state.*`): how long it lives, and its tiers: memory, the state store, and closed windows put away."""

from velostream.config.kinds import Choice, Duration, Size, Text
from velostream.config.property import Property, Scope

_JOB = (Scope.JOB,)

STATE = (
    Property(
        "state.ttl",
        Duration(positive=True),
        "deletes state that no window and no time bound limits, this long in event time after its last record",
        "7d",
        aliases=("table.exec.state.ttl",),
        scopes=_JOB,
    ),
    Property("state.hot.max_size", Size(), "memory for decoded state", "2GB", default="512MB", scopes=_JOB),
    Property(
        "state.hot.ttl",
        Duration(positive=True),
        "state that was not touched for this long leaves the memory for the state store",
        "30m",
        default="1h",
        scopes=_JOB,
    ),
    Property(
        "state.warm.backend",
        Choice(("rocksdb", "memory")),
        "where the state store keeps its files: on disk, or in shared memory; one place for all jobs of a process",
        "memory",
        default="rocksdb",
        scopes=_JOB,
    ),
    Property(
        "state.warm.cache_size",
        Size(),
        "memory for what the state stores of a job read and write, shared out among them, each at least 3 MB",
        "4GB",
        default="1GB",
        scopes=_JOB,
    ),
    Property(
        "state.warm.ttl",
        Duration(positive=True),
        "closed windows that were not touched for this long leave the state store for the cold tier (not run yet)",
        "1d",
        default="7d",
        scopes=_JOB,
    ),
    Property(
        "state.cold.backend",
        Choice(("none", "postgres", "files"), also=(("postgresql", "postgres"),)),
        "where closed windows are put away for velo windows and velo query",
        "files",
        default="none",
        scopes=_JOB,
    ),
    Property(
        "state.cold.location",
        Text("URL or folder"),
        "the database or folder for closed windows; without one, postgres takes the server that PGHOST names",
        "postgresql://localhost/velostream",
        scopes=_JOB,
    ),
    Property(
        "state.cold.retention",
        Duration(positive=True),
        "how long closed windows are kept there, since they were put away",
        "30d",
        default="90d",
        scopes=_JOB,
    ),
    Property(
        "state.memory.total",
        Size(),
        "the budget of memory of a job's state: where they are not set, half for the hot tier, 30 % for the cache",
        "8GB",
        default="4GB",
        scopes=_JOB,
    ),
)
