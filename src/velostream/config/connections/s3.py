"""How to reach S3, or a server that speaks like it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.config.connections.http import WebUrl
from velostream.config.kinds import Boolean, Text
from velostream.config.property import Property
from velostream.config.settings import Settings
from velostream.errors import InvalidProperty
from velostream.stores import Store


@dataclass(frozen=True, slots=True)
class S3Path:
    """`s3://bucket/key`; `s3a://` means the same."""

    name: str = "path"

    def parse(self, text: str) -> object:
        """The path, beginning with `s3://`."""
        match = re.fullmatch(r"s3[an]?://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(/.*)?", text.strip())
        if match is None:
            raise InvalidProperty(f"'{text}' is not a path in S3", hint="write s3://bucket/folder/*.parquet")
        return f"s3://{match[1]}{match[2] or '/'}"


@dataclass(frozen=True, slots=True)
class QueueUrl:
    """`https://sqs.region.amazonaws.com/account/name`."""

    name: str = "URL"

    def parse(self, text: str) -> object:
        """The text."""
        plain = text.strip()
        if re.fullmatch(r"https?://[^\s/?#]+/[^\s?#]+", plain, re.IGNORECASE):
            return plain
        hint = "write https://sqs.eu-west-1.amazonaws.com/123456789012/name"
        arn = re.fullmatch(r"arn:aws[\w-]*:sqs:([\w-]+):(\d+):(\S+)", plain)
        if arn is not None:
            hint = f"write https://sqs.{arn[1]}.amazonaws.com/{arn[2]}/{arn[3]}"
        raise InvalidProperty(f"'{text}' is not the address of a queue", hint=hint)


S3 = (
    Property("s3.region", Text(), "the region of the bucket", "eu-west-1", aliases=("region",)),
    Property(
        "s3.endpoint", WebUrl(), "the server, where it is not Amazon's", "http://localhost:9000", aliases=("endpoint",)
    ),
    Property(
        "s3.access.key",
        Text(),
        "the access key; without it the usual chain of AWS decides",
        "${AWS_ACCESS_KEY_ID}",
        aliases=("access.key",),
        secret=True,
    ),
    Property(
        "s3.secret.key",
        Text(),
        "the secret of the access key",
        "${AWS_SECRET_ACCESS_KEY}",
        aliases=("secret.key",),
        secret=True,
    ),
    Property(
        "s3.session.token",
        Text(),
        "the token of a temporary key",
        "${AWS_SESSION_TOKEN}",
        aliases=("session.token",),
        secret=True,
    ),
    Property(
        "s3.path.style",
        Boolean(),
        "whether the bucket stands in the path instead of the host name",
        "true",
        default="false",
        aliases=("s3.path.style.access", "path.style"),
    ),
)


def store_of(settings: Settings) -> Store:
    """How the objects of a source or sink are reached."""

    def text(name: str) -> str:
        return str(settings.get(name) or "")

    style = settings.find("s3.path.style")
    return Store(
        text("s3.endpoint"),
        text("s3.region"),
        text("s3.access.key"),
        text("s3.secret.key"),
        text("s3.session.token"),
        None if style is None else bool(style.value),
    )
