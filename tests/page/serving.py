"""A real server in a process of its own, with an application that reads files which the tests write."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from velostream.server.process import Process

TOKEN = "the-token-of-the-page-tests"
MARKET = (Path(__file__).parent / "market.sql").read_text()
BEGIN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
QUICK = "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A JVM that lives for a minute: what it does once is not worth being compiled twice."""
SYMBOLS = ("AAPL", "MSFT", "NVDA", "SAP")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Server:
    """`velo serve` on a free port, with a data folder of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.files = 0

    def start(self) -> float:
        """Starts it; the answer is after how many seconds it lives."""
        began = time.monotonic()
        command = [sys.executable, "-c", "import sys; from velostream.cli.main import main; sys.exit(main())", "serve"]
        command += ["--port", str(self.port), "--data", str(self.data), "--spark", QUICK]
        with (self.data.parent / "server.log").open("ab") as log:
            environment = {**os.environ, "VELO_TOKEN": TOKEN}
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        while time.monotonic() - began < 30:
            try:
                urllib.request.urlopen(f"{self.address}/health/live", timeout=1).close()
                return time.monotonic() - began
            except OSError:
                time.sleep(0.05)
        raise TimeoutError((self.data.parent / "server.log").read_text())

    def end(self) -> None:
        """Ends it and all drivers, also those that do not want to."""
        assert self.process is not None
        try:
            for app in self.get("/api/v1/apps")["items"]:
                self.ask("DELETE", f"/api/v1/apps/{app['name']}")
        finally:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
            for file in self.data.glob("apps/*/drivers/*/process.json"):
                said = json.loads(file.read_text())
                Process(said["pid"], said["mark"]).kill()

    def kill(self) -> None:
        """Ends it at once; its drivers go on."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)

    def get(self, path: str) -> Any:
        return self.ask("GET", path)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()}") from None
        return json.loads(text) if text else None

    def until(self, path: str, met: Any, seconds: float = 200) -> Any:
        """Asks until the answer is as wanted."""
        ends = time.monotonic() + seconds
        while True:
            said = self.get(path)
            if met(said):
                return said
            if time.monotonic() > ends:
                raise TimeoutError(f"{path}: {json.dumps(said)[:2000]}")
            time.sleep(0.3)

    # What the application reads

    def instruments(self) -> None:
        rows = [f"{symbol},{symbol.title()} Inc,{sector}" for symbol, sector in zip(SYMBOLS, "ABAB", strict=True)]
        folder = self.data / "files"
        (folder / "trades").mkdir(parents=True, exist_ok=True)
        (folder / "instruments.csv").write_text("symbol,name,sector\n" + "\n".join(rows) + "\n")

    def trades(self, rows: list[tuple[str, int, str, float]]) -> None:
        """One more file of trades: symbol, venue, price, seconds after the beginning."""
        self.files += 1
        lines = [
            f"{symbol},{venue},{price},{(BEGIN + timedelta(seconds=at)).isoformat()}"
            for symbol, venue, price, at in rows
        ]
        folder = self.data / "files" / "trades"
        part = folder.parent / "part"
        part.write_text("symbol,venue,price,at\n" + "\n".join(lines) + "\n")
        part.rename(folder / f"{self.files:06d}.csv")

    def minute(self, start: int, venues: tuple[int, ...], per_second: int = 4) -> None:
        """A minute of trades at some venues."""
        rows = [
            (SYMBOLS[(second + place) % 4], venue, f"{100 + second % 7 + venue}", start + second + place / 10)
            for second in range(60)
            for venue in venues
            for place in range(per_second)
        ]
        self.trades(rows)
