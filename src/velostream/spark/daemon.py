"""The process that Python workers are forked from: it has loaded already what each of them needs.

A worker that loads pandas, which Spark's client of state asks for, and what an operator is made of takes half a second
of CPU and 40 MB of its own; and after every task it would look through all of it for garbage. Polars is left to the
workers: its threads do not survive a fork.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module

from pyspark.daemon import manager

WORKER = "pyspark.worker"
"""The module of those that work on records. Others are started for a question about a source, and need less."""
NEEDED = (
    "pyspark.testing.utils",
    "velostream.spark.stateful.operator",
    "velostream.spark.stateful.router",
    "velostream.spark.stateful.unpack",
    "velostream.windows.operator",
)

if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        for name in NEEDED:
            import_module(name)
        gc.freeze()
    manager()
