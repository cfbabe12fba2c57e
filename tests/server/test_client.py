"""The command line against a server that answers over a real port, with drivers that need no Spark."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from tests.server.conftest import SQL, until

from velostream.cli.main import main
from velostream.cli.remote import verb_text
from velostream.errors import VeloError
from velostream.server.api.app import create_app
from velostream.server.client import Client
from velostream.server.plane import Plane


@pytest.fixture
def url(opened: Callable[..., Plane], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    plane = opened(port=port)
    server = uvicorn.Server(uvicorn.Config(create_app(plane), port=port, log_level="error", loop="asyncio"))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    monkeypatch.setenv("VELO_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("VELO_TOKEN", plane.token)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


def test_an_application_is_deployed_watched_and_stopped_from_the_command_line(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def velo(*arguments: str, code: int = 0) -> str:
        assert main(arguments) == code
        said = capsys.readouterr()
        return said.out + said.err

    file = tmp_path / "shop.sql"
    file.write_text(SQL)
    assert "version 1 of shop is deployed" in velo("deploy", str(file))
    until(lambda: "running" in velo("jobs"))
    assert "totals" in velo("jobs")
    assert "totals is paused" in velo("pause", "totals")
    assert "totals is running" in velo("resume", "shop")
    assert "totals is running" in velo("flush", "totals")
    assert "stand-in of shop" in velo("logs", "totals")
    assert json.loads(velo("status", "totals", "--format", "json"))["read"] == 7
    assert "shop version 1 is running" in velo("status", "shop")
    assert "in results" in velo("status", "totals")
    file.write_text(SQL.replace("TUMBLING(2s)", "TUMBLING(4s)"))
    assert "only be deployed with --fresh" in velo("deploy", str(file), "--dry-run", code=2)
    assert "does not fit the new version" in velo("deploy", str(file), code=2)
    assert "version 2 of shop is deployed" in velo("deploy", str(file), "--fresh")
    assert "REPLACE" in velo("versions", "shop")
    assert "totals" in velo("rollback", "shop", "--version", "1")
    assert "#login=" in velo("page")
    until(lambda: "running" in velo("status", "totals"))
    assert "totals is" in velo("restart", "totals")
    assert "totals is stopped" in velo("stop", "shop", "--force")
    file.write_text(SQL.replace("customer,", "custmer,"))
    said = velo("deploy", str(file), code=2)
    assert "unknown-column" in said
    assert f"{file}:5:8" in said
    assert "there is no strategy 'swap'" in velo("deploy", str(file), "--strategy", "swap", code=2)
    assert "unknown-job" in velo("pause", "nobody", code=2)


def test_a_wrong_token_and_a_server_that_is_not_there_are_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VeloError, match="not the one of this server"):
        Client(url, "wrong").get("/api/v1/jobs")
    with pytest.raises(VeloError, match="no server answers") as refusal:
        Client("http://127.0.0.1:1").get("/api/v1/jobs")
    assert refusal.value.exit_code == 3
    monkeypatch.delenv("VELO_TOKEN")
    assert Client.of(data=Path("/nowhere")).token == ""


@pytest.mark.parametrize("token", ["se\ncret", "sé secret", "日本"])
def test_what_no_header_carries_is_no_token_and_is_not_quoted(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VELO_TOKEN", token)
    with pytest.raises(VeloError, match="what VELO_TOKEN holds cannot be a token") as refusal:
        Client.of("http://127.0.0.1:1").get("/api/v1/jobs")
    assert token not in f"{refusal.value} {refusal.value.hint}"
    assert refusal.value.exit_code == 2


def test_line_ends_around_a_token_do_not_count_and_without_one_it_is_asked_for(url: str) -> None:
    assert Client(url, f" {os.environ['VELO_TOKEN']}\n").get("/api/v1/jobs")["total"] == 0
    with pytest.raises(VeloError, match="a token is needed"):
        Client(url).get("/api/v1/jobs")


@pytest.mark.parametrize("address", ["ftp://x", "nonsense", "http://", "http://127.0.0.1:x", "http://127.0.0.1:99999"])
def test_what_cannot_be_an_address_is_told_as_a_mistake(address: str) -> None:
    with pytest.raises(VeloError, match="is not the address") as refusal:
        Client(address).get("/")
    assert refusal.value.exit_code == 2


def test_a_verb_that_waits_for_the_end_of_a_batch_says_so() -> None:
    jobs = [{"name": "totals", "state": "running"}, {"name": "counts", "state": "paused"}]
    said = verb_text({"verb": "pause", "app": "shop", "state": "running", "jobs": jobs})
    assert said.splitlines() == ["totals is running: it will be paused when its batch ends", "counts is paused"]
    assert verb_text({"verb": "resume", "app": "shop", "state": "running", "jobs": jobs[:1]}) == "totals is running"


def test_what_is_no_job_server_is_told_so() -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "6")
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *given: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as web:
        Thread(target=web.handle_request, daemon=True).start()
        with pytest.raises(VeloError, match="is no job server") as refusal:
            Client(f"http://127.0.0.1:{web.server_port}").get("/api/v1/apps")
    assert refusal.value.error_code == "server-unreachable"
