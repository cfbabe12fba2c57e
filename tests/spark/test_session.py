"""What the JVM of a session is told at its start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.spark.session import java_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_code_that_runs_seldom_is_not_compiled_twice(one_spark: SparkSession) -> None:
    machine = one_spark.sparkContext._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()  # type: ignore[union-attr]

    assert any("Tier4InvocationThreshold" in told for told in machine.getInputArguments())


def test_options_of_ones_own_come_last_and_hold() -> None:
    assert java_options("-XX:Tier4InvocationThreshold=5000").endswith(" -XX:Tier4InvocationThreshold=5000")
