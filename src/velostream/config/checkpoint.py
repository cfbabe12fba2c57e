"""Checkpoints (`checkpoint.*`): from where a job goes on after a stop."""

from velostream.config.kinds import Duration, Text
from velostream.config.property import Property, Scope

CHECKPOINT = (
    Property(
        "checkpoint.interval",
        Duration(positive=True),
        "how often a snapshot of the state is written; between two of them, changes are logged",
        "30s",
        default="60s",
        aliases=("execution.checkpointing.interval",),
        scopes=(Scope.JOB,),
    ),
    Property(
        "checkpoint.location",
        Text("folder"),
        "the folder for checkpoints; the same as --checkpoint",
        "/var/lib/velostream",
        aliases=("checkpoint.dir", "execution.checkpointing.dir", "state.checkpoints.dir"),
        scopes=(Scope.JOB,),
    ),
)
