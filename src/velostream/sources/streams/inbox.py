"""What came from the web, kept in files before anybody is told that it is there: a stream of them can be read again.

A file's name has its number and a digest of its content. Files go when the micro-batch that read them is committed, and
now and then the manifest lets them go too.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.sources.streams.files import FileOptions, FileStream, FileStreamReader

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

FAILED = ".failed"
_LAST = ".last"
OLD = 200
"""So many files are gone before the manifest is written without them."""


@dataclass(frozen=True)
class Last:
    """What came last: its number, the digest of its content, and what the server said about its version."""

    number: int = 0
    digest: str = ""
    etag: str = ""
    modified: str = ""


class Inbox:
    """A folder of what came. Used by one process."""

    def __init__(self, folder: Path, ending: str) -> None:
        self.folder = folder
        self.ending = ending
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FAILED).unlink(missing_ok=True)
        self._lock = Lock()
        self.last = self._read()

    def _read(self) -> Last:
        """What came last; where a process died between the file and the note about it, the file's name tells."""
        file = self.folder / _LAST
        noted = Last(**json.loads(file.read_text())) if file.exists() else Last()
        names = sorted(path.name for path in self.folder.glob(f"[0-9]*.{self.ending}"))
        if names and int(names[-1].split("-")[0]) > noted.number:
            number, digest = names[-1].split(".")[0].split("-")
            return Last(int(number), digest)
        return noted

    def put(self, content: bytes, etag: str = "", modified: str = "", *, repeats: bool = False) -> bool:
        """Keeps what came; what is the same as the last one is not kept again unless it `repeats`."""
        with self._lock:
            digest = blake2b(content, digest_size=12).hexdigest()
            same = digest == self.last.digest and not repeats
            number = self.last.number + (not same)
            if not same:
                self._write(self.folder / f"{number:012d}-{digest}.{self.ending}", content)
            self.last = Last(number, digest, etag, modified)
            replace_text(self.folder / _LAST, json.dumps(asdict(self.last)))
            return not same

    def fail(self, error: VeloError) -> None:
        """Leaves why nothing more comes, for the reader of the stream to say."""
        said = {"message": error.message, "hint": error.hint, "code": error.error_code}
        replace_text(self.folder / FAILED, json.dumps(said))

    def _write(self, file: Path, content: bytes) -> None:
        hidden = file.with_name(f".{file.name}")
        with hidden.open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        hidden.replace(file)
        _settle(self.folder)


def _settle(folder: Path) -> None:
    """What came and what went is there, and gone, also after a power cut."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


class InboxReader(FileStreamReader):
    """Reads the files of an inbox, and removes them when they are not needed any more."""

    gone = 0
    """How many files are gone that the manifest on disk still has."""

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        """As files say; an inbox that gets nothing more says why."""
        failed = Path(self.options.path).parent / FAILED
        if failed.exists():
            said = json.loads(failed.read_text())
            raise VeloError(said["message"], hint=said["hint"], code=said["code"])
        return super().latestOffset(start, limit)

    def commit(self, end: dict[str, Any]) -> None:
        """The files of committed micro-batches go."""
        read = self.manifest.taken[: end["files"]]
        for one in read:
            with suppress(FileNotFoundError):
                Path(one.path).unlink()
        self.manifest.let_go(end["files"])
        self.gone += len(read)
        if self.gone >= OLD:
            _settle(Path(self.options.path).parent)  # a file that comes back would be taken anew
            self.manifest.save()
            self.gone = 0


class InboxStream(FileStream):
    """`velo_inbox`: option `files`, FileOptions as JSON."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_inbox"

    def streamReader(self, schema: StructType) -> InboxReader:  # noqa: N802
        """The reader."""
        return InboxReader(FileOptions.read(self.options["files"]), schema)
