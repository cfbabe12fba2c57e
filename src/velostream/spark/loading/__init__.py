"""Where tables from outside come from: one class for each kind of source, one line each here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.plan.job import LoadedTable
from velostream.spark.loading.database import DatabaseTable
from velostream.spark.loading.files import FileTable, ObjectTable
from velostream.spark.loading.generated import GeneratedTable
from velostream.spark.loading.kafka import KafkaTable
from velostream.spark.loading.web import WebTable
from velostream.spark.lower.refusals import unloadable
from velostream.tables.loading import TableSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOADED: dict[str, Callable[[LoadedTable, SparkSession, Path, Path], TableSource]] = {
    "file_source": FileTable,
    "s3_source": ObjectTable,
    "kafka_source": KafkaTable,
    "database_source": DatabaseTable,
    "http_source": WebTable,
    "datagen_source": GeneratedTable,
}
"""By connector: a class over the table, the session, the folder that relative paths start from, and one of its own."""


def source_of(table: LoadedTable, spark: SparkSession, folder: Path, home: Path) -> TableSource:
    """The source of a table; `home` is where it may keep what it needs."""
    for error in unloadable(table):
        raise error
    if not table.columns:
        message = f"the columns of table '{table.name}' are not known"
        raise VeloError(message, hint="declare them: CREATE TABLE name (column TYPE, …)", code="unknown-schema")
    return LOADED[table.connector](table, spark, folder, home)
