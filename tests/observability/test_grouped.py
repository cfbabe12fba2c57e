"""The metrics of a job by what they are about: none is forgotten, each with its help."""

from __future__ import annotations

from tests.observability.test_exposition import TABLE, taken

from velostream.observability.catalogue import CATALOGUE, TABLES
from velostream.observability.grouped import ORDER, grouped


def test_every_metric_of_the_catalogue_is_in_its_group_with_what_it_tells() -> None:
    found = {
        each["name"]: (group["group"], each["help"]) for group in grouped(taken(), [TABLE]) for each in group["metrics"]
    }
    assert found == {each.name: (each.group, each.help) for each in (*CATALOGUE, *TABLES)}
    assert [group["group"] for group in grouped(taken(), [TABLE])] == list(ORDER)


def test_values_come_with_their_labels_and_histograms_as_number_and_sum() -> None:
    told = {each["name"]: each for group in grouped(taken(), [TABLE]) for each in group["metrics"]}
    assert told["velo_table_rows"]["samples"] == [{"labels": {"table": "t"}, "value": 3.0, "count": None}]
    assert told["velo_join_missing_total"]["samples"][0]["labels"] == {"table": "t"}
    assert [each["labels"] for each in told["velo_job_state"]["samples"]] == [{"state": "running"}]
    assert told["velo_batch_duration_seconds"]["samples"][0]["count"] is not None


def test_a_job_without_state_has_no_windows_to_tell_of_and_one_that_has_not_reported_nothing() -> None:
    groups = [group["group"] for group in grouped(taken(stateful=False))]
    assert not {"windows", "watermarks", "state", "tables"} & set(groups)
    assert grouped({"name": "j", "stateful": True, "metrics": []}) == []
