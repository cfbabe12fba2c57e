"""The operator's store on Spark's state: named blobs in one map, versioned and checkpointed by Spark."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any

from velostream.windows.state import decode
from velostream.windows.store import ROOT, CacheCounts

if TYPE_CHECKING:
    import polars as pl

    from velostream.spark.stateful.hot import Hot

SMALL = 2_048
"""Blobs of at most so many bytes travel with the root: a call of their own would cost more than their bytes."""
TOGETHER = 24_576
"""How many bytes of them do."""
_ENVELOPE = 2
"""The first byte of a root that carries blobs."""


class SparkStore:
    """`velostream.windows.store.Store` over a MapState; every call crosses to the JVM once, so they are few.

    Reads are answered from the hot tier where there is one; writes always go to Spark too.
    """

    def __init__(self, blobs: Any, hot: Hot | None = None) -> None:
        self.blobs = blobs
        self.hot = hot
        self.token = f".{secrets.token_urlsafe(6)}"
        self.cached = CacheCounts() if hot is None else hot.counts
        self.small: dict[str, bytes] = {}

    def get(self, name: str) -> bytes | pl.DataFrame | None:
        """The bytes, or the frame that they hold where it is at hand; None where nothing was put."""
        if name == ROOT:
            return self._root()
        if name in self.small:
            return self.small[name]
        kept = None if self.hot is None else self.hot.get(name)
        if kept is not None:
            return kept
        blob = self._read(name)
        if blob is None or self.hot is None:
            return blob
        frame = decode(blob)
        self.hot.welcome(name, frame)
        return frame

    def put(self, name: str, blob: bytes, frame: pl.DataFrame | None = None) -> None:
        """Keep the bytes; the root comes last, and takes the small ones along."""
        if name == ROOT:
            self._spill()
            self._write(ROOT, enveloped(blob, self.small) if self.small else blob)
        elif len(blob) <= SMALL:
            self.small[name] = blob
        else:
            self._write(name, blob)
            if self.hot is not None and frame is not None:
                self.hot.put(name, frame)

    def delete(self, name: str) -> None:
        """Forget the bytes."""
        if self.small.pop(name, None) is not None:
            return
        self.blobs.removeKey((name,))
        if self.hot is not None:
            self.hot.delete(name)

    def _root(self) -> bytes | None:
        value = self._read(ROOT)
        if value is None or value[0] != _ENVELOPE:
            return value
        root, self.small = opened(value)
        return root

    def _spill(self) -> None:
        """The oldest small blobs get a place of their own when they are too many."""
        total = sum(map(len, self.small.values()))
        for name in list(self.small):
            if total <= TOGETHER:
                return
            blob = self.small.pop(name)
            total -= len(blob)
            self._write(name, blob)

    def _read(self, name: str) -> bytes | None:
        value = self.blobs.getValue((name,))
        return None if value is None else bytes(value[0])

    def _write(self, name: str, blob: bytes) -> None:
        self.blobs.updateValue((name,), (blob,))


def enveloped(root: bytes, small: dict[str, bytes]) -> bytes:
    """The root and small blobs as one value."""
    header = json.dumps([len(root), [[name, len(blob)] for name, blob in small.items()]]).encode()
    return b"".join((bytes([_ENVELOPE]), len(header).to_bytes(4, "big"), header, root, *small.values()))


def opened(value: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The root and the blobs that an envelope holds."""
    begin = 5 + int.from_bytes(value[1:5], "big")
    length, listed = json.loads(value[5:begin])
    root, begin = value[begin : begin + length], begin + length
    small = {}
    for name, size in listed:
        small[name] = value[begin : begin + size]
        begin += size
    return root, small
