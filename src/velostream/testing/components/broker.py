"""A Kafka broker of one's own: broker and controller in one process on loopback, gone with the one who started it.

python -m velostream.testing.components.broker FOLDER    starts one, prints its address, and runs until it is ended
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from velostream.errors import VeloError
from velostream.spark.jars import Coordinate, cache_folder, fetch, java, locked, loud
from velostream.testing.components.secured import Secured

KAFKA = Coordinate("org.apache.kafka", "kafka_2.13", "4.1.0")
_STARTING = 60.0
_SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
num.partitions=1
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=400
auto.create.topics.enable=false
log.retention.ms=-1
log.retention.check.interval.ms=1000
"""


def broker_jars(say: Callable[[str], None] | None = None) -> list[Path]:
    """The jars of a broker, in the cache; fetched the first time."""
    folder = cache_folder() / f"broker-{KAFKA.version}"
    done = folder / ".complete"
    if not done.exists():
        with locked(folder):
            if not done.exists():
                (say or loud)(f"fetching a Kafka broker (about 45 jars, a minute, once) into {folder}")
                fetch(KAFKA, folder, ("-confs", "default", "-types", "jar", "bundle"), (KAFKA,))
                done.touch()
    return sorted(folder.glob("*.jar"))


class Broker:
    """A broker with its data in a folder. It can be stopped, killed and started again at the same address.

    With `users`, their names and passwords, it has a second address that is `secured`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        memory: str = "256m",
        settings: Mapping[str, str] | None = None,
        users: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.memory = memory
        self.port, self.controller = _free_port(), _free_port()
        self.settings = settings or {}
        self.secured = Secured(_free_port(), users, folder) if users else None
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What clients are told."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> Broker:
        """Starts it, and waits until it answers."""
        file = self.folder / "server.properties"
        if not file.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            more = self.secured.settings(self.port, self.controller) if self.secured is not None else ""
            more += "".join(f"{name}={value}\n" for name, value in self.settings.items())
            file.write_text(_SETTINGS.format(port=self.port, controller=self.controller, folder=self.folder) + more)
            first, *rest = uuid.uuid4().bytes
            # a name that begins with a dash would be taken for an option
            name = urlsafe_b64encode(bytes([first & 0x7F, *rest])).decode().rstrip("=")
            self._java("kafka.tools.StorageTool", "format", "-t", name, "-c", str(file)).wait()
        self.process = self._java("kafka.Kafka", str(file))
        self._wait()
        return self

    def stop(self) -> None:
        """An orderly end."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """An end without warning."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def _java(self, *arguments: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(map(str, broker_jars()))
        options = [f"-Xmx{self.memory}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", path]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen([java(), *options, *arguments], stdout=log, stderr=log, preexec_fn=_die_with_parent)

    def _wait(self) -> None:
        from confluent_kafka.admin import AdminClient

        assert self.process is not None
        until = time.monotonic() + _STARTING
        while time.monotonic() < until and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.1)
        client = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if client.list_topics(timeout=2).brokers:
                    return
            except Exception:
                time.sleep(0.2)
        tail = (self.folder / "log").read_text(errors="replace")[-500:]
        raise VeloError(f"the broker did not come up: {tail}", hint=f"see {self.folder}/log", code="broker-unreachable")


def _die_with_parent() -> None:
    """In the child: the end of the process that started it ends it too, however that comes about."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _free_port() -> int:
    """A port below those that connections get: while a broker is down, none of them takes its place. (One that tries to
    reach the port might get the same one as its own, and would have reached itself.)"""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def main(folder: str) -> None:
    """Runs a broker until it is ended."""
    broker = Broker(Path(folder)).start()
    print(broker.address, flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        signal.pause()
    finally:
        broker.stop()


if __name__ == "__main__":
    main(sys.argv[1])
