"""What Spark keeps of a micro-batch that is run again takes the place of what the first run kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_file_of_a_checkpoint_is_written_over_one_that_a_killed_run_left(
    one_spark: SparkSession, tmp_path: Path
) -> None:
    jvm, configuration = one_spark._jvm, one_spark._jsc.hadoopConfiguration()
    assert jvm is not None
    manager = jvm.java.lang.Class.forName(one_spark.conf.get("spark.sql.streaming.checkpointFileManagerClass"))
    path = jvm.org.apache.hadoop.fs.Path((tmp_path / "20.changelog").as_uri())
    checkpoints = jvm.org.apache.spark.sql.execution.streaming.checkpointing
    made = getattr(checkpoints, manager.getSimpleName())(path.getParent(), configuration)
    for text in (b"killed", b"again"):
        out = made.createAtomic(path, True)
        out.write(bytearray(text))
        out.close()
    assert (tmp_path / "20.changelog").read_bytes() == b"again"
    assert not list(tmp_path.glob(".*.tmp"))
