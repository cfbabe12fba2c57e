"""Questions to the tables of an application, running or stopped: a query over the newest complete version of each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.jobs.put_away import PutAway
from velostream.jobs.written import Written, WrittenView
from velostream.plan.job import ApplicationPlan, Job
from velostream.spark.lower.context import Lowering, Run, column
from velostream.spark.lower.functions import register
from velostream.spark.lower.job import rows_of
from velostream.spark.lower.static import lower_static
from velostream.tables.store import TableStore, Version
from velostream.tables.view import TableView, VersionView

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


def ask(
    plan: ApplicationPlan,
    job: Job,
    spark: SparkSession,
    checkpoint: Path,
    written: Mapping[str, Written | PutAway] = MappingProxyType({}),
) -> pa.Table:
    """The rows of a query that reads tables, and what jobs have `written`; `job` is the one that would print them."""
    refuse_streams(job)
    top = rows_of(job)
    columns = _columns(plan)
    register(spark, plan.functions)
    run = Run(job.name, checkpoint, Path(), bounded=True, buckets=())
    while True:
        versions = {name: _newest(checkpoint, name) for name in job.tables if name not in written}
        views: dict[str, TableView] = {name: VersionView(one, columns[name]) for name, one in versions.items()}
        views |= {name: WrittenView(one) for name, one in written.items()}
        try:
            frame = lower_static(top, Lowering(spark, run, functions=plan.functions_by_name, tables=views))
            return frame.select(*(column(member.name) for member in top.fields.visible)).toArrow()
        except Exception:
            if all(version.is_there for version in versions.values()):
                raise  # else the application has gone over to newer versions meanwhile, which can be asked


def refuse_streams(job: Job) -> None:
    """Refuses a query that would never end."""
    if not rows_of(job).static:
        streams = ", ".join(dict.fromkeys(f"'{scan.source}'" for scan in job.scans)) or "a stream"
        hint = "read tables, or jobs that write files: CREATE TABLE … AS keeps what a stream says"
        raise VeloError(f"the query reads {streams}, which never ends", hint=hint, code="usage")


def _newest(checkpoint: Path, name: str) -> Version:
    version = TableStore(checkpoint, name).newest()
    if version is None:
        message = f"table '{name}' has no rows under '{checkpoint}'"
        raise VeloError(message, hint="run the application first, or name its --checkpoint", code="table-not-ready")
    return version


def ask_history(sql: str, tables: Mapping[str, pa.Table], spark: SparkSession) -> pa.Table:
    """The rows of a query over tables that are in memory, in Spark's own SQL."""
    from pyspark.errors import PySparkException

    for name, table in tables.items():
        # In one piece: of a table that begins with two empty pieces, Spark takes no row at all.
        spark.createDataFrame(table.combine_chunks()).createOrReplaceTempView(name)
    try:
        found: pa.Table = spark.sql(sql).toArrow()
    except PySparkException as error:
        told = str(error.getMessage() or error).split("\n", 1)[0]
        hint = f"tables: {', '.join(tables)}"
        raise VeloError(f"the query cannot be answered: {told}", hint=hint, code="usage") from None
    finally:
        for name in tables:
            spark.catalog.dropTempView(name)
    return found


def _columns(plan: ApplicationPlan) -> dict[str, list[tuple[str, str]]]:
    """The columns of all tables of an application."""
    from velostream.tables.materialised import columns_of

    found = {each.name: [(member.name, str(member.type)) for member in each.columns] for each in plan.tables}
    return found | {name: columns_of(maker.made) for name, maker in plan.makers.items()}
