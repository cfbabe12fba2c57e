"""An application's plan with other ends: its sources read what a test gives, its sinks are caught in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Print, Scan, Sinks, SinkTarget
from velostream.plan.nodes.base import EMISSION, REVISION
from velostream.plan.passes.walking import each_root, from_below
from velostream.sinks.base import Guarantee, WriteMode
from velostream.testing.feeding import Feed
from velostream.testing.settings import sink_settings

if TYPE_CHECKING:
    from velostream.plan.nodes import Node


@dataclass(frozen=True)
class Caught:
    """Where the rows of one sink of a job are caught; `sink` is empty for a SELECT that prints."""

    job: str
    sink: str
    folder: Path
    target: SinkTarget


def feed_sources(plan: ApplicationPlan, feeds: Mapping[str, Feed]) -> ApplicationPlan:
    """The plan over what the test gives; sources that it gives nothing for stay as they are."""
    by_name = {name.casefold(): feed for name, feed in feeds.items()}

    def fed(node: Node) -> Node:
        if isinstance(node, Scan) and node.source.casefold() in by_name:
            return by_name[node.source.casefold()].scan(node)
        return node

    return each_root(plan, lambda root: from_below(root, fed))


def catch_sinks(plan: ApplicationPlan, folder: Path, *, keep_prints: bool) -> tuple[ApplicationPlan, list[Caught]]:
    """The plan whose rows go to files below `folder`; with `keep_prints`, a SELECT without a sink goes on printing."""
    caught: list[Caught] = []
    jobs = tuple(_caught(job, folder, caught, keep_prints=keep_prints) for job in plan.jobs)
    return replace(plan, jobs=jobs), caught


def _caught(job: Job, folder: Path, caught: list[Caught], *, keep_prints: bool) -> Job:
    root = job.root
    if isinstance(root, Sinks):
        found = [_target(job.name, target, folder, index) for index, target in enumerate(root.targets)]
        shown = [target for target in root.targets if target.connector == "console_sink"]
        caught += [
            Caught(job.name, target.name, one[1], target) for target, one in zip(root.targets, found, strict=True)
        ]
        names = {target.name: replace(target, name=f"{target.name}.shown") for target in shown} if keep_prints else {}
        return replace(job, root=replace(root, targets=(*(one[0] for one in found), *names.values())))
    if isinstance(root, Print) and not keep_prints:
        corrections = (EMISSION, REVISION) if root.input.revises else ()
        added = tuple(name for name in corrections if root.input.fields.of(name).system)
        target = SinkTarget("rows", "file_sink", WriteMode.APPEND, Guarantee.EXACTLY_ONCE, added=added)
        target, path = _target(job.name, target, folder, 0)
        caught.append(Caught(job.name, "", path, target))
        return replace(job, root=Sinks(root.input, (target,)))
    return job


def _target(job: str, target: SinkTarget, folder: Path, index: int) -> tuple[SinkTarget, Path]:
    path = folder / job / str(index)
    path.mkdir(parents=True, exist_ok=True)
    settings = sink_settings(target.name, {"type": "file_sink", "path": str(path), "format": "parquet"})
    changed: dict[str, Any] = {"connector": "file_sink", "settings": settings, "format": "parquet", "headers": False}
    return replace(target, **changed, writes=WriteMode.APPEND, identity=(), key=()), path
