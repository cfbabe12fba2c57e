"""A pass that has nothing to do gives back the nodes it was given: a node is checked whenever it is made anew."""

import copy

import pytest
from sqlglot import exp
from tests.plan.asking import bound, planned

from velostream.plan.passes import Pass
from velostream.plan.passes.carry_revisions import carry_revisions
from velostream.plan.passes.mark_conditions import mark_conditions
from velostream.plan.passes.merge_projects import merge_projects
from velostream.plan.passes.prune_columns import prune_columns
from velostream.plan.passes.push_conditions import push_conditions
from velostream.sql.spans import span_of
from velostream.validation.bound import BoundSelect

FLAT = "SELECT symbol, price FROM trades"
GROUPS = "SELECT symbol, SUM(price) AS total FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"


@pytest.mark.parametrize("sql", [FLAT, GROUPS])
@pytest.mark.parametrize("change", [push_conditions, carry_revisions, mark_conditions, prune_columns, merge_projects])
def test_a_plan_that_is_improved_already_stays_as_it_is(change: Pass, sql: str) -> None:
    given = planned(sql)
    assert change(given).jobs[0].root is given.jobs[0].root


def test_a_copy_of_a_tree_shares_places_and_bound_subqueries() -> None:
    query = bound("SELECT symbol FROM trades WHERE symbol IN (SELECT symbol FROM limits)").statements[-1].query
    assert isinstance(query, BoundSelect)
    assert query.where is not None
    held = query.where.tree.find(exp.In)
    again = copy.deepcopy(query.where.tree).find(exp.In)
    assert held is not None
    assert again is not None
    assert again is not held
    assert again.meta["bound"] is held.meta["bound"]
    assert span_of(again) is span_of(held)
