"""What jobs show of themselves.

For whoever serves it (all plain data that JSON can carry):

- `snapshot.snapshot(running_job, app) -> dict`: one job at this moment: records, rows, windows, watermark, partitions,
  joins, micro-batches, stages, back-pressure, and its @metric values. `snapshot.application(runner) -> dict` has those
  of all jobs (`jobs`) and the tables (`tables`).
- `exposition.exposition(snapshots, tables=()) -> str`: the text that Prometheus scrapes, of job snapshots and the
  reports of tables. Jobs that are stopped or done have no series; of a failed one only its state is told.
- `catalogue.CATALOGUE`: every metric of the engine, with its help.
- `endpoint.serve(text, port)`: `/metrics` on the loopback address, for a run without a server.
"""
