"""What goes wrong in Spark and its workers comes back as one line of ours with a hint."""

from __future__ import annotations

import re
import subprocess
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark import SparkContext

from velostream.errors import NotFound, VeloError
from velostream.positions import Text
from velostream.spark.failures import translate, translated

STREAM = "[STREAM_FAILED] Query [id = 1] terminated with exception: {0} SQLSTATE: XXKST\n=== Streaming Query ===\n…"
SPAN = Text("SELECT a FROM b").span(7, 8)


def text_of(error: Exception) -> str:
    """What a worker sends back."""
    try:
        raise error
    except Exception:
        return f"[…] {traceback.format_exc()}\n\tat org.apache.spark…\n"


def test_an_error_of_ours_keeps_all_that_it_said() -> None:
    error = translate(Exception(text_of(NotFound("there is no 'b.jsonl'", hint="look for it", span=SPAN))))
    assert (error.message, error.hint, error.error_code) == ("there is no 'b.jsonl'", "look for it", "file-not-found")
    assert error.span == SPAN


def test_an_error_of_ours_without_a_note_keeps_its_message() -> None:
    error = translate(Exception("Traceback …\nvelostream.errors.VeloError: 'b.jsonl' is gone\n at java.lang"))
    assert error.message == "'b.jsonl' is gone"


def test_an_error_of_ours_stays_what_it_is() -> None:
    error = VeloError("mine")
    assert translate(error) is error


def test_an_error_of_python_is_named() -> None:
    error = translate(Exception("org.apache.spark…\nTraceback\n  File x\nKeyError: 'k'\n\tat org.apache"))
    assert error.message == "a worker failed with KeyError: 'k'"
    assert error.error_code == "internal"


def test_an_error_in_a_function_of_the_user_names_its_place() -> None:
    text = 'Traceback\n  File "/app/functions.py", line 7, in share\nZeroDivisionError: division by zero\n'
    error = translate(Exception(STREAM.format(text)))
    assert error.message == "a Python function failed in /app/functions.py, line 7: ZeroDivisionError: division by zero"
    assert error.error_code == "function-failed"


@pytest.mark.parametrize(
    ("said", "message", "code"),
    [
        (
            '[CAST_INVALID_INPUT] The value \'x\' of the type "STRING" cannot be cast to "INT" because …',
            "'x' cannot be cast to INT",
            "expression-failed",
        ),
        ("[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` …", "division by zero", "expression-failed"),
        (
            "[ARITHMETIC_OVERFLOW] long overflow. If necessary …",
            "a number is too large: long overflow",
            "expression-failed",
        ),
        (
            "[STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE] Provided key schema …",
            "the checkpoint holds the state of another statement",
            "state-mismatch",
        ),
        (
            "There are [2] sources in the checkpoint offsets and now there are [1]",
            "the checkpoint was written by a statement with other sources",
            "state-mismatch",
        ),
        (
            "Failed to read log file file:/c/commits/0. [MALFORMED_LOG_FILE] …",
            "the checkpoint cannot be read: '/c/commits/0' is damaged",
            "checkpoint-unreadable",
        ),
        (
            "Checksum error: file:/my state/x/spark/offsets/1 at 0 exp: 1993149171 got: -907905546",
            "the checkpoint cannot be read: '/my state/x/spark/offsets/1' is damaged",
            "checkpoint-unreadable",
        ),
        (
            "Checksum error: file:/in/a.csv at 512 exp: 1993149171 got: -907905546",
            "the file '/in/a.csv' is not what its sum in a .crc file beside it says",
            "source-unreadable",
        ),
        (
            "[CONCURRENT_STREAM_LOG_UPDATE] Concurrent update …",
            "another process uses the same checkpoint",
            "checkpoint-unreadable",
        ),
        (
            "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:/in/a.parquet.",
            "the file '/in/a.parquet' cannot be read",
            "source-unreadable",
        ),
        (
            "[FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH] Encountered error while reading file "
            "file:///in/a.parquet. Data type mismatches when reading Parquet column [v]. "
            "Expected Spark type int, actual Parquet type INT64. SQLSTATE: KD001",
            "column 'v' of '/in/a.parquet' is INT64 and not int as declared",
            "source-unreadable",
        ),
        (
            "pyarrow.lib.ArrowInvalid: Parquet magic bytes not found in footer",
            "a file cannot be read: Parquet magic bytes not found in footer",
            "source-unreadable",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", "Spark has no memory left", "out-of-memory"),
        ("java.net.BindException: Address in use", "Spark cannot open a port: Address in use", "spark-failed"),
        (
            "Traceback\nPermissionError: [Errno 13] Permission denied: '/out'",
            "a file cannot be used: [Errno 13] Permission denied: '/out'",
            "file-unusable",
        ),
        ("Traceback\nOSError: [Errno 28] No space left on device", "the disk is full", "file-unusable"),
        ("Traceback\nMemoryError: ", "a Python worker has no memory left", "out-of-memory"),
        (
            'Traceback\n  File "/app/functions.py", line 3\nConnectionRefusedError: [Errno 111] Connection refused',
            "a Python function failed in /app/functions.py, line 3: "
            "ConnectionRefusedError: [Errno 111] Connection refused",
            "function-failed",
        ),
        ("Job 7 cancelled because SparkContext was shut down", "Spark's Java process is gone", "spark-failed"),
    ],
)
def test_known_conditions_have_words_and_a_hint(said: str, message: str, code: str) -> None:
    error = translate(Exception(STREAM.format(said)))
    assert (error.message, error.error_code) == (message, code)
    assert error.hint


def test_java_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = Exception("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert translate(gone).message == f"JAVA_HOME is '{tmp_path}', and there is no Java in it"
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert translate(gone).message == "there is no Java, which Spark needs"
    (tmp_path / "java").write_text("#!/bin/sh\n")
    (tmp_path / "java").chmod(0o755)
    assert translate(gone).message == "Spark's Java process ended as it started"
    assert translate(gone).error_code == "java-missing"


SHUT = (
    'Cannot invoke "x" because the return value of "org.apache.spark.SparkContext.dagScheduler()" is null',
    "[INTERNAL_ERROR] The Spark SQL phase planning failed with an internal error. You hit a bug in Spark",
    "Job 40 cancelled because SparkContext was shut down",
)


@pytest.mark.parametrize("said", SHUT)
@pytest.mark.parametrize(
    ("end", "message", "code"),
    [
        ("exit 52", "Spark's Java process had no memory left and ended", "out-of-memory"),
        ("kill -9 $$", "Spark's Java process was killed, which a machine does that has no memory", "out-of-memory"),
        ("exit 143", "Spark's Java process is gone: somebody ended it (SIGTERM)", "spark-failed"),
        ("exit 1", "Spark's Java process is gone: status 1", "spark-failed"),
    ],
)
def test_how_java_ended_is_told_instead_of_what_it_left(
    monkeypatch: pytest.MonkeyPatch, end: str, message: str, code: str, said: str
) -> None:
    with subprocess.Popen(["sh", "-c", f"sleep 0.2; {end}"]) as process:
        monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=process))
        error = translate(Exception(STREAM.format(said)))  # while it shuts down
        assert error.message.startswith(message)
        assert error.error_code == code
        assert error.hint
        with pytest.raises(VeloError, match=re.escape(message)), translated():
            raise Py4JError("An error occurred while calling o633.exception")
        with pytest.raises(VeloError, match=re.escape(message)), translated():
            raise ConnectionRefusedError(111, "Connection refused")


def test_as_long_as_java_lives_an_error_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "30"]) as process:
        monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=process))
        assert translate(Exception("odd")).message == "Spark failed: odd"
        with pytest.raises(ConnectionRefusedError), translated():
            raise ConnectionRefusedError(111, "Connection refused")
        process.kill()


def test_anything_else_is_one_line() -> None:
    said = translate(Exception("\n the world has ended\n\tat java"))
    assert said.message == "Spark failed: the world has ended"
    assert said.error_code == "spark-failed"
    assert translate(ValueError("")).message == "Spark failed: ValueError"
    assert translate(Exception(STREAM.format("odd"))).message == "Spark failed: odd"


def test_what_spark_raises_is_translated_and_what_is_ours_is_not() -> None:
    with pytest.raises(VeloError, match="Spark failed: gone"), translated():
        raise Py4JError("gone")
    with pytest.raises(VeloError, match="mine"), translated():
        raise VeloError("mine")


def ours(batches: Iterator[Any]) -> Iterator[Any]:
    for _ in batches:
        raise NotFound("there is no 'b.jsonl'", hint="look for it")
    yield from ()


def theirs(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        yield batch["nothing"]


@pytest.mark.parametrize(
    ("work", "message"),
    [(ours, "there is no 'b.jsonl'"), (theirs, r"a Python function failed in .*test_failures.py, line")],
)
def test_an_error_comes_through_a_streaming_query(
    one_spark: Any, tmp_path: Path, work: Callable[[Any], Any], message: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"n": 0}\n')
    stream = one_spark.readStream.name("n").schema("n INT").json(str(tmp_path / "in")).mapInArrow(work, "n INT")
    writer = stream.writeStream.foreachBatch(lambda batch, number: batch.collect())
    query = writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start()
    with pytest.raises(VeloError, match=message) as raised, translated():
        query.awaitTermination()
    assert "\n" not in raised.value.message
    if work is ours:
        assert raised.value.hint == "look for it"
