"""Settings as encoders and decoders ask them, from what a test gives: what is not given is not set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """Those that are held, of which all are known."""

    held: dict[str, Any]

    @property
    def known(self) -> Settings:
        return self

    def find(self, key: str) -> Any:
        return self.held.get(key)

    def get(self, key: str) -> Any:
        return self.held.get(key)

    def text(self, key: str) -> str:
        return str(self.held[key])
