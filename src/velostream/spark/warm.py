"""The warm tier: how much memory the state stores of a query may take, and whether their files lie in shared memory.

Spark fixes the first when a query starts, for each of its state stores. The second holds for a process: every state
store that is opened has its folder in the place of that moment. Checkpoints stay where they are, on disk.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from velostream.config.memory import cache_size
from velostream.config.origin import Layer
from velostream.errors import VeloError
from velostream.events import LOGGER
from velostream.plan.job import ApplicationPlan, Job
from velostream.spark.stateful.hot_folders import own_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MEMORY = "memory"
_PREFIX = "spark.sql.streaming.stateStore.rocksdb"
_MEGABYTE = 1 << 20
_LOCAL = "spark.local.dir"
_ENVIRONMENT = "SPARK_LOCAL_DIRS"
_before: dict[str, str] = {}
"""Where state stores of this process lay before they went to memory."""


def cache_settings(size: int, stores: int) -> dict[str, str]:
    """What a query is started with so that its state stores take `size` bytes together: three quarters of each one's
    share for blocks that were read, a quarter for two buffers of what is written. No share is below 3 MB."""
    share = size // max(stores, 1) // _MEGABYTE
    return {
        f"{_PREFIX}.blockCacheSizeMB": str(max(1, share * 3 // 4)),
        f"{_PREFIX}.writeBufferSizeMB": str(max(1, share // 8)),
        f"{_PREFIX}.maxWriteBufferNumber": "2",
    }


def set_cache(spark: SparkSession, job: Job, stages: int) -> None:
    """Makes `state.warm.cache_size` hold for the query of a job that is started next."""
    if job.settings is None or not stages:
        return
    partitions = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    for name, value in cache_settings(cache_size(job.settings), stages * partitions).items():
        spark.conf.set(name, value)


def place_stores(spark: SparkSession, plan: ApplicationPlan) -> None:
    """Has the state stores of this process lie in shared memory where a job of the application wants it, else on disk.
    Where that cannot be had, a statement that asks for it is refused; a preset is told."""
    wanted = [chosen for job in plan.jobs if (chosen := _chosen(job)) is not None and chosen.value == MEMORY]
    reason = _hindrance(spark) if wanted else ""
    for chosen in wanted if reason else ():
        if chosen.origin.layer > Layer.PRESET:
            hint = "remove it: state stores then lie on disk"
            message = f"'state.warm.backend' = 'memory' cannot be had: {reason}"
            raise VeloError(message, hint=hint, span=chosen.origin.span, code="unsupported")
    if reason:
        log = logging.getLogger(LOGGER)
        log.warning("%s would keep state in memory; it is on disk: %s", wanted[0].origin, reason)
    _move(spark, in_memory=bool(wanted) and not reason)


def refused_mixture(job: Job, plan: ApplicationPlan) -> list[VeloError]:
    """What cannot be kept together: state on disk beside state in memory, which share one place; a budget of memory and
    stores that lie in memory with all their state."""
    chosen = _chosen(job)
    budget = job.settings.find("state.memory.total") if job.settings is not None and job.stateful else None
    if budget is not None and chosen is not None and chosen.value == MEMORY:
        message = f"'state.memory.total' of job '{job.name}' cannot be kept: its state stores lie in memory, whole"
        hint = "remove it, or set 'state.warm.backend' = 'rocksdb', whose files are on disk"
        span = budget.origin.span or chosen.origin.span
        return [VeloError(message, hint=hint, span=span, code="conflicting-properties")]
    others = [each for each in plan.jobs if (other := _chosen(each)) is not None and other.value == MEMORY]
    if chosen is None or chosen.value == MEMORY or not others:
        return []
    message = f"'state.warm.backend' = '{chosen.text}' of job '{job.name}': state of '{others[0].name}' is in memory"
    hint = "the jobs of an application keep their state stores in one place: give both one backend"
    return [VeloError(message, hint=hint, span=chosen.origin.span, code="conflicting-properties")]


def _chosen(job: Job) -> Any:
    return job.settings.find("state.warm.backend") if job.settings is not None and job.stateful else None


def _hindrance(spark: SparkSession) -> str:
    """Why state stores cannot lie in shared memory; empty where they can."""
    if not str(spark.sparkContext.master).startswith("local["):
        return "the state stores are on the hosts of the cluster, whose workers say where (spark.local.dir)"
    if os.environ.get(_ENVIRONMENT):
        return f"{_ENVIRONMENT} says where Spark keeps its files"
    return "" if own_folder("warm") is not None else "this host has no folder in shared memory"


def _move(spark: SparkSession, *, in_memory: bool) -> None:
    jvm = spark._jvm
    assert jvm is not None
    settings = jvm.org.apache.spark.SparkEnv.get().conf()
    now = settings.get(_LOCAL, "")
    folder = str(own_folder("warm") or "") if in_memory else ""
    if in_memory and now != folder:
        _before["place"] = now
        settings.set(_LOCAL, folder)
    elif not in_memory and "place" in _before:
        before = _before.pop("place")
        settings.set(_LOCAL, before) if before else settings.remove(_LOCAL)
    else:
        return
    getattr(getattr(jvm.org.apache.spark.util, "Utils$"), "MODULE$").clearLocalRootDirs()
