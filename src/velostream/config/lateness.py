"""Late records (`allowed.lateness`, `late.data.strategy`): how long windows are kept, and what becomes of the rest."""

from velostream.config.kinds import Choice, Duration
from velostream.config.property import Property, Scope

STRATEGIES = (
    "dead_letter",
    "drop",
    "process_with_warning",
    "process_all",
    "include_in_next",
    "update_previous",
)

LATENESS = (
    Property(
        "allowed.lateness",
        Duration(),
        "how long after its end a window is kept and corrected by late records",
        "2m",
        default="0s",
        aliases=("table.exec.emit.allow-lateness",),
        scopes=(Scope.JOB,),
    ),
    Property(
        "late.data.strategy",
        Choice(STRATEGIES),
        "what becomes of a record that is later than the allowed lateness",
        "drop",
        default="dead_letter",
        scopes=(Scope.JOB,),
    ),
)
