"""What jobs show of themselves.

For whoever serves it (all plain data that JSON can carry):

- `snapshot.snapshot(running_job, app) -> dict`: one job at this moment: records, rows, windows, watermark, partitions,
  joins, micro-batches, stages, back-pressure, and its @metric values. `snapshot.application(runner) -> dict` has those
  of all jobs (`jobs`) and the tables (`tables`).
- `exposition.exposition(snapshots, tables=()) -> str`: the text that Prometheus scrapes, of job snapshots and the
  reports of tables. Jobs that are stopped or done have no series; of a failed one only its state is told.
- `catalogue.CATALOGUE`: every metric of the engine, with its help.
- `inside`: a job's stages, the emissions of its windows, its partitions, and `what_if` other lateness were allowed.
- `graph.Graph().add(plan).data()`: lineage down to the column as nodes and edges.
- `advice.advise(plan, checkpoint, folder) -> list[Advice]`, each with `data()`: what to change, and the figures behind.
- `history.reading.kept(plan, checkpoint, folder)`: all that was kept over time, as Arrow; `moments`: some, as rows.

For whoever runs jobs: `watching.watched(runner, say, …)` opens all that the settings and the environment ask for: log
lines, spans, lineage events, history, and `/metrics` on the loopback address.
"""
