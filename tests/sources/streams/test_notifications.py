"""Messages about objects, in the forms in which they come, and the list of what they told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.s3.queue import record

from velostream.sources.streams.notifications import Notice, read_notice
from velostream.sources.streams.told import Told

PATH = "s3://shop/in/a b+é.jsonl"
PLAIN: dict[str, Any] = {"Records": [record(PATH), record("s3://shop/old", "ObjectRemoved:Delete")]}


def test_objects_are_told_by_s3_itself_through_a_topic_and_through_eventbridge() -> None:
    assert read_notice(json.dumps(PLAIN)) == Notice((PATH,), 1)
    wrapped = {"Type": "Notification", "MessageId": "1", "Message": json.dumps(PLAIN)}
    assert read_notice(json.dumps(wrapped)) == Notice((PATH,), 1)
    detail = {"bucket": {"name": "shop"}, "object": {"key": "in/a%20b"}}
    event = {"source": "aws.s3", "detail-type": "Object Created", "detail": detail}
    assert read_notice(json.dumps(event)) == Notice(("s3://shop/in/a%20b",))
    assert read_notice(json.dumps({**event, "detail-type": "Object Deleted"})) == Notice(others=1)


def test_the_message_of_a_queue_that_was_just_named_tells_of_nothing() -> None:
    assert read_notice(json.dumps({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "shop"})) == Notice()


@pytest.mark.parametrize("body", ["hello", "[1]", "{}", '{"Records": [{"eventSource": "aws:sqs"}]}'])
def test_what_is_not_about_objects_is_said_to_be_so(body: str) -> None:
    with pytest.raises(ValueError, match=r"Records|JSON|Expecting"):
        read_notice(body)


def test_a_record_that_names_no_object_is_no_notification() -> None:
    with pytest.raises(ValueError, match="names no object"):
        read_notice(json.dumps({"Records": [{"eventName": "ObjectCreated:Put", "s3": {}}]}))


def test_a_line_that_was_being_written_at_a_crash_is_cut_off_however_long_the_list_is(tmp_path: Path) -> None:
    told = Told(tmp_path / "queue" / "list.jsonl")
    first = [f"s3://shop/orders/{'x' * 900}-{number}" for number in range(20)]
    told.file.parent.mkdir()
    told.add(first)
    for torn in (b'"s3://sho', b'"s3://' + b"y" * 9_000):
        with told.file.open("ab") as file:
            file.write(torn)
        told.add(["s3://shop/next"])
    assert told.since(0)[0] == [*first, "s3://shop/next", "s3://shop/next"]
