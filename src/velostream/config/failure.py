"""Failures (`failure_strategy`, `dlq.*`, `circuit.breaker.*`): what becomes of a record or a call that fails."""

from __future__ import annotations

from velostream.breaker import Limits
from velostream.config.kinds import Choice, Duration, Integer, Share, Text
from velostream.config.property import Property, Scope
from velostream.config.settings import Settings
from velostream.durations import SECOND
from velostream.retrying import Patience

_JOB = (Scope.JOB,)
_CALLS = (Scope.JOB, Scope.SOURCE, Scope.TABLE, Scope.SINK)

SEND_TO_DLQ, LOG_AND_CONTINUE = "SendToDLQ", "LogAndContinue"
FAIL_BATCH, RETRY_WITH_BACKOFF = "FailBatch", "RetryWithBackoff"

FAILURE = (
    Property(
        "failure_strategy",
        Choice((SEND_TO_DLQ, LOG_AND_CONTINUE, FAIL_BATCH, RETRY_WITH_BACKOFF)),
        "what becomes of a record that fails: a dead letter, a line in the log, the end of the job, or where Python "
        "functions are called another try before it is a dead letter; what is outside and does not answer is tried "
        "again by all but FailBatch",
        "LogAndContinue",
        default="SendToDLQ",
        scopes=_JOB,
    ),
    Property(
        "max_retries",
        Integer(least=0),
        "how often something that may pass is tried again",
        "5",
        default="3",
        scopes=_JOB,
    ),
    Property(
        "retry_backoff",
        Duration(positive=True),
        "how long to wait before the first retry; each further wait is twice as long",
        "500ms",
        default="1s",
        scopes=_JOB,
    ),
)

DEAD_LETTERS = (
    Property(
        "dlq.location",
        Text("folder or URL"),
        "where dead letters go: a folder, kafka://host:9092/topic or postgresql://host/db; else beside the checkpoint",
        "kafka://localhost:9092/trades.dead",
        aliases=("dead.letters.location",),
        scopes=_JOB,
    ),
)

CIRCUIT_BREAKER = (
    Property(
        "circuit.breaker.failure.rate",
        Share(),
        "share of failed calls at which calls to something outside are suspended",
        "50%",
        default="50%",
        scopes=_CALLS,
    ),
    Property(
        "circuit.breaker.calls",
        Integer(least=1),
        "over how many of the last calls the share is taken",
        "20",
        default="20",
        scopes=_CALLS,
    ),
    Property(
        "circuit.breaker.open.duration",
        Duration(positive=True),
        "how long calls stay suspended",
        "30s",
        default="30s",
        scopes=_CALLS,
    ),
    Property(
        "circuit.breaker.trial.calls",
        Integer(least=1),
        "how many trial calls must succeed before calls go on",
        "3",
        default="3",
        scopes=_CALLS,
    ),
)


def patience_of(settings: Settings | None) -> Patience:
    """How often a job tries again what may pass; FailBatch never does."""
    if settings is None:
        return Patience()
    if settings.text("failure_strategy") == FAIL_BATCH:
        return Patience(0)
    return Patience(settings.integer("max_retries"), settings.duration("retry_backoff") / SECOND)


def limits_of(settings: Settings | None) -> Limits:
    """When calls to what these settings describe are suspended."""
    if settings is None or settings.known.find("circuit.breaker.calls") is None:
        return Limits()
    return Limits(
        settings.number("circuit.breaker.failure.rate"),
        settings.integer("circuit.breaker.calls"),
        settings.duration("circuit.breaker.open.duration") / SECOND,
        settings.integer("circuit.breaker.trial.calls"),
    )
