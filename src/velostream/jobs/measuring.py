"""What the @metric annotations of a job see of a micro-batch: rows become increments, one per combination of labels.

The same code runs over rows that are in the driver and, in workers, over those that are too many for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from velostream.jobs.measured import GAUGE, HISTOGRAM, Measured, key_of, merged, same_shape
from velostream.plan.job import PlannedMetric
from velostream.plan.nodes.base import EMISSION
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import column

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from velostream.jobs.writing import BatchWriter

RETRACT = "retract"
FAILED, NEGATIVE = "failed", "negative"
"""Why a metric leaves a row out: its condition or field could not be computed, or a counter would go down."""
_TIME = "_metric_time"


class Measures:
    """The metrics of a job."""

    def __init__(self, metrics: Sequence[PlannedMetric], time: str) -> None:
        self.metrics = tuple(metrics)
        self.time = time
        """The field with the event time of a row, empty where rows have none."""
        self.shapes = [Shape(each) for each in metrics]

    def columns(self, rows: DataFrame, number: int) -> list[Column]:
        """What is computed by Spark for the metrics, beside the rows of the micro-batch `number`."""
        from pyspark.sql import functions as F  # noqa: N812

        seen = [_seen(each, rows, number) for each in self.metrics]
        # Member by member: Arrow takes no struct that is NULL and has members that never are.
        made = [one[part].alias(f"_{part}{place}") for place, one in enumerate(seen) for part in ("met", "value")]
        labels = dict.fromkeys(name for each in self.metrics for name in each.labels)
        made += [_text(rows, name).alias(f"_label_{name}") for name in labels]
        time = column(self.time).cast("timestamp") if self.time in rows.columns else F.lit(None).cast("timestamp")
        return [*made, F.unix_micros(time).alias(_TIME)]

    def of_table(self, table: pa.Table) -> Measured:
        """The increments of rows in the driver, computed columns and all."""
        return increments(table, self.shapes)

    def of_frame(self, rows: DataFrame, number: int) -> Measured:
        """The increments of rows that stay in Spark."""
        shapes = self.shapes

        def measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa

            found: Measured = {}
            for batch in batches:
                found = merged(found, increments(pa.Table.from_batches([batch]), shapes))
            yield pa.record_batch({"found": pa.array([json.dumps(found)])})

        said = rows.select(*self.columns(rows, number)).mapInArrow(measure, "found STRING").collect()
        found: Measured = {}
        for row in said:
            found = merged(found, json.loads(row.found))
        return found


def measuring(writer: BatchWriter) -> None:
    """Lets a writer measure what the annotations of its job ask for; what an earlier run counted goes on."""
    job, settings = writer.job, writer.job.settings
    if settings is not None and not settings.boolean("observability.metrics.enabled"):
        return
    shapes = {
        each.metric.name: {"kind": each.metric.kind, "labels": list(each.labels), "bounds": list(bounds_of(each))}
        for each in job.metrics
    }
    writer.accounts.measured = same_shape(writer.accounts.measured, shapes)
    writer.most_series = writer.most_series if settings is None else settings.integer("metrics.max_series")
    writer.measures = Measures(job.metrics, job.root.time) if job.metrics else None


class Shape:
    """What a worker must know of a metric: no plan, no tree."""

    def __init__(self, metric: PlannedMetric) -> None:
        self.name = metric.metric.name
        self.kind = metric.metric.kind
        self.labels = metric.labels
        self.bounds = bounds_of(metric)
        self.counts_rows = metric.field is None


DEFAULT_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


def bounds_of(metric: PlannedMetric) -> tuple[float, ...]:
    """The upper bounds of a histogram: those that are written, else the ones that Prometheus' own clients take."""
    if metric.metric.kind != HISTOGRAM:
        return ()
    return tuple(sorted(set(metric.metric.buckets))) or DEFAULT_BOUNDS


def _seen(metric: PlannedMetric, rows: DataFrame, number: int) -> Column:
    """NULL where the metric cannot be computed, else whether it looks at the row, and the value."""
    from pyspark.sql import functions as F  # noqa: N812

    met = F.lit(True) if metric.condition is None else F.coalesce(F.expr(metric.condition.spark), F.lit(False))
    if EMISSION in rows.columns:
        met = met & (column(EMISSION) != F.lit(RETRACT))
    if metric.metric.sample_rate < 1:
        met = met & (F.rand(number) < F.lit(metric.metric.sample_rate))
    value = F.lit(1) if metric.field is None else F.when(met, F.expr(metric.field.spark))
    return attempt(F.struct(met.alias("met"), value.alias("value")))


def _text(rows: DataFrame, name: str) -> Column:
    """A label: a value as text, nothing as the empty text."""
    from pyspark.sql import functions as F  # noqa: N812

    kind = rows.schema[name].dataType.typeName()
    text = F.to_json(column(name)) if kind in ("struct", "array", "map") else column(name).cast("string")
    return F.coalesce(text, F.lit(""))


def increments(table: pa.Table, shapes: Sequence[Shape]) -> Measured:
    """What rows add to each metric."""
    import polars as pl

    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    found: Measured = {}
    for place, shape in enumerate(shapes):
        failed = frame[f"_met{place}"].null_count()
        chosen = frame.filter(pl.col(f"_met{place}") & pl.col(f"_value{place}").is_not_null()).select(
            *(pl.col(f"_label_{name}") for name in shape.labels), pl.col(f"_value{place}").alias("value"), pl.col(_TIME)
        )
        negative = 0
        if not shape.counts_rows and shape.kind not in (GAUGE, HISTOGRAM):
            falls = (pl.col("value") < 0) | (pl.col("value").is_nan() if chosen["value"].dtype.is_float() else False)
            negative = chosen.filter(falls).height
            chosen = chosen.filter(~falls)
        skipped = {name: count for name, count in ((FAILED, failed), (NEGATIVE, negative)) if count}
        series = {key_of(key): state for key, state in _KINDS[shape.kind](chosen, shape)} if chosen.height else {}
        if series or skipped:
            found[shape.name] = {"series": series, "skipped": skipped}
    return found


Groups = Iterator[tuple[tuple[str, ...], Any]]


def _keyed(chosen: pl.DataFrame, shape: Shape, *made: pl.Expr) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    labels = [f"_label_{name}" for name in shape.labels]
    grouped = chosen.group_by(labels).agg(*made) if labels else chosen.select(*made)
    for row in grouped.iter_rows(named=True):
        yield tuple(row.pop(label) for label in labels), row


def _sum(chosen: pl.DataFrame) -> pl.Expr:
    """A sum that does not wrap: of whole numbers in 128 bits, of decimals as decimals."""
    import polars as pl

    value = pl.col("value")
    kind = chosen["value"].dtype
    if kind.is_integer():
        return value.cast(pl.Int128).sum()
    return value.cast(pl.Decimal(38, kind.scale)).sum() if isinstance(kind, pl.Decimal) else value.sum()


def _counter(chosen: pl.DataFrame, shape: Shape) -> Groups:
    for key, row in _keyed(chosen, shape, _sum(chosen).alias("value")):
        yield key, _plain(row["value"])


def _gauge(chosen: pl.DataFrame, shape: Shape) -> Groups:
    """The value of the row with the newest event time; of several the largest, so that a replay finds the same."""
    import polars as pl

    newest = pl.struct(pl.col(_TIME), pl.col("value")).sort_by(_TIME, "value", nulls_last=False).last().alias("last")
    for key, row in _keyed(chosen, shape, newest):
        yield key, [row["last"][_TIME], _plain(row["last"]["value"])]


def _histogram(chosen: pl.DataFrame, shape: Shape) -> Groups:
    import polars as pl

    value = pl.col("value").cast(pl.Float64)
    edges = (float("-inf"), *shape.bounds)
    above = (value.is_nan() | (value > shape.bounds[-1])).sum()
    counts = [
        (((value > low) | (value == low if low == edges[0] else False)) & (value <= high)).sum().alias(f"c{place}")
        for place, (low, high) in enumerate(zip(edges, shape.bounds, strict=False))
    ]
    for key, row in _keyed(chosen, shape, *counts, above.alias("above"), _sum(chosen).alias("sum")):
        per_bound = [row[f"c{place}"] for place in range(len(shape.bounds))]
        yield key, {"counts": [*per_bound, row["above"]], "sum": _plain(row["sum"])}


_KINDS: dict[str, Callable[[pl.DataFrame, Shape], Groups]] = {
    "counter": _counter,
    GAUGE: _gauge,
    HISTOGRAM: _histogram,
}


def _plain(value: Any) -> Any:
    """A number as JSON keeps it: decimals as text, so that no digit is lost."""
    return value if isinstance(value, int | float) or value is None else str(value)
