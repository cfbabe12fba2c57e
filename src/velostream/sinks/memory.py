"""Memory as a sink: rows that the Python API and tests look at."""

from velostream.sinks.base import Guarantee, Sink, always

MEMORY_SINK = Sink(
    name="memory_sink",
    doc="rows in memory, for tests and the Python API; they end with the process",
    options=(),
    guarantee=always(Guarantee.AT_LEAST_ONCE),
    aliases=("memory",),
)
