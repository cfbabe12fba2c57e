"""A queue of SQS that tells of objects: looked for, received from, and what was taken from it deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.stores import ANSWER, CONNECT, Store

AT_ONCE = 10
"""Messages that a queue hands out at a time, at most."""
_MISSING = ("QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue")
_HINT = "see that the queue is up, and that s3.region and the keys are right and may receive and delete its messages"


@dataclass(frozen=True, slots=True)
class Message:
    """What a queue handed out: its text, and what it wants to be shown when it is deleted."""

    body: str
    receipt: str


@dataclass(frozen=True)
class Queue:
    """A queue by its address; `store` says who asks, and where nothing else does, in which region."""

    source: str
    url: str
    store: Store

    @cached_property
    def client(self) -> Any:
        """The service that has the queue."""
        from botocore.config import Config
        from botocore.session import Session

        where = urlsplit(self.url)
        region = re.match(r"(?:sqs\.)?([a-z]{2}(?:-[a-z]+)+-\d)\.", where.hostname or "")
        keys = {
            "aws_access_key_id": self.store.access_key,
            "aws_secret_access_key": self.store.secret_key,
            "aws_session_token": self.store.session_token,
        }
        return Session().create_client(
            "sqs",
            region_name=region[1] if region else self.store.region or "us-east-1",
            endpoint_url=f"{where.scheme}://{where.netloc}",
            config=Config(connect_timeout=CONNECT, read_timeout=ANSWER, retries={"max_attempts": 1}),
            **{name: value for name, value in keys.items() if value},
        )

    def check(self) -> None:
        """A queue that is not there is an error that names those that look like it."""
        with self._asked():
            self.client.get_queue_attributes(QueueUrl=self.url)

    def receive(self, wait: int) -> list[Message]:
        """The next messages, in the order in which they are handed out; where there are none, it waits so many
        seconds for one. They come again unless they are deleted."""
        with self._asked():
            told = self.client.receive_message(QueueUrl=self.url, MaxNumberOfMessages=AT_ONCE, WaitTimeSeconds=wait)
        return [Message(one["Body"], one["ReceiptHandle"]) for one in told.get("Messages", ())]

    def delete(self, messages: Sequence[Message]) -> None:
        """These do not come again. One that cannot be deleted does, which is no harm."""
        if messages:
            entries = [{"Id": str(n), "ReceiptHandle": one.receipt} for n, one in enumerate(messages)]
            with self._asked():
                self.client.delete_message_batch(QueueUrl=self.url, Entries=entries)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Turns what the service says inside into one of our errors."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as error:
            said = error.response.get("Error", {})
            if said.get("Code") in _MISSING:
                message = f"there is no queue '{self.url}' for '{self.source}'"
                raise VeloError(message, hint=self._alike(), code="queue-not-found") from None
            message = f"queue '{self.url}' of '{self.source}' cannot be used: {said.get('Message') or error}"
            raise VeloError(message, hint=_HINT, code="store-unreachable") from None
        except BotoCoreError as error:
            message = f"queue '{self.url}' of '{self.source}' cannot be reached: {error}"
            raise VeloError(message, hint=_HINT, code="store-unreachable") from None

    def _alike(self) -> str:
        """Queues that are there instead, as a hint."""
        from botocore.exceptions import BotoCoreError, ClientError

        with suppress(BotoCoreError, ClientError):
            there = self.client.list_queues().get("QueueUrls", [])
            return did_you_mean(self.url, there, "queues") or "there is no queue at all; create it"
        return "correct the address, or create it"
