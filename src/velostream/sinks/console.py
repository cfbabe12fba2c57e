"""The terminal as a sink."""

from velostream.config.kinds import Choice
from velostream.config.property import Property
from velostream.sinks.base import Guarantee, Sink, always

CONSOLE_SINK = Sink(
    name="console_sink",
    doc="the terminal",
    options=(Property("format", Choice(("table", "json", "csv")), "how rows are printed", "json", default="table"),),
    guarantee=always(Guarantee.AT_LEAST_ONCE),
    aliases=("console", "print"),
)
