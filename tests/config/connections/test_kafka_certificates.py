import pytest

from velostream.config.connections.kafka_certificates import java_certificates


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"ssl.truststore.location": "a/authority.pem"}, "PEM"),
        ({"ssl.truststore.location": "a/store.p12"}, "PKCS12"),
        ({"ssl.truststore.location": "a/store.p12", "ssl.truststore.type": "JKS"}, "JKS"),
        ({"ssl.truststore.location": "a/store.jks"}, None),
    ],
)
def test_java_is_told_what_a_store_is_by_its_ending(told: dict[str, str], kind: str | None) -> None:
    assert java_certificates(told).get("ssl.truststore.type") == kind
