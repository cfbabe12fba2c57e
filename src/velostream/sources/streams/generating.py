"""From the settings of a `datagen_source` to the recipe of its records, and to Spark's stream of them."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.settings import Settings
from velostream.durations import MILLISECOND, SECOND
from velostream.errors import VeloError
from velostream.sources.made_columns import made_columns
from velostream.sources.streams.limits import BatchLimit
from velostream.types import Type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from velostream.sources.streams.datagen import Recipe

DEFAULT_RATE = 100
DEFAULT_STEP = 10 * MILLISECOND


def recipe_of(source: str, columns: list[tuple[str, Type]], settings: Settings, time: str, tasks: int) -> Recipe:
    """What the records of a source are made from; `time` is the column that holds the event time, empty for none."""
    from velostream.sources.streams.datagen import Recipe

    rows, rate, step = (settings.get(name) for name in ("rows", "rate", "time.step"))
    if rows is None and rate is None:
        rate = DEFAULT_RATE
    held = next((name for name, _ in columns if name.casefold() == time.casefold()), "")
    first = settings.get("start.time")
    return Recipe(
        source=source,
        seed=settings.integer("seed"),
        partitions=int(str(settings.get("partitions") or 1)),
        batched=settings.text("order") == "partition_batched",
        lap=int(str(step)) if step is not None else SECOND if rate is not None else DEFAULT_STEP,
        per_lap=int(str(rate)) if step is None and rate is not None else 1,
        columns=made_columns(columns, settings, time),
        rows=None if rows is None else int(str(rows)),
        rate=None if rate is None else int(str(rate)),
        start=None if first is None else int(str(first)),
        disorder_share=settings.number("out_of_order.fraction"),
        disorder=settings.duration("out_of_order.max"),
        late_share=settings.number("late.fraction"),
        late_by=settings.duration("late.by"),
        headers={key: list(value.value) for key, value in settings.labelled("headers.*").items()},  # type: ignore[call-overload]
        time=held,
        tasks=tasks,
    )


def schema_of(recipe: Recipe, columns: list[tuple[str, Type]]) -> str:
    """The columns of records as they are made, as DDL: the event time still a TIMESTAMP, and `SYSTEM`."""
    from velostream.sources.streams.datagen import SYSTEM

    declared = [f"`{name}` {'TIMESTAMP' if name == recipe.time else kind}" for name, kind in columns]
    return ", ".join((*declared, SYSTEM))


def generated(node: Any, lowering: Any) -> DataFrame:
    """The stream of a scan over generated records: its columns, the event time still a TIMESTAMP, and `SYSTEM`."""
    from pyspark.sql import functions as F  # noqa: N812

    from velostream.sources.streams.datagen import DatagenStream

    spark = lowering.spark
    columns = [(column.name, column.type) for column in node.declared]
    cores = spark.sparkContext.defaultParallelism
    recipe = recipe_of(node.source, columns, node.settings, node.event_time.column, cores)
    limit = BatchLimit.of(node.settings, Path(lowering.run.checkpoint))
    recipe = replace(recipe, ends=lowering.run.bounded, limit=limit)
    if lowering.run.bounded and recipe.rows is None:
        message = f"'{node.source}' makes records without end, so that a run until its end never ends"
        raise VeloError(message, hint=f"set '{node.source}.rows', or run it without --until-done", code="unsupported")
    spark.dataSource.register(DatagenStream)
    reader = spark.readStream.name(f"source_{node.source}").format("velo_datagen")
    stream: DataFrame = reader.option("recipe", json.dumps(asdict(recipe))).schema(schema_of(recipe, columns)).load()
    # a batch may be planned long before its records are asked for, and they come as the clock goes on
    return stream.withColumn("_clock", F.greatest(F.col("_clock"), F.current_timestamp()))
