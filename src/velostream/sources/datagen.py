"""Generated data as a source: needs nothing installed, and gives the same records for the same seed."""

from __future__ import annotations

from velostream.config.kinds import Choice, Duration, Instant, Integer, Names, Number, Share
from velostream.config.property import Property
from velostream.config.rule import Broken, Needs
from velostream.config.settings import Settings
from velostream.sources.base import Extent, Source

_FIELDS = (
    Property(
        "fields.*.kind",
        Choice(("random", "sequence")),
        "how the values of a column are made: at random, or one after another from start to end",
        "sequence",
        default="random",
    ),
    Property("fields.*.min", Number(), "the least random value", "1"),
    Property("fields.*.max", Number(), "the largest random value", "100"),
    Property("fields.*.length", Integer(least=1), "the length of random texts and arrays", "8"),
    Property(
        "fields.*.values",
        Names(repeats=True),
        "the values to choose from; one that is listed twice comes twice as often",
        "AAPL, MSFT, GOOG",
    ),
    Property("fields.*.start", Integer(), "the first value of a sequence", "1"),
    Property("fields.*.end", Integer(), "the last value of a sequence, after which it begins again", "1000"),
    Property(
        "fields.*.null.fraction", Share(), "the share of NULLs", "1%", default="0", aliases=("fields.*.null-rate",)
    ),
)


def _shares(settings: Settings) -> Broken | None:
    """A record is in order, out of order or late."""
    disordered, late = settings.value("out_of_order.fraction"), settings.value("late.fraction")
    if disordered is None or late is None or float(str(disordered.value)) + float(str(late.value)) <= 1:
        return None
    message = f"'out_of_order.fraction' = '{disordered.text}' and 'late.fraction' = '{late.text}' are more than all"
    return Broken("conflicting-properties", message, "lower one of them", late)


def _extent(settings: Settings) -> Extent:
    """It ends where a number of records is set."""
    return Extent.BOUNDED if "rows" in settings else Extent.UNBOUNDED


DATAGEN_SOURCE = Source(
    name="datagen_source",
    doc="records made up from the declared columns",
    options=(
        Property(
            "rate",
            Integer(least=1),
            "records per second; without it as fast as it goes where there are `rows`, else 100",
            "1000",
            aliases=("rows-per-second",),
        ),
        Property("rows", Integer(least=0), "how many records to make, then end", "10_000", aliases=("number-of-rows",)),
        Property("seed", Integer(), "what the random values begin with", "42", default="0"),
        Property(
            "start.time",
            Instant(),
            "the event time of the first record; without it the time of the first start",
            "2026-01-31T00:00:00Z",
        ),
        Property(
            "time.step",
            Duration(positive=True),
            "the event time from one record to the next; without it as the rate says, and 10ms without a rate",
            "1s",
        ),
        Property(
            "order",
            Choice(("time", "partition_batched")),
            "whether partitions take turns in order of time, or come one after another as a whole",
            "partition_batched",
            default="time",
        ),
        Property("out_of_order.fraction", Share(), "the share of records out of order", "10%", default="0"),
        Property(
            "out_of_order.max",
            Duration(positive=True),
            "how far such a record is at most behind the ones before it",
            "5s",
            default="5s",
        ),
        Property(
            "headers.*", Names(repeats=True), "the values that a header of the records is chosen from", "mobile, web"
        ),
        Property("late.fraction", Share(), "the share of records that come late", "1%", default="0"),
        Property("late.by", Duration(positive=True), "how late they come at least", "5m", default="1m"),
        *_FIELDS,
    ),
    extent=_extent,
    rules=(Needs("order", "rows", value="partition_batched"), _shares),
    aliases=("datagen",),
    columns=("_partition", "_offset", "_headers"),
    record_time=True,
)
