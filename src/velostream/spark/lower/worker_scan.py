"""The scan in the worker: an aggregation right over a file, where all in between is the same in Polars as in Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.plan.expression import Expression
from velostream.plan.forms import Form, form_of
from velostream.plan.header_calls import HEADERS
from velostream.plan.nodes import Aggregate, Filter, Node, Project, Scan
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.stage import layout_of
from velostream.spark.lower.types import arrow_schema
from velostream.spark.lower.watermarks import own_scans
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.early import AUTO, EVENT, EarlyScan
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.worker import WorkerScan
from velostream.types import TIMESTAMP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UNITS = {"auto": AUTO, "epoch_millis": 1_000, "epoch_seconds": 1_000_000}
Payloads = Callable[[Layout], "DataFrame"]
"""Makes the stream of what goes to the buckets."""


def in_worker(
    node: Aggregate, wanted: Sequence[tuple[str, Expression]], keys: Sequence[str], lowering: Lowering
) -> Payloads | None:
    """How records are routed where they are read; None where the plan says that they are not."""
    scan = next((each for each in node.input.walk() if isinstance(each, Scan)), None)
    if scan is None or scan.way is None or scan.way.kind != "worker":
        return None
    held = next(column for column in scan.declared if column.name.casefold() == scan.event_time.column.casefold())
    label = lowering.label(scan)

    def payloads(layout: Layout) -> DataFrame:
        from velostream.sources.streams.reading import open_worker

        worker, columns = _worker(node, scan, layout, wanted, keys, label, held.name)
        worker = replace(worker, schema=_coded(worker))
        return open_worker(replace(scan, source=label), lowering, worker, columns, names.ROUTED)

    return payloads


def route_early(node: Node, lowering: Lowering) -> None:
    """Where the plan says that what is plain of a source is routed before Spark decodes the rest: how."""
    from velostream.spark.lower.aggregate import shape_of

    scans = own_scans(node)
    if not isinstance(node, Aggregate) or len(scans) != 1 or scans[0].way is None or scans[0].way.kind != "mixed":
        return
    scan, shape = scans[0], shape_of(node, lowering)
    label, number = lowering.label(scan), len(lowering.stages) + 1
    worker, _ = _worker(node, scan, layout_of(shape, lowering, number), shape.wanted, shape.keys, label, EVENT)
    named = (column for column in scan.declared if column.name.casefold() == scan.event_time.column.casefold())
    held = next(named, None)
    columns = arrow_schema((column.name, column.type) for column in scan.declared)
    time, unit = "_timestamp" if held is None else held.name, 0
    if held is not None and held.type != TIMESTAMP:
        unit = UNITS[scan.event_time.format]
    taken = tuple(name for name in ("_partition", "_offset", HEADERS) if name in worker.schema.names)
    lowering.early[label] = EarlyScan(worker, columns, time, unit, taken)


def _worker(
    node: Aggregate,
    scan: Scan,
    layout: Layout,
    wanted: Sequence[tuple[str, Expression]],
    keys: Sequence[str],
    label: str,
    time: str,
) -> tuple[WorkerScan, tuple[str, ...]]:
    """The scan in the worker, and the columns that it asks for; `time` is the one that holds the event time."""
    forms, conditions = _known(node.input)
    computed = [(name, form_of(expression, node.input.fields, forms)) for name, expression in wanted]
    needed = _columns([form for _, form in computed if form is not None] + conditions)
    chosen = [(column.name, column.type) for column in scan.declared if column.name in {*needed, time}]
    given = [(HEADERS, SYSTEM_COLUMNS[HEADERS].type)] if HEADERS in needed else []
    given += [(EVENT, TIMESTAMP)] if time == EVENT else []
    worker = WorkerScan(
        layout,
        _schema([*chosen, *given]),
        tuple(column.name for column in scan.declared),
        tuple((name, form) for name, form in computed if form is not None),
        tuple(keys),
        tuple(conditions),
        time,
        label,
    )
    return worker, tuple(name for name, _ in chosen)


def _known(node: Node) -> tuple[dict[str, Form], list[Form]]:
    """What each field of a node is, by the columns of the file; and the conditions on the way."""
    if isinstance(node, Scan):
        prefix = f"{node.alias}."
        return {member.name: ("column", member.name.removeprefix(prefix)) for member in node.fields}, []
    below, conditions = _known(node.children[0])
    if isinstance(node, Filter):
        asked = form_of(node.condition, node.input.fields, below)
        assert asked is not None
        return below, [*conditions, asked]
    assert isinstance(node, Project)
    made = {column.name: form_of(column.expression, node.input.fields, below) for column in node.columns}
    return {name: form for name, form in made.items() if form is not None}, conditions


def _columns(forms: Sequence[Form]) -> set[str]:
    found: set[str] = set()
    for form in forms:
        if form[0] == "column":
            found.add(form[1])
        elif form[0] not in ("value", "number"):
            found |= _columns(form[1:])
    return found


def _schema(columns: Sequence[tuple[str, object]]) -> object:
    """The Arrow schema that is read: columns of the file, what is wrong with a record, and where it stands."""
    import pyarrow as pa

    schema = arrow_schema(columns)  # type: ignore[arg-type]
    more = {"_raw": pa.string(), "_fault": pa.string(), "_partition": pa.int32(), "_offset": pa.int64()}
    more["_mark"] = pa.string()
    return pa.schema([*schema, *(pa.field(name, kind) for name, kind in more.items())])


def _coded(worker: WorkerScan) -> object:
    """The schema of a scan, in which texts that are nothing but keys are read as codes: they are compared with each
    other only, and numbers are grouped by in half the time."""
    import pyarrow as pa

    others = [*(form for name, form in worker.wanted if name not in worker.keys), *worker.conditions]
    keys = {form[1] for name, form in worker.wanted if name in worker.keys and form[0] == "column"}
    used = _columns([form for name, form in worker.wanted if name in worker.keys and form[0] != "column"] + others)
    coded = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        field.with_type(coded) if pa.types.is_string(field.type) and field.name in keys - used else field
        for field in worker.schema
    )
