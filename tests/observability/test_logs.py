import json
import logging
import time

import pytest

from velostream.events import LOGGER, TRACEPARENT, BatchBegan, BatchEnded, Events, JobEnded, JobStarted, StageEnded
from velostream.observability.logs import Profile, lifecycle, logged
from velostream.observability.sending import Sender

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_line_tells_job_statement_batch_and_trace() -> None:
    said: list[str] = []
    events = Events()
    with logged(said.append, "json", "info", {"j": 12}):
        began = BatchBegan("j", 3)
        events.publish(began)
        TRACEPARENT.set(PARENT)
        logging.getLogger(LOGGER).info("hello %s", "you")
        logging.getLogger(LOGGER).debug("not loud enough")
        TRACEPARENT.set("")
        events.publish(BatchEnded("j", 3, began.at))
        try:
            raise ValueError("oh")
        except ValueError:
            logging.getLogger(LOGGER).exception("failed", extra={"row": {"k": 1}})
    logging.getLogger(LOGGER).warning("nobody listens any more")
    first, second = map(json.loads, said)
    assert {key: first[key] for key in ("level", "message", "job", "statement", "batch", "trace_id")} == {
        **{"level": "info", "message": "hello you", "job": "j", "statement": 12, "batch": 3},
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
    }
    assert (second["error"], second["row"], "batch" in second) == ("ValueError: oh", {"k": 1}, False)


def test_people_get_text() -> None:
    said: list[str] = []
    with logged(said.append, "text", "warning", {}):
        logging.getLogger(LOGGER).warning("large", extra={"job": "j", "row": {"k": "é"}})
    assert said == ['warning: j: large {"k": "é"}']


def test_the_life_of_a_job_is_told() -> None:
    said: list[str] = []
    events = Events([lifecycle])
    with logged(said.append, "text", "debug", {}):
        events.publish(JobStarted("j"))
        events.publish(BatchEnded("j", 0, time.time_ns(), 5))
        events.publish(BatchEnded("j", 1, time.time_ns(), error="boom"))
        events.publish(JobEnded("j", "failed", "boom"))
    levels = [line.split(":")[0] for line in said]
    assert levels == ["info", "debug", "error", "error"]


def test_a_profile_says_how_long_the_stages_of_a_batch_took() -> None:
    said: list[str] = []
    events = Events([Profile(["j"])])
    with logged(said.append, "text", "info", {}):
        for job in ("j", "other"):
            began = time.time_ns()
            events.publish(StageEnded(job, 4, "compute", began, at=began + 500_000_000))
            events.publish(StageEnded(job, 4, "sink out", began, at=began + 250_000_000))
            events.publish(BatchEnded(job, 4, began, at=began + 10**9))
    assert said == ["info: j: batch 4 took 1.000 s: compute 0.500 s, sink out 0.250 s"]


def test_a_receiver_that_fails_costs_warnings_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    got: list[int] = []

    def send(number: int) -> None:
        if number % 2:
            raise OSError("gone")
        got.append(number)

    sender = Sender(send, "things")
    with caplog.at_level(logging.WARNING):
        for number in range(6):
            sender.put(number)
        sender.close()
    assert got == [0, 2, 4]
    assert sender.lost == 3
    assert sum("could not be sent: gone" in record.message for record in caplog.records) == 1


def test_that_a_receiver_is_away_is_a_line_like_others() -> None:
    said: list[str] = []
    with logged(said.append, "json", "error", {}):
        logging.getLogger("opentelemetry.exporter.x").warning("nobody answers")
        logging.getLogger("opentelemetry.exporter.x").info("all is well")
    assert [json.loads(line)["message"] for line in said] == ["nobody answers"]
