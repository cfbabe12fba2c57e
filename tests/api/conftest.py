"""The server of the server's own tests, for those of connections to it."""

from tests.server.conftest import opened, report
from tests.server.test_client import url

__all__ = ["opened", "report", "url"]
