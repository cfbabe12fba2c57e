"""From a scan to Spark's stream: the data source, its options, and the columns that Spark has to decode."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.connections.address import format_of
from velostream.config.connections.s3 import store_of
from velostream.durations import SECOND
from velostream.errors import VeloError
from velostream.sources.streams.csv_records import CsvForm
from velostream.sources.streams.decoding import COLUMNAR, ORDERED, FileForm
from velostream.sources.streams.file_checks import check_files
from velostream.sources.streams.limits import BatchLimit
from velostream.sources.streams.missing import wait_for
from velostream.sources.streams.object_checks import check_objects
from velostream.sources.streams.readers import began_by_spark, require_ours
from velostream.sources.streams.watermarks import FOLDER
from velostream.stores import use

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from velostream.sources.streams.files import FileOptions


TOLD = 0.1
"""How often, in seconds, it is looked at what a queue told."""


def open_stream(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    """The stream of a scan, the columns of its records as DDL, and the format that is left to decode."""
    if node.connector == "given":
        from velostream.sources.streams.given import open_given

        return open_given(node, lowering)
    if node.connector == "datagen_source":
        from velostream.sources.streams.generating import generated

        return generated(node, lowering), _declared(node), "made"
    if node.connector == "kafka_source":
        from velostream.sources.streams.kafka import open_kafka

        return open_kafka(node, lowering)
    if node.connector == "database_source":
        from velostream.sources.streams.databases import open_database

        return open_database(node, lowering)
    if node.connector == "http_source":
        from velostream.sources.streams.web import open_web

        return open_web(node, lowering)
    if node.connector not in ("file_source", "s3_source"):
        message = f"a {node.connector} cannot be run yet"
        raise VeloError(message, hint="a file_source or a datagen_source can", code="unsupported")
    return _files(node, lowering)


def _declared(node: Any) -> str:
    return ", ".join(f"`{column.name}` {column.type}" for column in node.declared)


def _files(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    from velostream.sources.streams.native import native_files

    folder, form, manifest = Path(lowering.run.folder), form_of(node), manifest_of(node, Path(lowering.run.checkpoint))
    if node.connector == "s3_source":
        return _objects(node, lowering, form, manifest)
    before = manifest.exists() or node.read_back is not None
    found = check_files(node, form, folder, bounded=lowering.run.bounded, before=before)
    declared = _declared(node)
    sparks = began_by_spark(node.source, Path(lowering.run.checkpoint)) or not manifest.exists()
    native = native_files(node, lowering, form, found) if sparks else None
    if native is not None:
        return native, declared, "columns" if form.format == "csv" else form.format
    require_ours(node, Path(lowering.run.checkpoint))
    return _ours(node, lowering, form, _options(node, lowering, form, manifest))


def _objects(node: Any, lowering: Any, form: FileForm, manifest: Path) -> tuple[DataFrame, str, str]:
    """Objects of a store are read as files are."""
    store = store_of(node.settings)
    use(node.settings.text("path"), store)
    url = node.settings.get("s3.notifications")
    before = manifest.exists() or node.read_back is not None or url is not None
    options = replace(_options(node, lowering, form, manifest), store=store)
    if url is not None:
        options = replace(_told(node, lowering, options), existing=node.settings.boolean("s3.notifications.existing"))
    check_objects(node, form, bounded=lowering.run.bounded, before=before)
    return _ours(node, lowering, form, options)


def _told(node: Any, lowering: Any, options: FileOptions) -> FileOptions:
    """Objects that a queue tells of: what it tells is written down from now on, or once where the run ends."""
    from velostream.sources.streams.background import begin
    from velostream.sources.streams.calling import Calls
    from velostream.sources.streams.queue import Queue
    from velostream.sources.streams.told import Receiver, Told

    home, settings = Path(lowering.run.checkpoint), node.settings
    queue = Queue(node.source, settings.text("s3.notifications"), store_of(settings))
    wait_for(node.source, "file", settings, queue.check)
    told = Told.of(home.parent, queue.url)
    receiver = Receiver(queue, told, Calls.of(node.source, settings, home), Path(options.manifest))
    if options.ends:
        receiver.drain()
    else:
        begin(home, node.source, receiver)
    return replace(options, told=str(told.file), interval=TOLD)


def _ours(node: Any, lowering: Any, form: FileForm, options: FileOptions) -> tuple[DataFrame, str, str]:
    from velostream.sources.streams.files import FAULTS, SYSTEM, FileStream, packed
    from velostream.sources.streams.told_objects import ToldStream

    declared, early = _declared(node), lowering.early.get(node.source)
    stream = ToldStream if options.told else FileStream
    lowering.spark.dataSource.register(stream)
    reader = lowering.spark.readStream.name(f"source_{node.source}").format(stream.name())
    columns = f"{declared if form.format in COLUMNAR else 'value STRING'}, {FAULTS}, {SYSTEM}"
    if early is not None:
        options, columns = replace(options, worker=packed(early)), f"{columns}, {early.more}"
    frame = reader.option("files", json.dumps(asdict(options))).schema(columns).load()
    return _named(frame, node, form), declared, form.format


def open_worker(node: Any, lowering: Any, worker: Any, columns: tuple[str, ...], schema: str) -> DataFrame:
    """The stream of what `worker` makes of records where they are read; it asks for `columns` of them."""
    from velostream.sources.streams.files import FileStream, packed

    require_ours(node, Path(lowering.run.checkpoint))
    form = replace(form_of(node), columns=columns)
    options = _options(node, lowering, form, manifest_of(node, Path(lowering.run.checkpoint)))
    lowering.spark.dataSource.register(FileStream)
    reader = lowering.spark.readStream.name(f"source_{node.source}").format("velo_files")
    told = json.dumps(asdict(replace(options, worker=packed(worker))))
    stream: DataFrame = reader.option("files", told).schema(schema).load()
    return stream


def manifest_of(node: Any, home: Path) -> Path:
    """Where it is kept which files of a scan have been taken; `home` is the folder of the job."""
    return home / "sources" / f"{node.source}.jsonl"


def _options(node: Any, lowering: Any, form: FileForm, manifest: Path) -> FileOptions:
    from velostream.sources.streams.files import FileOptions

    settings = node.settings
    return FileOptions(
        source=node.source,
        path=settings.text("path"),
        folder=str(lowering.run.folder),
        manifest=str(manifest),
        form=form,
        per_batch=settings.get("files.per.batch"),
        by=str(settings.get("partition.by") or ""),
        growing=settings.boolean("growing"),
        ends=lowering.run.bounded or settings.get("watch") is False,
        interval=settings.duration("watch.interval") / SECOND,
        time=_time_column(node) if form.format == "parquet" else "",
        watermarks=str(Path(lowering.run.checkpoint) / FOLDER),
        limit=BatchLimit.of(settings, Path(lowering.run.checkpoint)),
    )


def _time_column(node: Any) -> str:
    """The column of event times, where its values are times as they are."""
    spec = node.event_time
    known = {column.name.casefold(): column for column in node.declared}
    held = known.get(spec.column.casefold()) if spec.semantics == "event" else None
    return held.name if held is not None and str(held.type) == "TIMESTAMP" else ""


def _named(frame: DataFrame, node: Any, form: FileForm) -> DataFrame:
    """Plain lines are the value of the one column that is declared, whatever its name."""
    return frame.withColumnRenamed("value", node.declared[0].name) if form.format == "string" else frame


def form_of(node: Any) -> FileForm:
    """How the files of a scan are written."""
    settings = node.settings
    name = str(settings.get("format") or format_of(settings.text("path")) or "jsonl")
    columns = tuple(column.name for column in node.declared)
    ordered = name in ORDERED or getattr(node, "read_back", None) is not None
    if name != "csv":
        return FileForm(name, columns, ordered=ordered)
    escape = settings.get("csv.escape")
    csv = CsvForm(
        settings.text("csv.delimiter"),
        settings.text("csv.quote"),
        None if escape is None else str(escape),
        settings.boolean("csv.header"),
    )
    return FileForm(name, columns, csv, ordered)
