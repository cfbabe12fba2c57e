import os
import signal
import subprocess
import sys
import time
from threading import Event

import pytest

from velostream.cli.live.signals import caught, uncut


def test_the_first_signal_asks_for_a_stop() -> None:
    stopping, said = Event(), list[str]()
    before = signal.getsignal(signal.SIGTERM)
    with caught(stopping, said.append) as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
    assert stopping.is_set()
    assert signals.exit_code == 143
    assert len(said) == 1
    assert signal.getsignal(signal.SIGTERM) is before


def test_without_a_signal_all_is_well() -> None:
    with caught(Event(), print) as signals:
        pass
    assert signals.exit_code == 0


def test_a_second_interrupt_stops_at_once() -> None:
    program = """
import os, signal, time
from threading import Event
from velostream.cli.live.signals import caught
with caught(Event(), lambda text: print(text, flush=True)):
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
"""
    started = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False)
    assert ended.returncode == 130
    assert "stopping after the running batch" in ended.stdout
    assert "stopped at once" in ended.stderr
    assert time.monotonic() - started < 40


def test_what_cannot_be_left_half_done_is_finished_before_an_interrupt_is_heard() -> None:
    said: list[str] = []
    done: list[int] = []

    def start() -> None:
        with uncut(said.append, "Spark has started"):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            done.append(1)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert done == [1]
    assert said == ["stopping once Spark has started; Ctrl-C once more leaves at once"]
    with uncut(said.append, "it is done"):
        done.append(2)
    assert done == [1, 2]
