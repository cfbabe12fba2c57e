"""What is observed of a job, what it promises and where it runs (`observability.*`, `metrics.*`, `sla.*` …)."""

from velostream.config.kinds import Boolean, Choice, Duration, Integer, Share, Text
from velostream.config.property import Property, Scope

_JOB = (Scope.JOB,)

OBSERVING = (
    Property(
        "observability.metrics.enabled", Boolean(), "whether metrics are kept", "false", default="true", scopes=_JOB
    ),
    Property(
        "observability.tracing.enabled", Boolean(), "whether spans are recorded", "true", default="false", scopes=_JOB
    ),
    Property(
        "observability.profiling.enabled",
        Boolean(),
        "whether a log line tells for each micro-batch how long each of its stages took",
        "true",
        default="false",
        scopes=_JOB,
    ),
    Property(
        "metrics.max_series",
        Integer(least=1),
        "the most label combinations that one @metric may have; more of them are counted together, with a warning",
        "10_000",
        default="1_000",
        scopes=_JOB,
    ),
    Property("lineage.file", Text(), "the file that OpenLineage events are appended to", "lineage.jsonl", scopes=_JOB),
    Property(
        "lineage.url",
        Text(),
        "the address that OpenLineage events are sent to; OPENLINEAGE_API_KEY has the key if it wants one",
        "http://localhost:5000",
        scopes=_JOB,
    ),
    Property(
        "lineage.namespace",
        Text(),
        "the namespace of jobs, and of what has no address of its own, in lineage events",
        "production",
        default="velostream",
        scopes=_JOB,
    ),
    Property(
        "lineage.every",
        Duration(positive=True),
        "how often a running job says so in lineage events",
        "5m",
        default="1m",
        scopes=_JOB,
    ),
    Property(
        "history.store",
        Choice(("sqlite", "postgresql", "parquet", "none")),
        "where figures of jobs are kept over time, for velo query --history, velo advise and the page",
        "parquet",
        default="sqlite",
        scopes=_JOB,
    ),
    Property(
        "history.path",
        Text(),
        "the file (sqlite) or folder (parquet) of history; beside the checkpoint unless set",
        "history.sqlite",
        scopes=_JOB,
    ),
    Property(
        "history.url",
        Text(),
        "the PostgreSQL that keeps history, in the schema velostream_history",
        "postgresql://localhost:5432/velostream",
        scopes=_JOB,
    ),
    Property(
        "history.every",
        Duration(positive=True),
        "how often, at most, figures are kept",
        "1m",
        default="10s",
        scopes=_JOB,
    ),
    Property(
        "history.retention",
        Duration(positive=True),
        "how long figures are kept",
        "90d",
        default="30d",
        scopes=_JOB,
    ),
    Property(
        "sla.latency.p99",
        Duration(positive=True),
        "the latency that 99 % of batches must keep; breaking it raises an alert",
        "500ms",
        scopes=_JOB,
    ),
    Property(
        "sla.availability",
        Share(),
        "the share of time that the job must be running; breaking it raises an alert",
        "99.9%",
        scopes=_JOB,
    ),
    Property("deployment.node_id", Text(), "the node that runs the job, for metrics and logs", "node-7", scopes=_JOB),
    Property("deployment.node_name", Text(), "the node's name, for metrics and logs", "ingest-eu-1", scopes=_JOB),
    Property("deployment.region", Text(), "the region of the node, for metrics and logs", "eu-west-1", scopes=_JOB),
)
