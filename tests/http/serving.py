"""A small web server in a process of its own: an answer that can be changed, and a webhook that can be difficult."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

STATE: dict[str, Any] = {"answer": "[]", "log": [], "failures": 0, "delay": 0.0}


class Handler(BaseHTTPRequestHandler):
    """`/data` answers with an ETag; `/hook` takes requests; `/state` tells and changes what the server does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/state":
            self._say(200, json.dumps(STATE))
            return
        STATE["log"].append({"path": self.path, "headers": dict(self.headers)})
        if self._fails():
            return
        if urlsplit(self.path).path != "/data":
            self._say(404, "nothing")
            return
        tag = '"' + hashlib.sha1(STATE["answer"].encode()).hexdigest() + '"'
        if self.headers.get("If-None-Match") == tag:
            self._say(304, "", ETag=tag)
            return
        self._say(200, STATE["answer"], ETag=tag)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/state":
            STATE.update(json.loads(body))
            self._say(200, "")
            return
        STATE["log"].append({"path": self.path, "headers": dict(self.headers), "body": body})
        time.sleep(STATE["delay"])
        if self._fails():
            return
        self._say(422 if "poison" in body else 404 if self.path != "/hook" else 200, "")

    def _fails(self) -> bool:
        if STATE["failures"] <= 0:
            return False
        STATE["failures"] -= 1
        STATE["log"][-1]["failed"] = True
        self._say(503, "not now")
        return True

    def _say(self, status: int, text: str, **headers: str) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Web:
    """The server, as tests see it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def state(self, **changed: Any) -> dict[str, Any]:
        """What the server knows, after a change."""
        if changed:
            with urllib.request.urlopen(f"{self.url}/state", data=json.dumps(changed).encode()):
                pass
        with urllib.request.urlopen(f"{self.url}/state") as answer:
            return dict(json.load(answer))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
