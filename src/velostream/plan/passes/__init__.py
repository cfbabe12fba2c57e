"""The passes, in order. Each is one file and one line here: a function from an application's plan to a better one."""

from __future__ import annotations

from collections.abc import Callable

from velostream.plan.job import ApplicationPlan
from velostream.plan.passes.add_sink_columns import add_sink_columns
from velostream.plan.passes.bound_newest import bound_newest
from velostream.plan.passes.carry_revisions import carry_revisions
from velostream.plan.passes.choose_scan import choose_scan
from velostream.plan.passes.fuse_streams import fuse_streams
from velostream.plan.passes.inherit_lateness import inherit_lateness
from velostream.plan.passes.mark_conditions import mark_conditions
from velostream.plan.passes.merge_projects import merge_projects
from velostream.plan.passes.prune_columns import prune_columns
from velostream.plan.passes.push_conditions import push_conditions
from velostream.plan.passes.recognise_top_n import recognise_top_n
from velostream.plan.passes.separate_tables import separate_tables
from velostream.plan.passes.split_aggregates import split_aggregates

Pass = Callable[[ApplicationPlan], ApplicationPlan]

PASSES: tuple[Pass, ...] = (
    fuse_streams,
    inherit_lateness,
    bound_newest,
    recognise_top_n,
    carry_revisions,
    add_sink_columns,
    push_conditions,
    split_aggregates,
    mark_conditions,
    prune_columns,
    merge_projects,
    choose_scan,
    separate_tables,
)


def improve(plan: ApplicationPlan, first: Pass = PASSES[0]) -> ApplicationPlan:
    """The plan after all passes; after those from `first` on, where others have been."""
    for change in PASSES[PASSES.index(first) :]:
        plan = change(plan)
    return plan
