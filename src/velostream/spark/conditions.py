"""Spark's error conditions that a user can do something about, in our words."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from velostream.errors import VeloError


@dataclass(frozen=True)
class Condition:
    """What a text of Spark means: `pattern` finds it, `message` may use what the pattern takes out of it."""

    code: str
    pattern: str
    message: str
    hint: str


def _named(*names: str, rest: str = "") -> str:
    """A pattern for conditions by name, as Spark writes them in brackets."""
    return rf"\[(?:{'|'.join(names)})[\w.]*\]{rest}"


MEMORY = (
    "give Spark more (spark.driver.memory; velo serve --driver-memory), take smaller batches (batch.size), "
    "or let fewer jobs run side by side"
)
_VALUE = "expression-failed"
_SAID = r" (.+?)(?:\. |$)"
_OTHER_CHECKPOINT = "undo the change of the statement, or start with another --checkpoint"
_RESTORE = "restore it from a copy, or start with another --checkpoint"
_WHOLE = "see that every file of the source is whole and has the declared format"
_FILE = r"(?:file:/*(?=/))?(/\S+?)"
_SUM = r"Checksum error: (?:file:/*(?=/))?({0}) at \d+ exp: "
_LOG = r"/.*/spark/(?:metadata|(?:offsets|commits|sources|state)/.+?)"
"""A file of Spark's own in the checkpoint of a job."""
_JAVA = "install Java 17 or newer (Debian: openjdk-17-jre-headless, macOS: brew install openjdk@17), or set JAVA_HOME"

_STATE = (
    *("STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE", "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE", "STATE_STORE_INVALID_"),
    *("STATEFUL_PROCESSOR_", "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA", "TRANSFORM_WITH_STATE_"),
)
_CONDITIONS = (
    Condition(
        _VALUE,
        r"\[CAST_INVALID_INPUT\] The value (.+?) of the type \"\w+\" cannot be cast to \"(.+?)\"",
        "{0} cannot be cast to {1}",
        "use TRY_CAST for values that may be malformed",
    ),
    Condition(
        "no-match",
        r"\[USER_RAISED_EXCEPTION\] (the join with .+?) \(fail_fast\)",
        "{0}",
        "add the row to the table, or choose another missing.data.strategy",
    ),
    Condition(_VALUE, _named("DIVIDE_BY_ZERO"), "division by zero", "use TRY_DIVIDE, or NULLIF(divisor, 0)"),
    Condition(
        _VALUE,
        _named("ARITHMETIC_OVERFLOW", "BINARY_ARITHMETIC_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE", rest=_SAID),
        "a number is too large: {0}",
        "cast to a wider type, such as DECIMAL(38, 0)",
    ),
    Condition(
        _VALUE,
        _named("INVALID_ARRAY_INDEX", rest=_SAID),
        "an index is outside of its array: {0}",
        "use TRY_ELEMENT_AT",
    ),
    Condition(
        _VALUE,
        _named("CANNOT_PARSE_TIMESTAMP", "INVALID_DATETIME_PATTERN", "DATETIME_FIELD_OUT_OF_BOUNDS", rest=_SAID),
        "a time cannot be read: {0}",
        "use TRY_TO_TIMESTAMP",
    ),
    Condition(
        "state-mismatch",
        _named(*_STATE).replace("[\\w.]*", "\\w*"),
        "the checkpoint holds the state of another statement",
        _OTHER_CHECKPOINT,
    ),
    Condition(
        "state-mismatch",
        r"There are \[\d+\] sources in the checkpoint offsets|SOURCE_EVOLUTION",
        "the checkpoint was written by a statement with other sources",
        _OTHER_CHECKPOINT,
    ),
    Condition(
        "checkpoint-unreadable",
        r"Failed to read log file (?:file:)?(\S+?)\. ",
        "the checkpoint cannot be read: '{0}' is damaged",
        _RESTORE,
    ),
    Condition(
        "checkpoint-unreadable",
        _SUM.format(_LOG),
        "the checkpoint cannot be read: '{0}' is damaged",
        _RESTORE,
    ),
    Condition(
        "source-unreadable",
        _SUM.format("/.+?"),
        "the file '{0}' is not what its sum in a .crc file beside it says",
        "write it anew or, if it is right, remove that file",
    ),
    Condition(
        "checkpoint-unreadable",
        _named("MALFORMED_LOG_FILE", "CANNOT_LOAD_STATE_STORE", "CANNOT_LOAD_CHECKPOINT", rest=_SAID),
        "the checkpoint cannot be read: {0}",
        _RESTORE,
    ),
    Condition(
        "checkpoint-unreadable",
        r"CONCURRENT_STREAM_LOG_UPDATE|CONCURRENT_QUERY|Multiple streaming queries are concurrently using",
        "another process uses the same checkpoint",
        "stop it, or take another --checkpoint",
    ),
    Condition(
        "source-unreadable",
        _named(
            "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
            rest=rf" .*?{_FILE}\. .*?column \[?(.+?)\]?\. Expected Spark type (.+?), actual Parquet type (.+?)\.",
        ),
        "column '{1}' of '{0}' is {3} and not {2} as declared",
        "declare its type, or write the file anew; with _offset in the select list such records become dead letters",
    ),
    Condition(
        "source-unreadable",
        _named("FAILED_READ_FILE", rest=rf" .*?{_FILE}\.?(?:\s|$)"),
        "the file '{0}' cannot be read",
        _WHOLE,
    ),
    Condition("source-unreadable", r"ArrowInvalid: (.*[Pp]arquet.*)", "a file cannot be read: {0}", _WHOLE),
    Condition("source-unreadable", r"ArrowInvalid: (.*)", "data cannot be read as declared: {0}", _WHOLE),
    Condition(
        "source-unreadable",
        _named("PATH_NOT_FOUND", rest=r" Path does not exist: (?:file:)?(\S+?)\.? "),
        "there is no file '{0}'",
        "correct the path",
    ),
    Condition(
        "out-of-memory",
        r"java\.lang\.OutOfMemoryError|UNABLE_TO_ACQUIRE_MEMORY",
        "Spark has no memory left",
        MEMORY,
    ),
    Condition(
        "out-of-memory",
        r"Python worker exited unexpectedly|PYTHON_WORKER_(?:EXITED|CRASHED)",
        "a Python worker was ended from outside, mostly for want of memory",
        MEMORY,
    ),
    Condition(
        "file-unusable",
        r"No space left on device",
        "the disk is full",
        "make room for results, the checkpoint and Spark's temporary files",
    ),
    Condition(
        "spark-failed",
        r"java\.net\.BindException: (.+)",
        "Spark cannot open a port: {0}",
        "set SPARK_LOCAL_IP=127.0.0.1, or see which process holds the port",
    ),
    Condition(
        "spark-failed",
        r"All masters are unresponsive|Could not parse Master URL|Failed to connect to master",
        "there is no Spark at the address of --master",
        "start it, or correct the address, such as local[*] or spark://host:7077",
    ),
    Condition(
        "offsets-lost",
        r"lost because they are not available in Kafka any more;[\s\S]*?Reason:\s*(.+)",
        "Kafka no longer has records that were not read yet: {0}",
        "'x.on.data.loss' = 'skip' goes on without them and counts them; keep records longer: retention.ms",
    ),
    Condition(
        "broker-unreachable",
        r"org\.apache\.kafka\.common\.errors\.(?:TimeoutException|DisconnectException): (.+)",
        "no Kafka broker answers: {0}",
        "see that it is up, and that bootstrap.servers and security.protocol are right",
    ),
    Condition(
        "broker-unreachable",
        r"org\.apache\.kafka\.common\.errors\.((?:Sasl|Ssl|TopicAuthorization|GroupAuthorization)\w+: .+)",
        "Kafka does not let us in: {0}",
        "see to security.protocol, sasl.* and ssl.*, and to the rights on topics",
    ),
    Condition(
        "broker-unreachable",
        r"org\.apache\.kafka\.common\.(?:config\.ConfigException|KafkaException): (.+)",
        "Kafka's client cannot be used: {0}",
        "correct the settings of the source",
    ),
)
"""The first that matches counts."""


def condition_error(text: str) -> VeloError | None:
    """The error for a text of Spark that is known."""
    if "JAVA_GATEWAY_EXITED" in text:
        return _no_java()
    for known in _CONDITIONS:
        found = re.search(known.pattern, text, re.MULTILINE)
        if found is not None:
            taken = [(part or "").strip() for part in found.groups()]
            return VeloError(known.message.format(*taken), hint=known.hint, code=known.code)
    return None


def _no_java() -> VeloError:
    home = os.environ.get("JAVA_HOME", "")
    if home and not os.access(Path(home) / "bin" / "java", os.X_OK):
        return VeloError(f"JAVA_HOME is '{home}', and there is no Java in it", hint=_JAVA, code="java-missing")
    if not home and shutil.which("java") is None:
        return VeloError("there is no Java, which Spark needs", hint=_JAVA, code="java-missing")
    hint = "see that it is Java 17 or newer: java -version"
    return VeloError("Spark's Java process ended as it started", hint=hint, code="java-missing")
