"""A broker that asks for passwords and speaks TLS: source, sinks and letters are let in, and nobody hears the words."""

from __future__ import annotations

import json
import logging
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError
from tests.kafka.apps import START, run, runner_of, sink, source
from tests.kafka.cluster import USERS, Cluster

from velostream.config.connections.kafka_clients import for_asking
from velostream.errors import VeloError
from velostream.kafka import Asking
from velostream.kafka import Cluster as Asked
from velostream.plan import plan
from velostream.plan.explain import application_data, explain_application
from velostream.validation import validate

SECRETS = (USERS["ann"], USERS["velo"], "not-her-word")
MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"


def quoted(text: str) -> str:
    """As a text of SQL has it."""
    return text.replace("\\", "\\\\").replace("'", "''")


def by_name(cluster: Cluster, user: str, word: str = "") -> dict[str, str]:
    """User and password as librdkafka's users write them."""
    word = quoted(word or USERS[user])
    told = {"security_protocol": "SASL_SSL", "ssl_ca_location": cluster.authority, "sasl_mechanism": "PLAIN"}
    return {**told, "sasl_username": user, "sasl_password": word}


def by_jaas(cluster: Cluster, user: str) -> dict[str, str]:
    """User and password as Java's users write them."""
    word = USERS[user].replace("\\", "\\\\").replace('"', '\\"')
    told = {"security_protocol": "SASL_SSL", "ssl_truststore_location": cluster.authority, "sasl_mechanism": "PLAIN"}
    return {**told, "sasl_jaas_config": quoted(f'{MODULE} required username="{user}" password="{word}";')}


def test_who_has_a_password_reads_and_writes_over_tls_and_the_password_is_never_shown(
    one_spark: Any,
    cluster: Cluster,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic, once, plain = (cluster.topic(name, 1) for name in ("guarded", "guarded-once", "guarded-plain"))
    made = [{"k": "ab"[n % 2], "v": n, "at": START + n * 1_000} for n in range(100)]
    cluster.send(topic, [{"value": json.dumps(one)} for one in made] + [{"value": "no record"}])
    at = cluster.secured
    text = source(at, topic, **by_jaas(cluster, "ann"))
    text += f"""
        -- @job_mode: transactional
        CREATE STREAM copied AS SELECT k PRIMARY KEY, v FROM s
            INTO once WITH ({sink(at, once, "once", **by_name(cluster, "velo"))});
        CREATE STREAM passed AS SELECT k PRIMARY KEY, v FROM s WHERE v < 10
            INTO plain WITH ({sink(at, plain, "plain", **by_jaas(cluster, "ann"))});
        """
    with caplog.at_level(logging.DEBUG, logger="velostream"):
        report = run(one_spark, text, tmp_path)
    assert sorted(json.loads(one.value or "")["v"] for one in cluster.read(once)) == list(range(100))
    assert sorted(json.loads(one.value or "")["v"] for one in cluster.read(plain)) == list(range(10))
    assert report["copied"]["records"]["dead_lettered"] == {"undecodable": 1}

    wrong = (
        source(at, topic, **by_name(cluster, "ann", "not-her-word"))
        + f"SELECT k FROM s INTO o WITH ({sink(at, once, 'o')});"
    )
    with pytest.raises(VeloError, match="Authentication failed") as failure:
        run(one_spark, wrong, tmp_path / "wrong")
    assert failure.value.error_code == "broker-unreachable"
    planned = [runner_of(one_spark, each, tmp_path).plan for each in (text, wrong)]
    plans = "".join(explain_application(one) + json.dumps(application_data(one)) for one in planned)
    files = "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())
    heard = capfd.readouterr()
    shown = [
        json.dumps(report),
        str(failure.value),
        failure.value.hint,
        plans,
        heard.out,
        heard.err,
        caplog.text,
        files,
    ]
    for secret in SECRETS:
        assert not [one for one in shown if secret in one or quoted(secret) in one or json.dumps(secret)[1:-1] in one]


def test_a_refusal_is_told_rather_than_the_end_of_the_connection_behind_it() -> None:
    refused = KafkaError(KafkaError._AUTHENTICATION, "Authentication failed: no such user")
    cut, down = KafkaError(KafkaError._TRANSPORT, "Disconnected"), KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 down")
    client: Any = None
    for said, told in (([refused, cut, down], refused), ([down, cut, down], cut), ([down], down)):
        assert Asking(client, deque(said)).reason == told.str()
    assert Asking(client).reason == ""


def test_an_unknown_certificate_is_told_as_such(cluster: Cluster) -> None:
    text = source(cluster.secured, "t", security_protocol="SASL_SSL", sasl_username="ann", sasl_password="x")
    answer = validate(f"{text} SELECT k FROM s INTO o WITH ({sink(cluster.address, 't', 'o')});", "t.sql", variables={})
    settings = plan(answer.bound, answer.library).jobs[0].scans[0].settings
    with pytest.raises(VeloError, match="certificate verify failed") as failure:
        Asked(for_asking(settings)).topics(timeout=3)
    assert failure.value.error_code == "broker-unreachable"
