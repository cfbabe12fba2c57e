"""A queue of the server that speaks like S3: what is sent to it, and what is left in it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote_plus

from tests.s3.server import ObjectStore

from velostream.sources.streams.queue import Queue
from velostream.stores import Store


class TestQueue:
    """Made empty; its messages come again after a second unless they are deleted."""

    __test__ = False

    def __init__(self, s3: ObjectStore, name: str) -> None:
        self.store = Store(s3.url, access_key="k", secret_key="s")
        asking = Queue("test", f"{s3.url}/0/{name}", self.store)
        self.client = asking.client
        self.url = self.client.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "1"})["QueueUrl"]
        self.queue = Queue("s", self.url, self.store)

    def send(self, body: Any) -> None:
        self.client.send_message(QueueUrl=self.url, MessageBody=body if isinstance(body, str) else json.dumps(body))

    def tell(self, *paths: str, event: str = "ObjectCreated:Put") -> None:
        self.send({"Records": [record(path, event) for path in paths]})

    @property
    def left(self) -> int:
        asked = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        told = self.client.get_queue_attributes(QueueUrl=self.url, AttributeNames=asked)["Attributes"]
        return sum(int(count) for count in told.values())


def record(path: str, event: str = "ObjectCreated:Put") -> dict[str, Any]:
    """As S3 tells of an object."""
    bucket, _, key = path.removeprefix("s3://").partition("/")
    return {
        "eventSource": "aws:s3",
        "eventName": event,
        "s3": {"bucket": {"name": bucket}, "object": {"key": quote_plus(key, safe="/")}},
    }
