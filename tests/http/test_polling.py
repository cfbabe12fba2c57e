"""Addresses that are polled, against a real server; no Spark is needed to look at what is kept."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.http.serving import Web

from velostream.errors import VeloError
from velostream.retrying import Patience
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.inbox import Inbox
from velostream.sources.streams.listening import Listener
from velostream.sources.streams.polling import Poller


def poller(web: Web, home: Path, path: str = "", url: str = "/data") -> Poller:
    calls = Calls("quotes", str(home), Patience(2, 0.01))
    return Poller("quotes", web.url + url, {"X-Token": "t"}, 5.0, 0.02, Inbox(home / "inbox", "json"), calls, path)


def kept(home: Path) -> list[str]:
    return [file.read_text() for file in sorted((home / "inbox").glob("*.json"))]


def test_what_did_not_change_is_not_kept_again_also_after_a_restart(web: Web, tmp_path: Path) -> None:
    web.state(answer='[{"a": 1}]')
    first = poller(web, tmp_path)
    assert first.look()
    assert not first.look()
    assert not poller(web, tmp_path).look(), "a new process knows the ETag"
    web.state(answer='[{"a": 2}]')
    assert first.look()
    assert kept(tmp_path) == ['[{"a": 1}]', '[{"a": 2}]']
    asked = web.state()["log"]
    assert "If-None-Match" not in asked[0]["headers"]
    assert all("If-None-Match" in one["headers"] for one in asked[1:])
    assert all(one["headers"]["X-Token"] == "t" for one in asked)


def test_a_process_that_died_between_file_and_note_keeps_nothing_twice(web: Web, tmp_path: Path) -> None:
    web.state(answer='[{"a": 1}]')
    poller(web, tmp_path).look()
    (tmp_path / "inbox" / ".last").unlink()
    assert not poller(web, tmp_path).look()
    assert len(kept(tmp_path)) == 1


def test_records_are_found_by_their_path_with_all_digits(web: Web, tmp_path: Path) -> None:
    web.state(answer='{"data": {"the items": [0, {"rows": [{"p": 1.00000000000000000001}, {"p": 2}]}]}}')
    assert poller(web, tmp_path, "$.data['the items'][1].rows").look()
    assert kept(tmp_path) == ['[{"p": 1.00000000000000000001}, {"p": 2}]']
    with pytest.raises(VeloError, match=r"there is nothing at '\$\.data\.rows'"):
        poller(web, tmp_path / "other", "$.data.rows").look()
    web.state(answer="<html>")
    with pytest.raises(VeloError, match="does not answer with JSON"):
        poller(web, tmp_path, "$.data").look()


def test_failures_that_pass_are_tried_again_and_the_breaker_tells(web: Web, tmp_path: Path) -> None:
    web.state(answer='[{"a": 1}]', failures=2)
    one = poller(web, tmp_path)
    assert one.calls(one.look)
    report = json.loads((tmp_path / "breakers" / "quotes.json").read_text())
    assert (report["calls"], report["failures"], report["state"]) == (3, 2, "closed")
    web.state(failures=9)
    with pytest.raises(VeloError, match="answers with 503"):
        one.calls(one.look)
    web.state(failures=0)
    with pytest.raises(VeloError, match="there is nothing at") as caught:
        poller(web, tmp_path, url="/other").look()
    assert caught.value.error_code == "http-unreachable"


def test_a_disk_that_cannot_keep_an_answer_is_said_and_the_answer_is_asked_for_again(web: Web, tmp_path: Path) -> None:
    web.state(answer='[{"a": 1}]')
    one = poller(web, tmp_path)
    (tmp_path / "inbox").rename(tmp_path / "away")
    with pytest.raises(VeloError, match="cannot be kept for 'quotes'") as caught:
        one.look()
    assert caught.value.error_code == "file-unusable"
    (tmp_path / "away").rename(tmp_path / "inbox")
    assert one.look()
    assert kept(tmp_path) == ['[{"a": 1}]']


def test_a_webhook_keeps_whole_requests_only_and_says_when_it_cannot(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "inbox", "json")
    listener = Listener("events", "127.0.0.1:0/events", inbox)
    listener.start()
    try:
        with socket.create_connection(("127.0.0.1", listener.port)) as cut:
            cut.sendall(b'POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a": 1')
            cut.shutdown(socket.SHUT_WR)
            assert cut.recv(1_000) == b"", "half a request is not answered"
        assert kept(tmp_path) == []
        (tmp_path / "inbox").rename(tmp_path / "away")
        url = f"http://127.0.0.1:{listener.port}/events"
        with pytest.raises(HTTPError, match="503") as refused:
            urlopen(Request(url, b'{"a": 1}'), timeout=10)
        refused.value.close()
        (tmp_path / "away").rename(tmp_path / "inbox")
        with urlopen(Request(url, b'{"a": 1}'), timeout=10) as answer:
            assert answer.status == 200
        assert kept(tmp_path) == ['{"a": 1}']
    finally:
        listener.close()
