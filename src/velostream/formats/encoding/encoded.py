"""What is to be encoded, and by which settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.formats.schemas.wire import optional

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.config.settings import Settings


@dataclass(frozen=True)
class Encoded:
    """The columns, for which part of a message, by which settings of which sink.

    `folder` is where relative paths of schema files start; `subject` names the schema where the settings do not: the
    topic.
    """

    columns: pa.Schema
    settings: Settings
    sink: str
    folder: Path = Path()
    subject: str = ""
    key: bool = False

    @property
    def format(self) -> str:
        """The format of this part."""
        return self.settings.text("key.format" if self.key else "format")

    @property
    def what(self) -> str:
        """What errors call it."""
        return f"the key of sink '{self.sink}'" if self.key else f"sink '{self.sink}'"

    @property
    def subject_name(self) -> str:
        """Under which name a registry has the schema: that of the topic, with `-value` or `-key`."""
        chosen = "" if self.key else optional(self.settings, "schema.registry.subject")
        return chosen or f"{self.subject or self.sink}-{'key' if self.key else 'value'}"
