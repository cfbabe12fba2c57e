"""History: figures of jobs, partitions, stages and windows over time, and the values of @metric annotations.

`tables.TABLES` says what is kept, `stores.open_store` where, `recording.Recording` when; `velo query --history` asks.
"""
