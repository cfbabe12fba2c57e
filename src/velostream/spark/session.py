"""The Spark session: one per process, on loopback, with what exact streaming needs."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

_RENAMING = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
"""Checkpoints on a local disk: the other manager asks the shell about links, 30 ms for every file."""
_LOCAL = "org.apache.hadoop.fs.LocalFileSystem"
"""The files of a local disk. The one that Hive brings would take its place: it renames no file over another, and so the
state of a micro-batch that is run again after a kill was left out in silence."""

_ON_A_CLUSTER = "16"
"""Partitions of state on a cluster, unless somebody sets another number: each costs time in every micro-batch, and they
are fixed at a job's first start. Spark would make 200."""

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.speculation": "false",
    "spark.python.daemon.module": "velostream.spark.daemon",
    "spark.scheduler.mode": "FAIR",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "250000",
    "spark.sql.streaming.stateStore.providerClass": _ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",
    "spark.sql.streaming.offsetLog.formatVersion": "2",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}


_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
"""What Delta tables need of a session."""
_DELTA_HERE = {"spark.databricks.delta.snapshotPartitions": "2"}
"""On one machine: Delta would make 50 tasks to read what a table consists of."""
_EXTENSIONS = "spark.sql.extensions"


def spark_session(
    master: str = "local[*]",
    settings: Mapping[str, str] | None = None,
    jars: Sequence[Path] = (),
    connectors: Iterable[str] = (),
) -> SparkSession:
    """The session of this process; settings of a session that runs already are changed where Spark lets them be.

    `jars` are those that connectors need (`velostream.spark.jars`): a session takes them only when it starts, and so it
    does the settings that some of the `connectors` need.
    """
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    if "SPARK_HOME" not in os.environ:
        os.environ["SPARK_HOME"] = _home()
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    builder = SparkSession.builder.appName("velostream").master(master)
    everything = dict(_SETTINGS)
    if jars:
        everything["spark.jars"] = ",".join(map(str, jars))
    if master.startswith("local"):
        everything |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        everything["spark.sql.shuffle.partitions"] = str(max(2, _cores(master)))
        everything["spark.sql.streaming.checkpointFileManagerClass"] = _RENAMING
        everything["spark.hadoop.fs.file.impl"] = _LOCAL
        everything["spark.driver.memory"] = f"{_memory()}g"
    else:
        everything["spark.sql.shuffle.partitions"] = _ON_A_CLUSTER
    given = dict(settings or {})
    if "delta_sink" in connectors:
        everything |= {**_DELTA, **(_DELTA_HERE if master.startswith("local") else {})}
        if given.get(_EXTENSIONS):
            given[_EXTENSIONS] = f"{given[_EXTENSIONS]},{_DELTA[_EXTENSIONS]}"
    for name, value in {**everything, **given}.items():
        builder = builder.config(name, value)
    with _logged():
        spark: SparkSession = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def require_jars(jars: Iterable[Path]) -> None:
    """Refuses jars that the Spark of this process, if it runs already, has not taken at its start."""
    from pyspark import SparkContext

    running = SparkContext._active_spark_context
    if running is None:
        return
    settings = running.getConf()
    loaded = f"{settings.get('spark.jars', '')},{settings.get('spark.jars.packages', '')}"
    missing = [jar.name for jar in jars if jar.stem.rpartition("-")[0] not in loaded]
    if missing:
        message = f"Spark runs already, without '{missing[0]}'"
        hint = "it takes jars only when it starts: begin anew, with the question that needs them first"
        raise VeloError(message, hint=hint, code="job-state")


def _home() -> str:
    """Spark's folder without its zip of pyspark: Python processes then take the modules of the environment, which are
    compiled, and start in a third of the time."""
    import pyspark

    real = Path(pyspark.__file__).parent
    if not (real / "python" / "lib").is_dir():
        return str(real)
    home = Path(tempfile.mkdtemp(prefix="velostream-spark-"))
    for part in real.iterdir():
        if part.name != "python":
            (home / part.name).symlink_to(part)
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return str(home)


@contextmanager
def _logged() -> Iterator[None]:
    """Gives the JVM that starts inside, and so its Python workers, a log file for what they print."""
    log = Path(tempfile.gettempdir()) / f"velostream-{os.getpid()}.log"
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.dup2(target, 1)
        os.dup2(target, 2)
        yield
    finally:
        for number, saved in enumerate(kept, start=1):
            os.dup2(saved, number)
            os.close(saved)
        os.close(target)


def _memory() -> int:
    """Gigabytes for the JVM, which does all the work of a local master: a quarter of the machine's, from 1 to 8."""
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(max(pages // (4 << 30), 1), 8)


def _cores(master: str) -> int:
    inside = master.partition("[")[2].rstrip("]").split(",")[0]
    return int(inside) if inside.isdecimal() else os.cpu_count() or 2
