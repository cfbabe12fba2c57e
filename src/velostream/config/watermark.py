"""Watermarks (`watermark.*`): how far event time has come, by source and partition."""

from velostream.config.kinds import Choice, Condition, Duration, Integer
from velostream.config.property import Property, Scope

_BOTH = (Scope.JOB, Scope.SOURCE)

WATERMARK = (
    Property(
        "watermark.strategy",
        Choice(("bounded_out_of_orderness", "ascending", "punctuated", "periodic")),
        "how the watermark follows the events: behind the largest time, at it, where a record marks it, by the clock",
        "bounded_out_of_orderness",
        default="bounded_out_of_orderness",
        scopes=_BOTH,
    ),
    Property(
        "watermark.max_out_of_orderness",
        Duration(),
        "how far the watermark stays behind the largest event time seen of each partition",
        "5s",
        default="0s",
        scopes=_BOTH,
    ),
    Property(
        "watermark.punctuation",
        Condition(),
        "with the strategy punctuated: the BOOLEAN column or condition that is true for records that carry a watermark",
        "kind = 'end_of_minute'",
        scopes=_BOTH,
    ),
    Property(
        "watermark.emit_interval",
        Duration(positive=True),
        "how often idleness and emissions by the clock are looked at when nothing else runs",
        "500ms",
        default="1s",
        aliases=("pipeline.auto-watermark-interval",),
        scopes=(Scope.JOB,),
    ),
    Property(
        "watermark.scope",
        Choice(("partition", "source")),
        "whose largest event time counts: each partition's, or the largest over all partitions of a source",
        "source",
        default="partition",
        scopes=_BOTH,
    ),
    Property(
        "watermark.idle_timeout",
        Duration(off=True, positive=True),
        "after how long without records, and with nothing left to read, a partition no longer holds the watermark back",
        "5m",
        default="1m",
        aliases=("scan.watermark.idle-timeout", "table.exec.source.idle-timeout"),
        scopes=_BOTH,
    ),
    Property(
        "partitions",
        Integer(least=1),
        "how many partitions the source has: those that delivered nothing yet hold the watermark back too",
        "10",
        scopes=(Scope.SOURCE,),
    ),
)
