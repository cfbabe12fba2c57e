"""Spark of this process: started by the first question that needs it, with what its connectors need."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from velostream.functions.base import Function

LOG = logging.getLogger("velostream.api")


class Engine:
    """Where a connection runs what it is asked. `jars` are folders or files of jars that connectors need."""

    def __init__(self, master: str = "local[*]", jars: Sequence[str] = ()) -> None:
        self.master = master
        self.jars = tuple(jars)

    def session(self, connectors: Iterable[str] = (), functions: Iterable[Function] = ()) -> SparkSession:
        """The session of this process, which must have the jars of these connectors: Spark takes them at its start."""
        from velostream.spark.jars import jars_of
        from velostream.spark.session import require_jars, spark_session

        connectors = tuple(connectors)
        jars = jars_of(connectors, self.jars, LOG.info)
        require_jars(jars)
        _travel(functions)
        return spark_session(self.master, jars=jars, connectors=connectors)


def _travel(functions: Iterable[Function]) -> None:
    """Lets functions of the user's own modules travel to workers by value: those have other paths to import from."""
    from pyspark.cloudpickle import register_pickle_by_value

    installed = tuple(str(Path(place).resolve()) for place in sys.path if "site-packages" in place)
    for function in functions:
        run = function.implementation.run if function.implementation is not None else None
        module = sys.modules.get(getattr(run, "__module__", "") or "")
        file = getattr(module, "__file__", None)
        if module is not None and file and not str(Path(file).resolve()).startswith(installed):
            register_pickle_by_value(module)  # type: ignore[no-untyped-call]
