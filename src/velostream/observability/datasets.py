"""What jobs read and write, by the names that the whole company knows: OpenLineage's namespaces and names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Materialise, Print, Scan, Sinks, TableScan

FILE = "file"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Something that rows come from or go to. `label` is its name in the application."""

    label: str
    kind: str
    namespace: str
    name: str
    columns: tuple[tuple[str, str], ...] = ()


def named(label: str, settings: Any, namespace: str) -> tuple[str, str]:
    """Namespace and name: broker and topic, database and table, or file; else the application's own name for it."""
    servers, topic = _text(settings, "bootstrap.servers"), _text(settings, "topic")
    if servers and topic:
        return f"kafka://{servers.split(',')[0]}", topic
    url = _text(settings, "url")
    if url:
        parts = urlsplit(url)
        host = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
        table = _text(settings, "table")
        return f"{parts.scheme}://{host}", ".".join(part for part in (parts.path.strip("/"), table) if part) or label
    path = _text(settings, "path")
    if "://" in path and not path.startswith("file://"):
        parts = urlsplit(path)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", parts.path.strip("/") or label
    return (FILE, path.removeprefix("file://")) if path else (namespace, label)


def whole(dataset: Dataset, folder: Path) -> Dataset:
    """The same by the name that other folders know it by: a path that an application writes is that of its folder."""
    if dataset.namespace != FILE:
        return dataset
    return replace(dataset, name=str((folder / dataset.name).resolve()))


def inputs_of(job: Job, plan: ApplicationPlan, namespace: str) -> list[Dataset]:
    """The streams and tables that a job reads."""
    made = set(plan.makers)
    loaded = {table.name: table for table in plan.tables}
    found: dict[str, Dataset] = {}
    for node in job.root.walk():
        if isinstance(node, Scan):
            settings = node.settings if node.read_back is None else node.read_back.settings
            place = named(node.source, settings, namespace)
            columns = tuple((c.name.removeprefix(f"{node.alias}."), str(c.type)) for c in node.columns if not c.system)
            _add(found, Dataset(node.source, "stream", *place, columns))
        elif isinstance(node, TableScan):
            settings = None if node.table in made or node.table not in loaded else loaded[node.table].settings
            columns = tuple((c.name.removeprefix(f"{node.alias}."), str(c.type)) for c in node.columns)
            _add(found, Dataset(node.table, "table", *named(node.table, settings, namespace), columns))
    return list(found.values())


def outputs_of(job: Job, namespace: str) -> list[Dataset]:
    """The sinks, the table or the terminal that a job writes."""
    found: list[Dataset] = []
    for node in job.root.walk():
        if isinstance(node, Sinks):
            for target in node.targets:
                columns = tuple((c.name, str(c.type)) for c in target.columns(node.fields))
                found.append(Dataset(target.name, "sink", *named(target.name, target.settings, namespace), columns))
        elif isinstance(node, Materialise | Print):
            columns = tuple((c.name, str(c.type)) for c in node.fields.visible)
            label, kind = (node.table, "table") if isinstance(node, Materialise) else ("console", "print")
            found.append(Dataset(label, kind, namespace, label if kind == "table" else f"{job.name}.console", columns))
    return found


def _add(found: dict[str, Dataset], new: Dataset) -> None:
    """One that is read twice is there once, with all columns that somebody reads."""
    known = found.get(new.label)
    if known is not None:
        columns = tuple(dict.fromkeys((*known.columns, *new.columns)))
        new = Dataset(new.label, new.kind, new.namespace, new.name, columns)
    found[new.label] = new


def _text(settings: Any, name: str) -> str:
    try:
        value = settings.get(name) if settings is not None else None
    except KeyError:
        return ""
    if isinstance(value, tuple | list):
        value = ",".join(map(str, value))
    return "" if value is None else str(value)
