"""Paths of files and folders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from velostream.config.connections.s3 import S3Path
from velostream.config.kinds import Text
from velostream.errors import InvalidProperty


@dataclass(frozen=True, slots=True)
class FilePath:
    """A path on disk, also as `file:///…`; with `remote` one in S3 too."""

    remote: bool = False
    name: str = "path"

    def parse(self, text: str) -> object:
        """The path without `file://`."""
        Text().parse(text)
        scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", text.strip())
        if scheme is None:
            return text.strip()
        if scheme[1].casefold() == "file":
            return unquote(text.strip()[len("file://") :])
        if self.remote and scheme[1].casefold().startswith("s3"):
            return S3Path().parse(text)
        hint = "use s3_source for objects in S3" if scheme[1].casefold().startswith("s3") else "write a path on disk"
        raise InvalidProperty(f"'{text}' is not a path of files", hint=hint)
