"""A listener of a broker that lets in only who has a password, over TLS with a certificate of its own making."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from velostream.errors import VeloError
from velostream.spark.jars import java

_STORE = "broker.p12"
_AUTHORITY = "authority.pem"
_KEY = "broker-key"
_SETTINGS = """\
listeners=PLAINTEXT://127.0.0.1:{open},CONTROLLER://127.0.0.1:{controller},SECURED://127.0.0.1:{port}
advertised.listeners=PLAINTEXT://127.0.0.1:{open},SECURED://127.0.0.1:{port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL
inter.broker.listener.name=PLAINTEXT
listener.name.secured.sasl.enabled.mechanisms=PLAIN
listener.name.secured.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required {users};
listener.name.secured.ssl.keystore.location={store}
listener.name.secured.ssl.keystore.password={key}
listener.name.secured.ssl.keystore.type=PKCS12
"""


@dataclass(frozen=True)
class Secured:
    """The listener at `port`, with names and passwords of `users`; its certificate is in `folder`."""

    port: int
    users: Mapping[str, str]
    folder: Path

    @property
    def address(self) -> str:
        """What clients are told."""
        return f"127.0.0.1:{self.port}"

    @property
    def authority(self) -> Path:
        """The certificate that clients have to trust, as PEM: `ssl.ca.location`."""
        return self.folder / _AUTHORITY

    def settings(self, port: int, controller: int) -> str:
        """What the broker is told; `port` and `controller` are its other listeners."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.authority.exists():
            self._certify()
        users = " ".join(f'user_{name}="{_escaped(password)}"' for name, password in self.users.items())
        places = {"open": port, "controller": controller, "port": self.port, "store": self.folder / _STORE}
        return _SETTINGS.format(**places, users=users, key=_KEY)

    def _certify(self) -> None:
        """A key with a certificate that it signed itself, and the certificate alone."""
        store = ("-alias", "broker", "-keystore", str(self.folder / _STORE), "-storetype", "PKCS12", "-storepass", _KEY)
        name = ("-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "3650")
        self._keytool("-genkeypair", "-keyalg", "RSA", "-keysize", "2048", *name, *store)
        self._keytool("-exportcert", "-rfc", "-file", str(self.authority), *store)

    def _keytool(self, *words: str) -> None:
        program = Path(java()).with_name("keytool")
        done = subprocess.run([str(program), *words], capture_output=True, text=True, check=False)
        if done.returncode:
            message = f"no certificate can be made: {(done.stdout + done.stderr).strip().splitlines()[-1]}"
            raise VeloError(message, hint="keytool comes with Java", code="java-missing")


def _escaped(password: str) -> str:
    """As JAAS has it in quotes, within a file of properties, which takes a backslash away."""
    return password.replace("\\", "\\\\").replace('"', '\\"').replace("\\", "\\\\")
