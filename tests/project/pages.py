"""The documentation's pages and their examples.

A comment right before a fenced block says what is to be done with it:

    <!-- given -->            the block's SQL stands before every later SQL block of the page
    <!-- error: some-code --> the block is wrong, and validation says so with this code
    <!-- file: app.sql -->    the block is also written to a file of that name, for the commands of the page
    <!-- run -->              a console block whose commands are run, and whose output must be the one shown

A block of SQL without a comment is an application that validates.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.project.modules import ROOT

_BLOCK = re.compile(
    r"(?:^<!--\s*(?P<mark>.*?)\s*-->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    body: str
    mark: str = ""

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_run(self) -> bool:
        """True for commands whose output is checked."""
        return self.language == "console" and self.marked("run") is not None

    def marked(self, word: str) -> str | None:
        """What stands behind `word:` in the comment, empty for the bare word; None where it is another comment."""
        head, _, rest = self.mark.partition(":")
        return rest.strip() if head.strip() == word else None


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(
            page,
            text.count("\n", 0, found.start("language")) + 1,
            found["language"],
            found["body"],
            found["mark"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]


def shown(block: Block, folder: Path) -> str:
    """A console block as it should be: its commands, each with what it prints in a folder that has the page's files."""
    for other in blocks(block.page):
        name = other.marked("file")
        if name and other.line < block.line:
            (folder / name).write_text(other.body)
    lines = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            lines += [line, *_output(line.removeprefix("$ "), folder).splitlines()]
    return "\n".join(lines)


def _output(command: str, folder: Path) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    answer = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False)
    return (answer.stdout + answer.stderr).decode()


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [block for page in PAGES if page.exists() for block in blocks(page)]
