"""The operator's store on Spark's state: named blobs in one map, versioned and checkpointed by Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


class SparkStore:
    """`velostream.windows.state.Store` over a MapState; every call crosses to the JVM once, so they are few."""

    def __init__(self, blobs: Any) -> None:
        self.blobs = blobs

    def get(self, name: str) -> bytes | None:
        """The bytes, or None where nothing was put."""
        value = self.blobs.getValue((name,))
        return None if value is None else bytes(value[0])

    def put(self, name: str, blob: bytes, frame: pl.DataFrame | None = None) -> None:
        """Keep the bytes."""
        self.blobs.updateValue((name,), (blob,))

    def delete(self, name: str) -> None:
        """Forget the bytes."""
        self.blobs.removeKey((name,))
