"""The work of drivers on a standalone Spark cluster, by `--master` alone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.test_drivers import STRATEGIES, Server, check, until


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A master and one worker of two cores, on this machine."""
    import pyspark

    home = Path(pyspark.__file__).parent
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}
    master = f"spark://127.0.0.1:{Server(tmp_path).port}"
    place = master.rpartition(":")[2]
    parts = [
        ("master.Master", "--host", "127.0.0.1", "--port", place, "--webui-port", "0"),
        ("worker.Worker", "--cores", "2", "--memory", "1g", "--webui-port", "0", "--work-dir", str(tmp_path), master),
    ]
    running = []
    for name, *given in parts:
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *given]
        with (tmp_path / f"{name}.log").open("wb") as log:
            running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True))
    yield master
    for process in reversed(running):
        process.terminate()
        process.wait(20)


@pytest.mark.slow
@pytest.mark.skipif("CLUSTER" not in STRATEGIES, reason="it takes half a minute: make faults")
def test_drivers_run_on_a_cluster_by_configuration_alone(cluster: str, tmp_path: Path) -> None:
    server = Server(tmp_path / "data", "--master", cluster, "--spark", "spark.executor.memory=600m")
    server.data.mkdir()
    try:
        server.start()
        server.deploy("shop")
        until(lambda: len(server.rows("shop")) > 10)
        assert server.ask().post("/api/v1/jobs/shop/stop")["state"] == "stopped"
        check(server.rows("shop"), server.data)
        executors = list(tmp_path.glob("app-*/*/stderr"))
        assert executors, "the work was done by the worker"
    finally:
        server.end()
