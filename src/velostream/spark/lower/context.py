"""What lowering needs beside the plan: the session, the run, and names that Spark can quote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.plan.nodes import Node

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

CARRIED = ("_status", "_detail", "_mark", "_record")
"""Columns that every row has beside the fields of the plan: what is wrong with it, and the record that it was."""


@dataclass(frozen=True)
class Run:
    """One start of a job: where its files are, whether its input ends, over which buckets its state is spread."""

    job: str
    checkpoint: Path
    folder: Path
    bounded: bool
    buckets: tuple[int, ...]


@dataclass(frozen=True)
class Lowering:
    """The session and the run."""

    spark: SparkSession
    run: Run

    def refuse(self, node: Node) -> VeloError:
        """The error for a node that cannot be run yet."""
        name = type(node).__name__
        return VeloError(
            f"a plan with {name} cannot be run yet", hint="velo explain shows the plan", code="unsupported"
        )


def quoted(name: str) -> str:
    """A field's name as Spark's SQL text has it."""
    return "`" + name.replace("`", "``") + "`"


def column(name: str) -> Column:
    """A field as a column."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.col(quoted(name))
