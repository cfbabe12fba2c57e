"""A real schema registry for tests: Apicurio, which has Confluent's interface. It needs Java 21 or newer."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from velostream.spark.jars import cache_folder, java, locked

VERSION, LEAST = "3.3.3", 21
_IVY = f"""<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="velostream" module="registry"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
    <dependency org="io.apicurio" name="apicurio-registry-app" rev="{VERSION}" transitive="false"
        conf="default->master">
      <artifact name="apicurio-registry-app" type="tar.gz" ext="tar.gz" m:classifier="all"/>
    </dependency>
  </dependencies>
</ivy-module>
"""


class NoRegistry(Exception):
    """Why there is none here, in one line."""


class SchemaRegistry:
    """A process of its own on a free port of the loopback; what it holds is gone with it."""

    def __init__(self) -> None:
        home, program = _newest_java(), _program()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/apis/ccompat/v7"
        self._log = tempfile.NamedTemporaryFile(suffix=".log")  # noqa: SIM115  it lives as long as the process
        settings = [
            *("-Xmx512m", "-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={port}"),
            *("-Dquarkus.management.enabled=false", "-Dapicurio.rest.artifact.deletion.enabled=true"),
        ]
        command = [str(home / "bin" / "java"), *settings, "-jar", str(program / "quarkus-run.jar")]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT, cwd=program)
        self._wait()

    def _wait(self) -> None:
        ends = time.monotonic() + 90
        while time.monotonic() < ends and self._process.poll() is None:
            try:
                with urlopen(f"{self.url}/subjects", timeout=5):
                    return
            except (URLError, OSError):
                time.sleep(0.3)
        self.close()
        raise NoRegistry(f"the schema registry did not start: {Path(self._log.name).read_text()[-500:]}")

    def close(self) -> None:
        """Ends the process."""
        self._process.terminate()
        self._process.wait(20)


def _newest_java() -> Path:
    """A Java that is new enough, of the usual places."""
    places = [Path(home) for home in (os.environ.get("JAVA_HOME"),) if home]
    for folder in ("/usr/lib/jvm", "/opt", "/Library/Java/JavaVirtualMachines"):
        places += sorted(Path(folder).glob("*"))
    for place in places:
        told = place / "release"
        found = re.search(r'JAVA_VERSION="(\d+)', told.read_text()) if told.is_file() else None
        if found is not None and int(found[1]) >= LEAST and (place / "bin" / "java").exists():
            return place
    raise NoRegistry(f"no Java {LEAST} or newer is here, which a schema registry needs")


def _program() -> Path:
    """The unpacked program, in the cache; fetched by the Ivy that pyspark ships where it is not there."""
    import pyspark

    folder = cache_folder() / f"registry-{VERSION}"
    with locked(cache_folder()):
        if (folder / "quarkus-run.jar").exists():
            return folder
        with tempfile.TemporaryDirectory(dir=cache_folder()) as aside:
            recipe = Path(aside, "ivy.xml")
            recipe.write_text(_IVY)
            ivy = next(iter(sorted(Path(pyspark.__file__).parent.glob("jars/ivy-*.jar"))))
            command = [java(), "-jar", str(ivy), "-cache", f"{aside}/cache", "-ivy", str(recipe)]
            done = subprocess.run(
                [*command, "-retrieve", f"{aside}/[artifact].[ext]"], capture_output=True, timeout=300, check=False
            )
            packed = Path(aside, "apicurio-registry-app.tar.gz")
            if done.returncode or not packed.exists():
                raise NoRegistry("the schema registry cannot be fetched")
            target = Path(aside, "program")
            with tarfile.open(packed) as archive:
                archive.extractall(target, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
            target.replace(folder)
    return folder
