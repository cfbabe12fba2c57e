"""An application's plan with other ends: its sources read what a test gives, the rows of its sinks are caught."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.config.settings import Settings, Value
from velostream.plan.job import ApplicationPlan, Job, LoadedTable
from velostream.plan.nodes import Print, Scan, Sinks, SinkTarget
from velostream.plan.nodes.base import EMISSION, REVISION
from velostream.plan.passes.choose_scan import choose_scan
from velostream.plan.passes.walking import each_root, from_below
from velostream.sinks.base import Guarantee, WriteMode
from velostream.testing.feeding import Feed
from velostream.testing.settings import sink_settings
from velostream.testing.table_rows import TableRows

if TYPE_CHECKING:
    from velostream.plan.nodes import Node


@dataclass(frozen=True)
class Caught:
    """The rows of one sink of a job, in memory under a `name` of their own; `sink` is empty for what only prints."""

    job: str
    sink: str
    name: str


def feed_sources(plan: ApplicationPlan, feeds: Mapping[str, Feed | TableRows]) -> ApplicationPlan:
    """The plan over what the test gives; sources and tables that it gives nothing for stay as they are."""
    by_name = {name.casefold(): feed for name, feed in feeds.items()}

    def fed(node: Node) -> Node:
        feed = by_name.get(node.source.casefold()) if isinstance(node, Scan) else None
        if not isinstance(node, Scan) or not isinstance(feed, Feed):
            return node
        return replace(feed.scan(node), read_back=None)

    def loaded(table: LoadedTable) -> LoadedTable:
        feed = by_name.get(table.name.casefold())
        return feed.table(table) if isinstance(feed, TableRows) else table

    given = each_root(plan, lambda root: from_below(root, fed))
    # Other settings may ask for another way of reading than the application's own.
    return replace(choose_scan(given), tables=tuple(map(loaded, plan.tables)))


def catch_sinks(plan: ApplicationPlan, run: str, *, keep_prints: bool) -> tuple[ApplicationPlan, list[Caught]]:
    """The plan whose rows are kept in memory, under names that begin with `run`.

    With `keep_prints`, a SELECT without a sink goes on printing, and so does a console sink. Files that another job
    reads back are written too, into the folder `run`.
    """
    caught: list[Caught] = []
    back = {(one.job, one.sink) for job in plan.jobs for scan in job.scans if (one := scan.read_back) is not None}
    moved = each_root(plan, lambda root: from_below(root, lambda node: _moved(node, run)))
    jobs = tuple(_caught(job, run, caught, back, keep_prints=keep_prints) for job in moved.jobs)
    return replace(moved, jobs=jobs), caught


def _moved(node: Node, run: str) -> Node:
    """A scan of files that a job of the plan writes, at the place where the test lets it write them."""
    if not isinstance(node, Scan) or node.read_back is None:
        return node
    back, place = node.read_back, _place(run, node.read_back.job, node.read_back.sink)
    path = f"{place}/{Path(node.settings.text('path')).name}"
    settings = replace(back.settings, values=_at(back.settings, place))
    return replace(
        node,
        settings=replace(node.settings, values=_at(node.settings, path)),
        read_back=replace(back, settings=settings),
    )


def _place(run: str, job: str, sink: str) -> str:
    return f"{run}/written/{job}/{sink}"


def _at(settings: Settings, path: str) -> dict[str, Value]:
    return {**settings.values, "path": replace(settings.values["path"], text=path, value=path)}


def _caught(
    job: Job, run: str, caught: list[Caught], read_back: Collection[tuple[str, str]], *, keep_prints: bool
) -> Job:
    root = job.root
    if isinstance(root, Print) and not keep_prints:
        corrections = (EMISSION, REVISION) if root.input.revises else ()
        added = tuple(name for name in corrections if root.input.fields.of(name).system)
        shown = SinkTarget("", "console_sink", WriteMode.APPEND, Guarantee.AT_LEAST_ONCE, added=added)
        root = Sinks(root.input, (shown,))
    if not isinstance(root, Sinks):
        return job
    found = [Caught(job.name, target.name, f"{run}/{job.name}/{target.name}") for target in root.targets]
    targets = [_in_memory(target, one.name) for target, one in zip(root.targets, found, strict=True)]
    if keep_prints:
        targets += [target for target in root.targets if target.connector == "console_sink"]
    for target in root.targets:
        if (job.name, target.name) in read_back:
            values = _at(target.settings, _place(run, job.name, target.name))
            targets.append(replace(target, settings=replace(target.settings, values=values)))
    caught += found
    return replace(job, root=replace(root, targets=tuple(targets)))


def _in_memory(target: SinkTarget, name: str) -> SinkTarget:
    """A sink that keeps every row as it comes, corrections among them."""
    settings = sink_settings("caught", {"type": "memory_sink"})
    changed = replace(target, name=name, connector="memory_sink", settings=settings, format="", headers=False)
    return replace(changed, writes=WriteMode.APPEND, identity=(), key=())
