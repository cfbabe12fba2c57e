"""Runs a part of the trading application from Kafka to Kafka and PostgreSQL, with a broker and a database of its own:
both are started here and are gone at the end. Runs with nothing installed but this project and Java.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from velostream.errors import VeloError
from velostream.testing.components.broker import Broker

ROOT = Path(__file__).parent.parent
APPS = Path("examples/trading/kafka")
VELO = Path(sys.executable).with_name("velo")


def say(text: str) -> None:
    """A heading."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def database(folder: Path) -> Any:
    """A PostgreSQL of one's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the user who runs it
        import pgserver

        return pgserver.get_server(folder, cleanup_mode="delete")


def run(app: str, state: Path) -> None:
    """Runs an application to the end of its input."""
    words = ["run", str(APPS / app), "--until-done", "--checkpoint", str(state / app)]
    say(f"velo {' '.join(words)}")
    done = subprocess.run([str(VELO), *words], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def messages(address: str, topic: str, most: int) -> tuple[list[Any], int]:
    """The last messages of a topic, as somebody sees them who reads what is committed, and how many there are."""
    from confluent_kafka import Consumer, TopicPartition

    told = {"bootstrap.servers": address, "group.id": "demo", "isolation.level": "read_committed"}
    consumer = Consumer({**told, "enable.partition.eof": True, "enable.auto.commit": False})
    consumer.assign(
        [TopicPartition(topic, number, 0) for number in consumer.list_topics(topic).topics[topic].partitions]
    )
    found, left = [], len(consumer.assignment())
    while left:
        for message in consumer.consume(1000, timeout=1):
            left -= message.error() is not None
            if message.error() is None:
                found.append(message)
    consumer.close()
    return found[-most:], len(found)


def main() -> None:
    """The demonstration."""
    with tempfile.TemporaryDirectory(prefix="velo-demo-") as folder:
        state = Path(folder)
        say("Starting a Kafka broker and a PostgreSQL (fetched once, kept in the cache folder)")
        server = database(state / "postgres")
        try:
            broker = Broker(state / "kafka").start()
        except VeloError as error:
            sys.exit(f"error: {error.message}\nhint: {error.hint}")
        try:
            os.environ |= {"KAFKA": broker.address, "DATABASE_URL": server.get_uri()}
            print(f"Kafka at {broker.address}, PostgreSQL at {server.get_uri()}")
            run("feed.sql", state)
            run("desk.sql", state)
            last, count = messages(broker.address, "bars", 3)
            say(f"Topic bars has {count:,} messages, each once; the last ones:")
            for one in last:
                shown = json.loads(one.value())
                print(f"  {one.key().decode():5} {shown}  headers {dict(one.headers() or [])}")
            say("Table positions in PostgreSQL:")
            query = "SELECT count(*) AS positions, sum(trade_count) AS trades FROM positions"
            print(server.psql(f"{query}; SELECT * FROM positions ORDER BY turnover DESC LIMIT 3;"))
        finally:
            broker.stop()
            server.cleanup()


if __name__ == "__main__":
    main()
