"""TLS in the words of Kafka's two clients: Java's has stores, and reads PEM as such; librdkafka has files and PEM."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from velostream.errors import InvalidProperty

ONLY_JAVA = (
    *("ssl.truststore.type", "ssl.truststore.password", "ssl.truststore.location", "ssl.protocol"),
    *("ssl.keystore.type", "ssl.keystore.password", "ssl.keystore.location", "ssl.enabled.protocols"),
)
"""What librdkafka is not told by these names."""
_CHECKED = "ssl.endpoint.identification.algorithm"
"""Whether the name in a broker's certificate is looked at: Java leaves it empty, librdkafka says none."""
_TRUSTED, _OWN, _KEY = "ssl.truststore.certificates", "ssl.keystore.certificate.chain", "ssl.keystore.key"


def java_certificates(told: Mapping[str, str]) -> dict[str, str]:
    """All settings, with those of librdkafka about certificates in Java's words."""
    made = dict(told)
    if made.pop("enable.ssl.certificate.verification", "true").casefold() == "false":
        message = (
            "'enable.ssl.certificate.verification' is false, and the client that reads always looks at certificates"
        )
        raise InvalidProperty(message, hint="give the certificates to trust as a PEM file: ssl.ca.location")
    if made.get(_CHECKED, "").casefold() == "none":
        made[_CHECKED] = ""
    authority, trusted = made.pop("ssl.ca.location", None), made.pop("ssl.ca.pem", None)
    if authority is not None and "ssl.truststore.location" not in made:
        made |= {"ssl.truststore.location": authority, "ssl.truststore.type": "PEM"}
    if trusted is not None:
        made |= {_TRUSTED: trusted, "ssl.truststore.type": "PEM"}
    for name, java in (("ssl.certificate", _OWN), ("ssl.key", _KEY)):
        file, text = made.pop(f"{name}.location", None), made.pop(f"{name}.pem", None)
        if file is not None:
            text = _content(f"{name}.location", file)
        if text is not None:
            made |= {java: text, "ssl.keystore.type": "PEM"}
    for store in ("ssl.truststore", "ssl.keystore"):
        file = made.get(f"{store}.location")
        if file is not None and f"{store}.type" not in made and _kind(file) != "JKS":
            made[f"{store}.type"] = _kind(file)  # Java takes a file for one of its own whatever it is called
    return made


def librdkafka_certificates(told: Mapping[str, str]) -> dict[str, str]:
    """PEM files are the same to both clients, PKCS12 is for keys only, JKS is Java's alone."""
    made: dict[str, str] = {}
    if told.get(_CHECKED) == "":
        made[_CHECKED] = "none"
    trust = told.get("ssl.truststore.location")
    if trust is not None and "ssl.ca.location" not in told:
        if told.get("ssl.truststore.type", _kind(trust)).upper() != "PEM":
            message = f"'{trust}' is a store of Java, which the client that writes and asks cannot read"
            raise InvalidProperty(message, hint="give the certificates as a PEM file: ssl.ca.location")
        made["ssl.ca.location"] = trust
    own = told.get("ssl.keystore.location")
    if own is None:
        return made
    kind = told.get("ssl.keystore.type", _kind(own)).upper()
    if kind == "PEM":
        return made | {"ssl.certificate.location": own, "ssl.key.location": own}
    if kind != "PKCS12":
        message = f"'{own}' is a store of Java, which the client that writes and asks cannot read"
        raise InvalidProperty(message, hint="give it as PKCS12 or PEM: ssl.keystore.type")
    made["ssl.keystore.location"] = own
    if "ssl.keystore.password" in told:
        made["ssl.keystore.password"] = told["ssl.keystore.password"]
    return made


def _content(name: str, file: str) -> str:
    try:
        return Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not PEM"
        raise InvalidProperty(f"'{file}' of '{name}' cannot be read: {why}", hint="give a PEM file") from None


def _kind(file: str) -> str:
    ending = file.rpartition(".")[2].casefold()
    return {"pem": "PEM", "crt": "PEM", "p12": "PKCS12", "pfx": "PKCS12"}.get(ending, "JKS")
