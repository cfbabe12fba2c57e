"""From a scan of an address of the web to Spark's stream: an inbox that is filled by asking or by listening."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.durations import SECOND
from velostream.errors import VeloError
from velostream.sources.streams.background import begin
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.inbox import Inbox
from velostream.sources.streams.limits import BatchLimit
from velostream.sources.streams.listening import Listener
from velostream.sources.streams.missing import wait_for
from velostream.sources.streams.polling import Poller
from velostream.sources.streams.watermarks import FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

INTERVAL = 0.1
"""How often, in seconds, the inbox is looked into."""


def open_web(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    """The stream of a scan, the columns of its records as DDL, and the format that is left to decode."""
    from velostream.sources.streams.files import FAULTS, SYSTEM, FileOptions
    from velostream.sources.streams.inbox import InboxStream
    from velostream.sources.streams.reading import form_of

    form = form_of(node)
    home = Path(lowering.run.checkpoint)
    inbox = Inbox(home / "sources" / node.source, form.format)
    _fill(node, inbox, home, bounded=lowering.run.bounded)
    options = FileOptions(
        source=node.source,
        path=f"{inbox.folder.absolute()}/*.{form.format}",
        folder="",
        manifest=str(home / "sources" / f"{node.source}.jsonl"),
        form=form,
        ends=lowering.run.bounded,
        interval=INTERVAL,
        watermarks=str(home / FOLDER),
        limit=BatchLimit.of(node.settings, home),
    )
    lowering.spark.dataSource.register(InboxStream)
    reader = lowering.spark.readStream.name(f"source_{node.source}").format("velo_inbox")
    frame = reader.option("files", json.dumps(asdict(options))).schema(f"value STRING, {FAULTS}, {SYSTEM}").load()
    if form.format == "string":
        frame = frame.withColumnRenamed("value", node.declared[0].name)
    declared = ", ".join(f"`{column.name}` {column.type}" for column in node.declared)
    return frame, declared, form.format


def _fill(node: Any, inbox: Inbox, home: Path, *, bounded: bool) -> None:
    """Begins to fill the inbox; a run that ends asks once, and cannot listen."""
    settings = node.settings
    filler: Poller | Listener
    if settings.get("listen") is not None:
        if bounded:
            message = f"'{node.source}' listens for records, so that a run until its end never ends"
            raise VeloError(message, hint="run it without --until-done", code="unsupported")
        filler = Listener(node.source, settings.text("listen"), inbox)
    else:
        filler = Poller(
            node.source,
            settings.text("url"),
            {given.key: str(given.value) for given in settings.client.values()},
            settings.duration("timeout") / SECOND,
            settings.duration("poll.interval") / SECOND,
            inbox,
            Calls.of(node.source, settings, home),
            str(settings.get("records.path") or ""),
        )
        wait_for(node.source, "http", settings, filler.look)
        if bounded:
            return
    begin(home, node.source, filler)
