"""An Iceberg table as a sink: declared, and refused until Iceberg has a release for this Spark."""

from velostream.config.kinds import Text
from velostream.config.property import Property
from velostream.sinks.base import DELIVERY_GUARANTEE, Guarantee, Sink, WriteMode, always, write_mode_property

ICEBERG_SINK = Sink(
    name="iceberg_sink",
    doc="an Iceberg table; refused: no release of Iceberg works with Spark 4.2 yet",
    options=(
        Property(
            "table",
            Text(),
            "the table with its catalog and schema",
            "lake.shop.alerts",
            aliases=("table-name",),
            required=True,
        ),
        write_mode_property(WriteMode.APPEND, WriteMode.UPSERT),
        DELIVERY_GUARANTEE,
    ),
    guarantee=always(Guarantee.EXACTLY_ONCE),
    write_modes=(WriteMode.APPEND, WriteMode.UPSERT),
    aliases=("iceberg",),
    needs_jar="org.apache.iceberg:iceberg-spark-runtime-4.2_2.13",
)
