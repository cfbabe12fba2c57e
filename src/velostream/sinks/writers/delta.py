"""Rows to a Delta table, each micro-batch exactly once: its number is in the commit that writes its rows.

Delta keeps, for every application that writes to a table, the last version that it has committed, and leaves out what
is not newer. The application is a sink of a query, the version is the number of the micro-batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.sinks.writers.batch import FEW, Batch, BatchRows, Refusal, Shape
from velostream.sinks.writers.delta_table import Target, open_table, quoted
from velostream.sinks.writers.files import folder_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from velostream.config.settings import Settings

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
"""What a session must have been started with."""
RETRACT = "retract"
GONE, AT, RANK = "velo_gone", "velo_at", "velo_rank"
"""Columns of rows on their way into a table: withdrawn, in which order, and which of the rows of a key it is."""
_CHANGES = "velo_changes"
_APPLICATION, _VERSION = "spark.databricks.delta.write.txnAppId", "spark.databricks.delta.write.txnVersion"
_merging = Lock()
"""A MERGE takes its application and version from the settings of the session, which jobs share; nothing else is
committed meanwhile that would take them too."""
_opened: dict[tuple[str, str], Target] = {}
"""The tables of this process, by query and sink."""


@dataclass(frozen=True)
class Transaction:
    """By what Delta knows a micro-batch again. Batches count from 0 with a new checkpoint: the query is in it."""

    application: str
    version: int

    @classmethod
    def of(cls, name: str, batch: Batch) -> Transaction:
        """Of a micro-batch of a sink."""
        return cls(f"velostream/{batch.query}/{name}", batch.number)


def write_delta(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    """Writes a micro-batch in one commit, unless it was written before. Delta refuses no single rows."""
    path = settings.text("path")
    path = path if "://" in path else str(folder_of(settings, batch.folder).resolve())
    spark = _session(name, rows)
    key = (batch.query, name)
    with _told(name, path):
        if key not in _opened:
            with _merging:
                _opened[key] = open_table(spark, name, path, shape)
        if rows.none:
            return ()
        transaction = Transaction.of(name, batch)
        if shape.upserts:
            _merge(spark, _opened[key], _frame(spark, rows), shape, transaction)
        else:
            _append(_opened[key], _frame(spark, rows), transaction)
    return ()


def release(query: str) -> None:
    """Forgets the tables of a query."""
    for key in [key for key in _opened if key[0] == query]:
        del _opened[key]


def _session(name: str, rows: BatchRows) -> SparkSession:
    """The session that writes."""
    from pyspark.sql import SparkSession

    spark = rows.spark.sparkSession if rows.spark is not None else SparkSession.getActiveSession()
    assert spark is not None
    if EXTENSION not in (spark.conf.get("spark.sql.extensions", "") or ""):
        message = f"sink '{name}' is a delta_sink, and this Spark session was started without Delta"
        hint = "begin anew, with the statement that needs it first: Spark takes jars and extensions only at its start"
        raise VeloError(message, hint=hint, code="missing-jars")
    return spark


def _frame(spark: SparkSession, rows: BatchRows) -> DataFrame:
    """The rows in Spark; few become one file."""
    frame = spark.createDataFrame(rows.given) if rows.given is not None else rows.frame
    return frame.coalesce(1) if rows.at_most is not None and rows.at_most <= FEW else frame


def _append(target: Target, frame: DataFrame, transaction: Transaction) -> None:
    writer = frame.select(*target.written()).write.format("delta").mode("append")
    writer = writer.option("txnAppId", transaction.application).option("txnVersion", transaction.version)
    writer.save(target.path)


def _merge(spark: SparkSession, target: Target, frame: DataFrame, shape: Shape, transaction: Transaction) -> None:
    """The last row of every key replaces that of the table, or removes it where it was withdrawn."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    gone = F.coalesce(F.col(shape.emission) == RETRACT, F.lit(False)) if shape.emission else F.lit(False)
    placed = frame.select(*target.written(), gone.alias(GONE), F.monotonically_increasing_id().alias(AT))
    newest = Window.partitionBy(*map(quoted, target.identity)).orderBy(F.desc(AT))
    changes = placed.withColumn(RANK, F.row_number().over(newest)).filter(F.col(RANK) == 1).drop(RANK, AT)
    with _merging:
        changes.createOrReplaceTempView(_CHANGES)
        spark.conf.set(_APPLICATION, transaction.application)
        spark.conf.set(_VERSION, str(transaction.version))
        try:
            spark.sql(merge_statement(target))
        finally:
            spark.conf.unset(_APPLICATION)
            spark.conf.unset(_VERSION)
            spark.catalog.dropTempView(_CHANGES)


def merge_statement(target: Target) -> str:
    """Rows into the table, over those of their keys that are not newer; a row written by hand has no revision."""
    same = " AND ".join(f"t.{name} <=> s.{name}" for name in map(quoted, target.identity))
    newer = ""
    if target.revision:
        revision = quoted(target.revision)
        newer = f" AND (t.{revision} IS NULL OR t.{revision} <= s.{revision})"
    columns = [quoted(name) for name in target.columns.values()]
    changed = ", ".join(f"t.{name} = s.{name}" for name in columns)
    return (
        f"MERGE INTO {target.name} t USING {_CHANGES} s ON {same} "
        f"WHEN MATCHED AND s.{GONE}{newer} THEN DELETE "
        f"WHEN MATCHED AND NOT s.{GONE}{newer} THEN UPDATE SET {changed} "
        f"WHEN NOT MATCHED AND NOT s.{GONE} THEN "
        f"INSERT ({', '.join(columns)}) VALUES ({', '.join(f's.{name}' for name in columns)})"
    )


@contextmanager
def _told(name: str, path: str) -> Iterator[None]:
    """What Delta does not do, in one line that names the sink and the table."""
    from pyspark.errors import AnalysisException

    try:
        yield
    except AnalysisException as error:
        said = str(error).strip().splitlines()[0]
        message = f"sink '{name}' cannot write the Delta table '{path}': {said}"
        hint = "see to what is in that folder and to the columns of the table, or write to another folder"
        raise VeloError(message, hint=hint, code="unreachable-sink") from error
