"""All properties that are declared here, in groups, and by whose they are."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.config.batching import BATCHING, one_strategy
from velostream.config.checkpoint import CHECKPOINT
from velostream.config.dedup import DEDUP
from velostream.config.emission import EMISSION
from velostream.config.event_time import EVENT_TIME
from velostream.config.failure import CIRCUIT_BREAKER, DEAD_LETTERS, FAILURE
from velostream.config.lateness import LATENESS
from velostream.config.observing import OBSERVING
from velostream.config.property import Family, Known, Property, Scope
from velostream.config.rule import Needs, NotAbove, OnlyWith, memory_budget
from velostream.config.running import CONFIG_FILE, RUNNING, SPARK
from velostream.config.state import STATE
from velostream.config.tables import TABLES
from velostream.config.watermark import WATERMARK
from velostream.config.windowing import WINDOWING


@dataclass(frozen=True, slots=True)
class Group:
    """Properties that belong together, under the title that help and the reference give them."""

    title: str
    properties: tuple[Property, ...]
    families: tuple[Family, ...] = ()
    doc: str = ""


GROUPS = (
    Group("Running", (*RUNNING, CONFIG_FILE), (SPARK,)),
    Group("Event time", EVENT_TIME),
    Group("Watermarks", WATERMARK),
    Group("Windows", WINDOWING),
    Group("Late records", LATENESS),
    Group("Emission", EMISSION),
    Group("Deduplication", DEDUP),
    Group("State", STATE),
    Group("Checkpoints", CHECKPOINT),
    Group("Batches", BATCHING),
    Group("Failures", FAILURE),
    Group("Dead letters", DEAD_LETTERS),
    Group("Circuit breaker", CIRCUIT_BREAKER),
    Group("Tables and joins", TABLES),
    Group("Observability", OBSERVING),
)


def scoped(scope: Scope) -> tuple[Property, ...]:
    """The properties that may be written for a source, sink, table, stream or the job, whatever its connector."""
    return tuple(declared for group in GROUPS for declared in group.properties if scope in declared.scopes)


JOB_RULES = (
    NotAbove("batch.min.size", "batch.max.size"),
    memory_budget,
    one_strategy,
    OnlyWith("batch.size", "batch.strategy", "fixed_size", also="adaptive"),
    OnlyWith("batch.window", "batch.strategy", "time_window"),
    OnlyWith("batch.memory", "batch.strategy", "memory"),
    OnlyWith("batch.min.size", "batch.strategy", "adaptive"),
    OnlyWith("batch.max.size", "batch.strategy", "adaptive"),
    OnlyWith("batch.target.latency", "batch.strategy", "adaptive"),
    Needs("state.cold.backend", "state.cold.location", value="postgres", written=True),
    Needs("state.cold.backend", "state.cold.location", value="files", written=True),
    Needs("state.cold.location", "state.cold.backend", written=True),
    Needs("state.cold.retention", "state.cold.backend", written=True),
)
SOURCE_RULES = (
    Needs("watermark.strategy", "watermark.punctuation", value="punctuated"),
    Needs("dedup.ttl", "dedup.key"),
    Needs("event.time.format", "event.time.field", written=True),
    Needs("event.time.zone", "event.time.field", written=True),
    Needs("event.time.fallback", "event.time.field", written=True),
)

JOB = Known(scoped(Scope.JOB), (SPARK,), rules=JOB_RULES)
