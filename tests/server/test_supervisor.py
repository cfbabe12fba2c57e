"""Supervision, with drivers that are real processes and need no Spark."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from tests.server.conftest import SQL, TWO_JOBS, until

from velostream.errors import VeloError
from velostream.server.deploying import Wish, deploy, deployed, judged
from velostream.server.driver.holding import Holder, hold, holder_of
from velostream.server.plane import Plane
from velostream.server.process import Process
from velostream.server.registry.deployment import Deployment
from velostream.server.returning import rollback
from velostream.server.supervisor import Supervisor
from velostream.server.views import Seen

BIGGER = SQL.replace("SUM(amount) AS total", "SUM(amount) AS total, MAX(amount) AS most")
OTHER = SQL.replace("TUMBLING(2s)", "TUMBLING(4s)")


def app(plane: Plane, name: str = "shop") -> Seen:
    plane.control.supervisor.look()
    return plane.control.app(name)


def running(plane: Plane, name: str = "shop") -> Seen:
    until(lambda: app(plane, name).state == "running")
    return app(plane, name)


def test_a_deployed_application_runs_in_a_process_of_its_own(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    seen = running(plane)
    assert seen.process is not None
    assert seen.process.pid != os.getpid()
    assert os.getsid(seen.process.pid) == seen.process.pid
    assert [job["name"] for job in seen.jobs] == ["totals"]


def test_a_driver_that_is_killed_is_started_again(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    first = running(plane).process
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: app(plane).process not in (None, first))
    seen = running(plane)
    assert seen.deployment.restarts == 1
    assert "ended without a word" in seen.deployment.reason


def test_a_driver_that_the_machine_ends_is_started_again_and_that_is_no_failure(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    first = running(plane).process
    assert first is not None
    first.ask_to_end()
    until(lambda: app(plane).process not in (None, first))
    assert running(plane).deployment.restarts == 0


@pytest.mark.parametrize(
    ("name", "reason"), [("crashing", "the disk is full"), ("vanishing", "ended without a word: Killed by nobody")]
)
def test_a_driver_that_dies_too_often_has_failed_and_says_why(
    opened: Callable[..., Plane], name: str, reason: str
) -> None:
    plane = opened(restarts=2)
    deploy(plane.control, Wish(name, SQL))
    until(lambda: app(plane, name).state == "failed")
    deployment = app(plane, name).deployment
    assert reason in deployment.reason
    assert deployment.restarts == 2
    whats = [each["what"] for each in plane.control.registry.happenings(name)]
    assert whats.count("restart") == 2
    assert whats[0] == "failed"
    until(lambda: b'state="failed"} 1.0' in _exposed(plane))  # also where its job has never reported
    assert app(plane, name).hint == ("make room" if name == "crashing" else "")


def _exposed(plane: Plane) -> bytes:
    plane.figures.look()
    return plane.figures.text


def test_pauses_between_restarts_double_up_to_a_limit(plane: Plane) -> None:
    pauses = [plane.settings.pause(number) for number in range(1, 13)]
    assert pauses[:3] == [0.05, 0.1, 0.2]
    assert pauses[-1] == 60.0


def test_another_control_plane_finds_the_drivers_again(opened: Callable[..., Plane]) -> None:
    first = opened()
    deploy(first.control, Wish("shop", SQL))
    process = running(first).process
    first.close()
    second = opened()
    assert running(second).process == process
    assert second.control.stop("shop").seen.state == "stopped"


def test_a_driver_that_died_while_nobody_watched_is_started_again(opened: Callable[..., Plane]) -> None:
    first = opened()
    deploy(first.control, Wish("shop", SQL))
    process = running(first).process
    assert process is not None
    first.close()
    process.kill()
    second = opened()
    until(lambda: app(second).process not in (None, process))
    assert running(second).deployment.restarts == 1


def test_two_control_planes_never_share_a_folder(opened: Callable[..., Plane]) -> None:
    opened()
    with pytest.raises(VeloError, match="another server uses"):
        opened()


def test_a_new_version_starts_after_the_end_of_the_old_one_and_with_its_state(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL, "1"))
    old = running(plane)
    deploy(plane.control, Wish("shop", BIGGER, "2"))
    until(lambda: app(plane).deployment.version == "2" and app(plane).state == "running")
    new = app(plane)
    assert old.process is not None
    assert not old.process.alive
    assert new.deployment.state == old.deployment.state


def test_a_version_whose_state_does_not_fit_is_refused_with_the_difference_unless_fresh(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL, "1"))
    old = running(plane)
    with pytest.raises(VeloError, match=r"TUMBLING\(size 2s\).*TUMBLING\(size 4s\)") as refusal:
        deploy(plane.control, Wish("shop", OTHER, "2"))
    assert "--fresh" in refusal.value.hint
    assert app(plane).process == old.process
    new = deploy(plane.control, Wish("shop", OTHER, "2", fresh=True))
    assert new.state != old.deployment.state


def test_a_rollback_takes_the_state_of_now_where_it_fits_and_else_its_own(plane: Plane) -> None:
    first = deploy(plane.control, Wish("shop", SQL, "1"))
    deploy(plane.control, Wish("shop", BIGGER, "2"))
    back = rollback(plane.control, "shop")
    assert (back.version, back.state, back.sql) == ("1", first.state, SQL)
    other = deploy(plane.control, Wish("shop", OTHER, "3", fresh=True))
    again = rollback(plane.control, "totals")
    assert (again.version, again.state) == ("1", first.state)
    assert other.state != first.state
    with pytest.raises(VeloError, match="no version '9'") as refusal:
        rollback(plane.control, "shop", "9")
    assert "'1', '2'" in refusal.value.hint


def test_one_job_of_several_is_paused_and_stopped_by_itself(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", TWO_JOBS))
    running(plane)
    plane.control.pause("totals")
    assert {job["name"]: job["state"] for job in app(plane).jobs} == {"totals": "paused", "counts": "running"}
    assert app(plane).state == "running"
    plane.control.pause("shop")
    assert app(plane).state == "paused"
    plane.control.resume("shop.counts")
    assert {job["name"]: job["state"] for job in app(plane).jobs} == {"totals": "paused", "counts": "running"}
    with pytest.raises(VeloError, match="shares its process") as refusal:
        plane.control.stop("totals", force=True)
    assert "STOP JOB shop FORCE" in refusal.value.hint


def test_stop_and_restart(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    first = running(plane).process
    assert plane.control.stop("shop").seen.state == "stopped"
    with pytest.raises(VeloError, match="nothing to pause") as refusal:
        plane.control.pause("shop")
    assert "velo restart shop" in refusal.value.hint
    plane.control.restart("shop")
    second = running(plane).process
    assert second not in (None, first)
    plane.control.restart("totals")
    assert running(plane).process not in (None, second)
    assert plane.control.stop("totals", force=True).seen.state == "stopped"


def test_a_deleted_application_leaves_nothing(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    process = running(plane).process
    assert process is not None
    plane.control.delete("shop")
    assert not process.alive
    assert plane.control.apps == []
    assert not plane.folders.app("shop").exists()
    with pytest.raises(VeloError, match="no application 'shop'"):
        plane.control.app("shop")


def test_names_lead_to_applications_and_jobs_or_to_a_hint(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    deploy(plane.control, Wish("store", SQL))
    running(plane)
    assert plane.control.find("store.TOTALS").deployment.app == "store"
    with pytest.raises(VeloError, match="several applications have a job 'totals'") as refusal:
        plane.control.find("totals")
    assert "'shop.totals', 'store.totals'" in refusal.value.hint
    with pytest.raises(VeloError) as refusal:
        plane.control.find("stor")
    assert "store" in refusal.value.hint


def test_a_driver_that_lives_but_says_nothing_is_told_and_restarted(opened: Callable[..., Plane]) -> None:
    plane = opened(silence=0.6, restarts=1)
    deploy(plane.control, Wish("mute", SQL))
    until(lambda: app(plane, "mute").state == "failed")
    assert "said nothing for" in app(plane, "mute").deployment.reason
    told = [each["what"] for each in plane.control.registry.happenings("mute")]
    assert (told.count("hung"), told.count("restart")) == (2, 1)


def test_restarts_are_forgiven_once_a_driver_has_run_for_a_while(opened: Callable[..., Plane]) -> None:
    plane = opened(healthy_after=0.5)
    deploy(plane.control, Wish("shop", SQL))
    first = running(plane).process
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: app(plane).deployment.restarts == 1)
    until(lambda: app(plane).deployment.restarts == 0)
    assert app(plane).deployment.reason == ""


def test_of_two_deployments_at_the_same_moment_one_is_refused(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL, "1"))
    one, other = judged(plane.control, Wish("SHOP", BIGGER, "2")), judged(plane.control, Wish("shop", BIGGER, "3"))
    assert deployed(plane.control, one).app == "shop"
    with pytest.raises(VeloError, match="by somebody else at the same moment"):
        deployed(plane.control, other)
    assert [each.deployment.version for each in plane.control.apps] == ["2"]


def test_a_job_that_cannot_be_told_to_stop_does_not_take_the_others_with_it(opened: Callable[..., Plane]) -> None:
    plane = opened(restarts=0)
    deploy(plane.control, Wish("crash", TWO_JOBS))
    until(lambda: app(plane, "crash").state == "failed")
    assert plane.control.stop("totals").seen.state == "failed"
    one = deploy(plane.control, Wish("shop", TWO_JOBS))
    running(plane)
    plane.control.stop("shop")
    folder = plane.folders.driver("shop", one.number)
    folder.wanted.write_text('{"totals": "stopped", "counts": "paused"}')
    plane.control.restart("shop.totals")
    assert folder.held == {"counts": "paused"}


def test_a_driver_of_a_killed_control_plane_is_found_by_the_state_that_it_holds(tmp_path: Path) -> None:
    process = Process.of(os.getpid())
    assert holder_of(tmp_path) is None
    handle = hold(tmp_path, process, tmp_path / "drivers" / "000001")
    assert holder_of(tmp_path) == Holder(process, str(tmp_path / "drivers" / "000001"))
    with pytest.raises(VeloError, match="another driver still writes"):
        hold(tmp_path, process, tmp_path)
    os.close(handle)
    assert holder_of(tmp_path) is None


def test_applications_are_known_before_the_first_look_is_through(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    running(plane)
    looking, told = Event(), plane.control.supervisor

    def planned(one: Deployment) -> tuple[()]:
        looking.wait(20)
        return ()

    again = Supervisor(told.registry, told.folders, told.settings, planned)
    again.start()
    try:
        assert [(key, one.alive) for key, one in again.seen.items()] == [(("shop", 1), True)]
    finally:
        looking.set()
        again.close()
