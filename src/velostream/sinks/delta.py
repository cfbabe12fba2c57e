"""A Delta table as a sink; Delta's jars are fetched at the first use."""

from velostream.config.kinds import Text
from velostream.config.property import Property
from velostream.sinks.base import DELIVERY_GUARANTEE, Guarantee, Sink, WriteMode, always, write_mode_property

DELTA_SINK = Sink(
    name="delta_sink",
    doc="a Delta table",
    options=(
        Property("path", Text("path"), "the folder of the table", "lake/alerts", required=True),
        write_mode_property(WriteMode.APPEND, WriteMode.UPSERT),
        DELIVERY_GUARANTEE,
    ),
    guarantee=always(Guarantee.EXACTLY_ONCE),
    write_modes=(WriteMode.APPEND, WriteMode.UPSERT),
    aliases=("delta",),
    needs_jar="io.delta:delta-spark_4.2_2.13",
)
