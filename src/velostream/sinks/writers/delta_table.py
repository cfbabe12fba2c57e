"""The Delta table behind a sink: found or created, with the columns that rows are written by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.postgres import same_column
from velostream.registry import did_you_mean
from velostream.sinks.writers.batch import Shape

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession
    from pyspark.sql.types import DataType, StructType

_WIDER = (
    ("tinyint", "smallint", "int", "bigint"),
    ("float", "double"),
)
"""Types of which each keeps all values of those before it."""


@dataclass(frozen=True)
class Target:
    """The table as it is: its folder, and under which names and types it has our columns."""

    path: str
    columns: Mapping[str, str]
    """Our names, and those of the table."""
    types: Mapping[str, DataType] = field(default_factory=dict)
    """Our names, and the types of the table."""
    identity: tuple[str, ...] = ()
    """What a row is found by that is replaced, as the table has it."""
    revision: str = ""
    """The column that tells which of two rows of a key is the newer one."""

    @property
    def name(self) -> str:
        """As statements have it."""
        return f"delta.{quoted(self.path)}"

    def written(self) -> list[Column]:
        """Our columns with the names and types of the table."""
        from pyspark.sql import functions as F  # noqa: N812

        return [F.col(quoted(own)).cast(self.types[own]).alias(there) for own, there in self.columns.items()]


def open_table(spark: SparkSession, sink: str, path: str, shape: Shape) -> Target:
    """The table of a sink; made where it is not there."""
    if Path(path).is_file():
        message = f"sink '{sink}' cannot write the Delta table '{path}', which is a file"
        raise VeloError(
            message, hint="name a folder that is not there, or that has a Delta table", code="unreachable-sink"
        )
    refused = next((column for column in shape.columns if "INTERVAL" in column[1].upper()), None)
    if refused is not None:
        message = f"sink '{sink}' cannot write column '{refused[0]}': Delta has no type for {refused[1]}"
        raise VeloError(message, hint=f"write CAST({refused[0]} AS STRING) AS {refused[0]}", code="unreachable-sink")
    listed = ", ".join(f"{quoted(name)} {kind}" for name, kind in shape.columns)
    there = {member.name: member.dataType for member in _opened(spark, path, listed)}
    columns = {name: _same(sink, path, name, there) for name in shape.names}
    own = spark.createDataFrame([], listed).schema
    for member in own:
        held = there[columns[member.name]]
        if not _keeps(held, member.dataType):
            mine, theirs = (kind.simpleString().upper() for kind in (member.dataType, held))
            message = f"sink '{sink}' writes {mine} into column '{columns[member.name]}' of '{path}', which is {theirs}"
            hint = f"CAST({member.name} AS {theirs}) AS {member.name}, or write to another folder"
            raise VeloError(message, hint=hint, code="unreachable-sink")
    types = {name: there[held] for name, held in columns.items()}
    identity = tuple(columns[name] for name in shape.identity) if shape.upserts else ()
    return Target(path, columns, types, identity, columns.get(shape.revision, ""))


def quoted(name: str) -> str:
    """A name as Spark SQL has it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def _opened(spark: SparkSession, path: str, columns: str) -> StructType:
    """The schema of the table. Where a killed process made no more than the place of its log, it cannot be created,
    only written."""
    from pyspark.errors import AnalysisException

    place = f"delta.{quoted(path)}"
    try:
        return spark.table(place).schema
    except AnalysisException as error:
        if error.getCondition() == "DELTA_TABLE_NOT_FOUND":
            spark.createDataFrame([], columns).write.format("delta").mode("append").save(path)
        else:
            spark.sql(f"CREATE TABLE IF NOT EXISTS {place} ({columns}) USING delta")
    return spark.table(place).schema


def _same(sink: str, path: str, name: str, there: Mapping[str, DataType]) -> str:
    found = same_column(name, list(there))
    if found is not None:
        return found
    message = f"sink '{sink}' writes column '{name}', which the Delta table '{path}' does not have"
    hint = f"{did_you_mean(name, there, 'columns')}; or ALTER TABLE delta.`{path}` ADD COLUMN, or another folder"
    raise VeloError(message, hint=hint, code="unknown-column")


def _keeps(held: DataType, own: DataType) -> bool:
    """True where a column of the first type keeps all values of the second."""
    from pyspark.sql.types import DecimalType

    mine, theirs = own.simpleString(), held.simpleString()
    if mine == theirs:
        return True
    if isinstance(own, DecimalType) and isinstance(held, DecimalType):
        return held.scale >= own.scale and held.precision - held.scale >= own.precision - own.scale
    return any(mine in kinds and theirs in kinds and kinds.index(theirs) > kinds.index(mine) for kinds in _WIDER)
