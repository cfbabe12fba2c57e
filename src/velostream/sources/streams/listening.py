"""An address that others send to: what comes is in the inbox, on disk, before they are told that it was taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from velostream.errors import VeloError
from velostream.sources.streams.inbox import Inbox

LARGEST = 64 * 1024 * 1024
"""Bytes that one request may have."""
_PATIENCE = 60.0
"""Seconds that who sends may be silent."""


@dataclass
class Listener:
    """Takes POST and PUT requests at `host:port/path`."""

    source: str
    address: str
    inbox: Inbox
    _server: ThreadingHTTPServer = field(init=False)

    def start(self) -> None:
        """Listens from now on."""
        where = urlsplit(f"http://{self.address}")
        try:
            self._server = ThreadingHTTPServer(
                (where.hostname or "", where.port or 0), _handler(self, where.path or "/")
            )
        except OSError as error:
            message = f"'{self.source}' cannot listen at '{self.address}': {error.strerror}"
            raise VeloError(
                message, hint="see who else listens there, or choose another port", code="http-unreachable"
            ) from None
        self._server.daemon_threads = True
        Thread(target=self._server.serve_forever, name=f"velo-listen-{self.source}", daemon=True).start()

    @property
    def port(self) -> int:
        """The port that it listens at."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Listens no more."""
        self._server.shutdown()
        self._server.server_close()


def _handler(listener: Listener, path: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = _PATIENCE

        def do_POST(self) -> None:
            if urlsplit(self.path).path.rstrip("/") != path.rstrip("/"):
                self._say(404, "nothing listens here")
                return
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > LARGEST:
                self.close_connection = True
                self._say(413 if length.isdecimal() else 411, f"a length of at most {LARGEST} bytes is needed")
                return
            content = self.rfile.read(int(length))
            if len(content) < int(length):
                self.close_connection = True  # who sent it has gone in the middle, and will send it again
                return
            try:
                if content.strip():
                    listener.inbox.put(content, repeats=True)
            except OSError as error:
                self._say(503, f"it cannot be kept now: {error.strerror or error}")
                return
            self._say(200, "taken")

        do_PUT = do_POST  # noqa: N815

        def _say(self, status: int, text: str) -> None:
            body = f"{text}\n".encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Requests are counted as records."""

    return Handler
