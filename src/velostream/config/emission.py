"""Emission (`emit`, `emit.*`, `fill`, `x.read.early`): when rows go out, and which."""

from velostream.config.kinds import Boolean, Choice, Condition, Duration, Integer
from velostream.config.property import Property, Scope

_JOB = (Scope.JOB,)

EMISSION = (
    Property(
        "emit",
        Choice(("changes", "final")),
        "every change of a group, or its final value; the same as the clause EMIT",
        "changes",
        scopes=_JOB,
    ),
    Property(
        "emit.granularity",
        Choice(("record", "batch")),
        "with EMIT CHANGES: a row for each record, or the newest value of each changed group in a micro-batch",
        "batch",
        default="record",
        scopes=_JOB,
    ),
    Property(
        "emit.early",
        Duration(positive=True),
        "emits open windows that changed, this long after their last emission; the same as EMIT EARLY EVERY",
        "30s",
        aliases=("table.exec.emit.early-fire.delay",),
        scopes=_JOB,
    ),
    Property(
        "emit.on",
        Condition(),
        "emits a window at once when a record fulfils this; the same as EMIT WHEN",
        "severity = 'critical'",
        scopes=_JOB,
    ),
    Property(
        "emit.fallback",
        Duration(positive=True),
        "with emit.on: emits this long after the last emission though no record fulfilled the condition",
        "5s",
        scopes=_JOB,
    ),
    Property(
        "emit.every.count",
        Integer(least=1),
        "emits a window each time it has got this many more records; the same as EMIT EVERY n ROWS",
        "100",
        scopes=_JOB,
    ),
    Property(
        "emit.accumulation",
        Choice(("accumulating", "discarding", "retracting")),
        "what a further row of a window holds: all so far, what came since the last, or all so far after a retraction",
        "retracting",
        default="accumulating",
        scopes=_JOB,
    ),
    Property(
        "fill",
        Choice(("none", "zero", "forward", "linear")),
        "rows for the empty windows between two windows of a group: zeros, the last values, or values on a line",
        "forward",
        default="none",
        scopes=_JOB,
    ),
    Property(
        "read.early",
        Boolean(),
        "whether early rows of the stream that is read flow on",
        "true",
        default="false",
        scopes=(Scope.STREAM,),
    ),
    Property(
        "read.from.sink",
        Boolean(),
        "whether the stream is read back from its sink instead of being computed along with its reader; said of a "
        "sink, it holds for all readers that say nothing",
        "true",
        default="false",
        scopes=(Scope.STREAM, Scope.SINK),
    ),
)
