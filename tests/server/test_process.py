"""Processes are known again, and ended with all that they started."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from velostream.server.process import Process, started

_CHILD = "import subprocess, sys, time; print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)"


def test_a_process_is_known_by_number_and_start() -> None:
    here = Process.of(os.getpid())
    assert here.alive
    assert not Process(os.getpid(), "another time").alive


def test_a_process_that_has_ended_is_not_alive_even_before_its_parent_notices() -> None:
    child = subprocess.Popen(["true"])
    time.sleep(0.2)
    assert started(child.pid) is None
    child.wait()


def test_what_a_process_started_ends_with_it_also_when_it_is_gone_already() -> None:
    child = subprocess.Popen([sys.executable, "-c", _CHILD], stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    grandchild = Process.of(int(child.stdout.readline()))
    process = Process.of(child.pid)
    os.kill(child.pid, 9)
    child.wait()
    child.stdout.close()
    assert grandchild.alive
    process.kill()
    ends = time.monotonic() + 5
    while grandchild.alive and time.monotonic() < ends:
        time.sleep(0.02)
    assert not grandchild.alive


def test_a_process_that_got_the_number_of_another_one_is_left_alone() -> None:
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    Process(child.pid, "before that").kill()
    assert Process.of(child.pid).alive
    child.kill()
    child.wait()
