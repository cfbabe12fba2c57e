"""Puts what commands print into the pages that show it: `python -m tests.project.refresh`, a part of `make docs`."""

import tempfile
from pathlib import Path

from tests.project.pages import PAGES, blocks, shown


def refreshed(page: Path) -> str:
    """The page's text with what its marked commands print now."""
    text = page.read_text()
    for block in blocks(page):
        if block.is_run:
            with tempfile.TemporaryDirectory() as folder:
                text = text.replace(_fenced(block.body), _fenced(shown(block, Path(folder)) + "\n"))
    return text


def _fenced(body: str) -> str:
    return f"```console\n{body}```"


def stale() -> list[tuple[Path, str]]:
    """Pages that show something else than what is printed, with their right text."""
    with_commands = (page for page in PAGES if any(block.is_run for block in blocks(page)))
    return [(page, text) for page in with_commands if (text := refreshed(page)) != page.read_text()]


if __name__ == "__main__":
    for page, text in stale():
        page.write_text(text)
        print(f"wrote {page.name}")
