"""`velo docs`: writes the reference pages that come from the code."""

from __future__ import annotations

from pathlib import Path

import click

from velostream.errors import NotFound


@click.command("docs", short_help="Write the reference pages.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit with 2 when a page is not up to date.")
@click.pass_context
def command(ctx: click.Context, *, folder: Path, check: bool) -> None:
    """Write the generated reference pages into FOLDER.

    \b
    Examples:
      velo docs docs/reference
      velo docs --check docs/reference
    """
    if not folder.is_dir():
        raise NotFound(f"there is no folder '{folder}'", hint="create it first")
    stale = [path for path, text in rendered(folder) if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{path} is not up to date" if check else f"wrote {path}")
    if check:
        ctx.exit(2 if stale else 0)
    for path, text in rendered(folder):
        if path in stale:
            path.write_text(text, "utf-8")
    if not stale:
        print("all pages are up to date")


def rendered(folder: Path) -> list[tuple[Path, str]]:
    """Each page's file and text."""
    from velostream.cli.pages import PAGES

    return [(folder / name, page()) for name, page in PAGES.items()]
