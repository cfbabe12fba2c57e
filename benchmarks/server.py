"""What monitoring costs a job: its rate in minutes without requests and with 1,000 a second, in turns, on one machine.

`python -m benchmarks.server [SECONDS] [MASTER]`: a server of its own, an application that takes records as fast as it
can, and a client in a process of its own that asks for `/metrics` and `/health/live` by turns. With `local[1]` the
tasks of the application have one core, and another is there for the server and the client, which need a part of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil

PER_SECOND = 1_000
CONNECTIONS = 4
TURNS = 3
SETTLING = 60.0
PATHS = ("/metrics", "/health/live")
APPLICATION = """CREATE STREAM trades (symbol STRING, price DOUBLE, traded_at TIMESTAMP) WITH (
    'trades.type' = 'datagen_source', 'trades.rate' = '10000000', 'trades.max.records.per.batch' = '100000',
    'trades.event.time.field' = 'traded_at');
CREATE STREAM sums AS SELECT symbol, COUNT(*) AS n, AVG(price) AS mean FROM trades
GROUP BY symbol WINDOW TUMBLING(1m) EMIT FINAL INTO out WITH ('out.type' = 'file_sink', 'out.path' = '{out}');
"""


class Server:
    """`velo serve` on a free port."""

    def __init__(self, data: Path, master: str) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = int(taken.getsockname()[1])
        self.token = secrets.token_hex(16)
        command = [sys.executable, "-m", "velostream.cli.main", "serve", "--port", str(self.port), "--data", str(data)]
        command += ["--master", master]
        began = time.perf_counter()
        with (data.parent / "server.log").open("wb") as log:
            environment = {**os.environ, "VELO_TOKEN": self.token}
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        while True:
            with suppress(OSError):
                self.ask("GET", "/health/live")
                break
            time.sleep(0.02)
        self.started = time.perf_counter() - began

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def rate(self, seconds: float) -> float:
        """How many records a second the job takes: from the end of a micro-batch to that of another."""
        begin = self._batch_end()
        time.sleep(seconds)
        end = self._batch_end()
        return (end[1] - begin[1]) / (end[0] - begin[0])

    def _batch_end(self) -> tuple[float, int]:
        first = read = self.ask("GET", "/api/v1/jobs/sums")["read"]
        while read == first:
            time.sleep(0.05)
            read = self.ask("GET", "/api/v1/jobs/sums")["read"]
        return time.perf_counter(), int(read)

    def end(self) -> None:
        """Ends the application, then the server."""
        self.ask("DELETE", "/api/v1/apps/bench")
        self.process.terminate()
        self.process.wait(30)


def client(port: int, token: str, pipe: Connection) -> None:
    """Asks until something comes through the pipe; answers with how many requests were answered."""
    counts = asyncio.run(_asking(port, token, pipe))
    pipe.send(counts)


async def _asking(port: int, token: str, pipe: Connection) -> int:
    requests = [
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode() for path in PATHS
    ]
    lanes = [asyncio.create_task(_lane(port, requests, pipe)) for _ in range(CONNECTIONS)]
    return sum(await asyncio.gather(*lanes))


async def _lane(port: int, requests: list[bytes], pipe: Connection) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began, done = time.perf_counter(), 0
    while not pipe.poll():
        due = int((time.perf_counter() - began) * PER_SECOND / CONNECTIONS)
        for number in range(done, due):
            writer.write(requests[number % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
        done = max(done, due)
        await asyncio.sleep(0.005)
    writer.close()
    return done


def main() -> None:
    """Prints the rates of both kinds of minutes, and what the control plane used."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    master = sys.argv[2] if len(sys.argv) > 2 else "local[*]"
    with tempfile.TemporaryDirectory(prefix="velo-bench-server-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        server = Server(data, master)
        print(f"velo serve --master {master} answers after {server.started:.2f} s")
        try:
            server.ask("POST", "/api/v1/apps", {"name": "bench", "sql": APPLICATION.format(out=Path(folder) / "out")})
            _raced(server, seconds)
        finally:
            server.end()


def _raced(server: Server, seconds: float) -> None:
    ends = time.monotonic() + 300
    while time.monotonic() < ends:
        with suppress(OSError):
            if server.ask("GET", "/api/v1/jobs/sums")["read"]:
                break
        time.sleep(0.5)
    server.rate(SETTLING)  # the JVM compiles what it runs
    quiet, asked, served, used, spent = [], [], 0, 0.0, 0.0
    plane = psutil.Process(server.process.pid)  # drivers are processes of their own
    for turn in range(TURNS):
        quiet.append(server.rate(seconds))
        ours, theirs = get_context("spawn").Pipe()
        process = get_context("spawn").Process(target=client, args=(server.port, server.token, theirs))
        process.start()
        began, before = time.perf_counter(), sum(plane.cpu_times()[:2])
        asked.append(server.rate(seconds))
        used += sum(plane.cpu_times()[:2]) - before
        ours.send("stop")
        served += ours.recv()
        spent += time.perf_counter() - began
        process.join()
        print(f"turn {turn + 1}: {quiet[-1]:,.0f} records/s without requests, {asked[-1]:,.0f} with them")
    slower = 1 - statistics.median(asked) / statistics.median(quiet)
    print(f"{served / spent:,.0f} requests/s made the job {slower:.1%} slower (asked for: at most 5 %)")
    held = plane.memory_info().rss >> 20
    print(f"the control plane used {used / spent:.1%} of a core meanwhile, and holds {held} MB")


if __name__ == "__main__":
    main()
