"""`/metrics` of a run without a server: on the loopback address, for as long as the process lives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from prometheus_client.core import Metric
from prometheus_client.exposition import start_http_server
from prometheus_client.registry import Collector, CollectorRegistry

from velostream.errors import VeloError
from velostream.observability.exposition import Families

HOST = "127.0.0.1"


class _Live(Collector):
    """Takes a new look for every scrape."""

    def __init__(self, look: Callable[[], dict[str, Any]]) -> None:
        self.look = look

    def collect(self) -> Iterator[Metric]:
        """All metrics as they are now."""
        seen = self.look()
        tables = [{**table, "app": seen["app"]} for table in seen["tables"]]
        return Families(seen["jobs"], tables).collect()

    def describe(self) -> list[Metric]:
        """Nothing is known before the first scrape."""
        return []


@contextmanager
def served(look: Callable[[], dict[str, Any]], port: int) -> Iterator[int]:
    """Serves what `look` answers (`snapshot.application`); port 0 takes a free one. Gives the port."""
    registry = CollectorRegistry()
    registry.register(_Live(look))
    try:
        server, thread = start_http_server(port, HOST, registry)
    except OSError as error:
        message = f"port {port} of {HOST} cannot be served: {error.strerror}"
        raise VeloError(message, hint="choose another --metrics-port", code="port-taken") from None
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join(timeout=5)
        server.server_close()
