"""The page of metrics."""

from __future__ import annotations

from itertools import groupby

from velostream.cli.pages import markdown

_INTRO = (
    "What jobs show to Prometheus, at `/metrics` of `velo run --metrics-port` and of the job server. Every series has",
    "the labels `app` and `job_name`, those of tables `app` and `table`. Counters of records, rows, windows and joins,",
    "and the metrics of users, go on after a restart and count a repeated micro-batch once; those of micro-batches,",
    "stages and sinks are of the process. The series of a stopped job go; of a failed one `velo_job_state` stays.",
    "Metrics of windows, watermarks and state are shown by jobs that keep state.",
    "[Metrics from SQL](../guides/metrics-from-sql.md) are beside them.",
)


def page() -> str:
    """All metrics of the engine, a table for each group."""
    from velostream.observability.catalogue import CATALOGUE, TABLES

    parts: list[list[str]] = []
    for group, metrics in groupby(sorted((*CATALOGUE, *TABLES), key=lambda each: each.group), lambda each: each.group):
        rows = [
            (markdown.code(each.name), each.kind, ", ".join(map(markdown.code, each.labels)), f"{each.help}.")
            for each in metrics
        ]
        parts += [[f"## {group.capitalize()}"], markdown.table(("metric", "kind", "labels", "tells"), rows)]
    return markdown.page("Metrics", _INTRO, *parts)
