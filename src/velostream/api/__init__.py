"""The Python API: `velostream.connect()` opens a connection, in this process or to a job server."""

from velostream.api.local import Local
from velostream.api.opening import connect
from velostream.api.server import Server

__all__ = ["Local", "Server", "connect"]
