"""The jars that connectors need beside pyspark: which they are, where they are kept, and how they come there.

They are fetched once, by the Ivy that pyspark ships, into a cache folder; a folder of jars (`--jars`, `VELO_JARS`)
takes the place of that where nothing can be fetched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from velostream.errors import VeloError

CACHE, FOLDERS, SETTINGS = "VELO_CACHE", "VELO_JARS", "VELO_IVY_SETTINGS"
"""Variables of the environment: where fetched jars are kept, where jars are that need not be fetched, and a file of
settings for Ivy, which names other repositories."""
_PATIENCE = 300.0
"""Seconds for one jar."""


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A jar by the names that repositories have for it."""

    group: str
    artifact: str
    version: str

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.artifact}-{self.version}.jar"

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"


KAFKA = (
    Coordinate("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    Coordinate("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    Coordinate("org.apache.kafka", "kafka-clients", "3.9.2"),
    Coordinate("org.apache.commons", "commons-pool2", "2.13.1"),
)
"""Spark's Kafka connector, of the same minor version as pyspark; all else that it needs is in pyspark."""
DELTA = (
    Coordinate("io.delta", "delta-spark_4.2_2.13", "4.4.0"),
    Coordinate("io.delta", "delta-storage", "4.4.0"),
)
"""Delta for the same minor version of Spark as pyspark; both parts are of one version."""
CONNECTORS: dict[str, tuple[Coordinate, ...]] = {"kafka_source": KAFKA, "delta_sink": DELTA}
"""What each connector needs. Kafka's sink writes with a client of its own."""


def cache_folder() -> Path:
    """Where fetched things are kept: `VELO_CACHE`, else the user's cache folder."""
    told = os.environ.get(CACHE)
    if told:
        return Path(told)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "velostream"


def jars_of(
    connectors: Iterable[str], given: Sequence[str] = (), say: Callable[[str], None] | None = None
) -> tuple[Path, ...]:
    """The jars for a session: those that the connectors need, fetched if they are not there yet, and those given.

    `given` are folders and files named by the user, after which come those of `VELO_JARS`. Each jar of a connector is
    taken from there where it is, in whatever version; `say` is told what is fetched.
    """
    own = _listed([*given, *filter(None, os.environ.get(FOLDERS, "").split(","))])
    wanted = dict.fromkeys(jar for connector in connectors for jar in CONNECTORS.get(connector, ()))
    missing = [jar for jar in wanted if not any(_is(file, jar) for file in own)]
    return (*own, *fetched(missing, say))


def fetched(jars: Sequence[Coordinate], say: Callable[[str], None] | None = None) -> tuple[Path, ...]:
    """The jars in the cache; those that are not there are fetched first, one after another."""
    folder = cache_folder() / "jars"
    absent = [jar for jar in jars if not (folder / jar.file).exists()]
    if absent:
        with locked(folder):
            for number, jar in enumerate(absent, start=1):
                if not (folder / jar.file).exists():
                    (say or _quiet)(f"fetching {jar.file} ({number} of {len(absent)}, once) into {folder}")
                    fetch(jar, folder, ("-confs", "master", "-notransitive"), jars)
    return tuple(folder / jar.file for jar in jars)


def fetch(jar: Coordinate, folder: Path, options: Sequence[str], together: Sequence[Coordinate]) -> None:
    """Fetches a jar with Ivy, and what `options` ask for beside it; files come into the folder whole."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as aside:
        command = [java(), "-jar", str(_ivy()), "-cache", str(cache_folder() / "ivy")]
        settings = os.environ.get(SETTINGS)
        command += ["-settings", settings] if settings else []
        command += ["-dependency", jar.group, jar.artifact, jar.version, *options]
        command += ["-retrieve", f"{aside}/[artifact]-[revision].[ext]"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
            said = done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            said = f"no answer for {_PATIENCE:.0f} seconds"
        files = sorted(Path(aside).glob("*.jar"))
        if not any(file.name == jar.file for file in files):
            raise _missing(jar, said, together)
        for file in files:
            file.replace(folder / file.name)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Inside, no other process fetches into the folder."""
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        hint = f"set {CACHE} to a folder that can be written"
        raise VeloError(f"'{folder}' cannot be used as a cache: {error}", hint=hint, code="file-unusable") from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def java() -> str:
    """The Java that Spark takes too."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"


def _ivy() -> Path:
    import pyspark

    return next(iter(sorted(Path(pyspark.__file__).parent.glob("jars/ivy-*.jar"))))


def _listed(places: Iterable[str]) -> list[Path]:
    """The jars of folders and files that a user named."""
    found: list[Path] = []
    for place in places:
        path = Path(place).expanduser()
        files = sorted(path.glob("*.jar")) if path.is_dir() else [path] if path.is_file() else []
        if not files:
            what = "has no jars" if path.is_dir() else "is not there"
            raise VeloError(f"'{place}' {what}", hint="name a folder of jars, or a jar", code="file-not-found")
        found += [file.absolute() for file in files]
    return list(dict.fromkeys(found))


def _is(file: Path, jar: Coordinate) -> bool:
    rest = file.name.removeprefix(f"{jar.artifact}-")
    return rest != file.name and rest[:1].isdigit()


def _missing(jar: Coordinate, said: str, together: Sequence[Coordinate]) -> VeloError:
    """The error for a jar that cannot be had; the last words of Ivy that tell why."""
    marks = ("UNRESOLVED", "not found", "FAILED", "Exception", "no answer", "Connection", "Error")
    lines = [line.strip(" :\t") for line in said.splitlines() if any(mark in line for mark in marks)]
    why = f": {lines[0]}" if lines else ""
    names = ", ".join(map(str, together))
    hint = f"put {names} into a folder and name it with --jars DIR or {FOLDERS}"
    return VeloError(f"'{jar}' is needed and cannot be fetched{why}", hint=hint, code="missing-jars")


def _quiet(text: str) -> None:
    """Says nothing."""


def loud(text: str) -> None:
    """Says it to the person who waits."""
    print(text, file=sys.stderr, flush=True)
