"""How Spark's Java process ended: what it leaves are errors that only say that nobody answers."""

from __future__ import annotations

import re
import signal
from subprocess import Popen, TimeoutExpired

from velostream.errors import VeloError
from velostream.spark.conditions import MEMORY

_SIGNS = re.compile(
    r"SparkContext was shut down|stopped SparkContext|RpcEnv already stopped"
    r'|the return value of "org\.apache\.spark\.[\w.]+\(\)" is null'
    r"|Answer from Java side is empty|Error while sending or receiving|trying to connect to the Java server"
)
_PERHAPS = re.compile(r"\[INTERNAL_ERROR\]|InterruptedException|An error occurred while calling o\d+\.\w+$")
"""What a Java process that shuts down says too, among others."""
_PATIENCE = 5.0
"""Seconds that a Java process which shuts down is waited for."""
_NO_MEMORY = 52
"""What Spark ends with where Java has no memory left."""
_HINT = "see why it ended; started again, the jobs go on from their checkpoints"


def java_ended(text: str) -> VeloError | None:
    """The error for a Java process that has ended, or is about to as the text says; None where it lives."""
    process, dying = _process(), _SIGNS.search(text) is not None
    patient = dying or _PERHAPS.search(text) is not None
    status = None if process is None else _status(process, patient=patient)
    if status is None:
        return VeloError("Spark's Java process is gone", hint=_HINT, code="spark-failed") if dying else None
    if status == _NO_MEMORY:
        return VeloError("Spark's Java process had no memory left and ended", hint=MEMORY, code="out-of-memory")
    if status in (-signal.SIGKILL, 128 + signal.SIGKILL):
        message = "Spark's Java process was killed, which a machine does that has no memory left"
        return VeloError(message, hint=f"see the system's log; {MEMORY}", code="out-of-memory")
    how = "somebody ended it (SIGTERM)" if status in (-signal.SIGTERM, 128 + signal.SIGTERM) else f"status {status}"
    return VeloError(f"Spark's Java process is gone: {how}", hint=_HINT, code="spark-failed")


def _process() -> Popen[bytes] | None:
    """Spark's Java process, where this one has started it."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    return process if isinstance(process, Popen) else None


def _status(process: Popen[bytes], *, patient: bool) -> int | None:
    """What it ended with; None where it has not."""
    try:
        return process.wait(_PATIENCE if patient else 0)
    except TimeoutExpired:
        return None
