"""Documentation that runs: its SQL validates, its commands print what it shows, its links lead somewhere."""

import re
from pathlib import Path

import pytest
from tests.project.modules import ROOT, SOURCE
from tests.project.pages import BLOCKS, PAGES, Block, blocks, shown

from velostream.sql.words import STATEMENTS
from velostream.validation import validate

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SQL = [block for block in BLOCKS if block.language == "sql"]
RUN = [block for block in BLOCKS if block.is_run]


def given(block: Block) -> str:
    before = [other for other in blocks(block.page) if other.line < block.line and other.marked("given") is not None]
    return "".join(other.body for other in before)


@pytest.mark.parametrize("block", SQL, ids=lambda block: block.name)
def test_the_sql_of_a_page_validates(block: Block) -> None:
    answer = validate(given(block) + block.body, block.name, folder=ROOT / "examples")
    errors = [f"{found.code}: {found.message}" for found in answer.findings.errors]
    expected = block.marked("error")
    if expected is None:
        assert not errors
    else:
        assert [error.split(":")[0] for error in errors] == [expected]


@pytest.mark.parametrize("block", RUN, ids=lambda block: block.name)
def test_the_commands_of_a_page_print_what_it_shows(block: Block, tmp_path: Path) -> None:
    assert shown(block, tmp_path) == block.body.rstrip("\n"), "run 'make docs'"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if not target.startswith(("http://", "https://", "#", "mailto:")):
            path, _, anchor = target.partition("#")
            assert (page.parent / path).exists(), f"{page.name} links to '{target}'"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", (page.parent / path).read_text(), re.MULTILINE)
                anchors = [re.sub(r"[^\w -]", "", heading.casefold()).replace(" ", "-") for heading in headings]
                assert anchor in anchors, f"{page.name} links to '{target}'"


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    seen, waiting = set(), [index]
    while waiting:
        page = waiting.pop()
        if page in seen or not page.exists():
            continue
        seen.add(page)
        targets = (target.partition("#")[0] for target in LINK.findall(page.read_text()))
        waiting += [(page.parent / target).resolve() for target in targets if target.endswith(".md")]
    missing = [page for page in PAGES if page.resolve() not in seen and page.name != "README.md"]
    assert not missing


def test_the_walk_names_files_that_exist() -> None:
    text = (ROOT / "docs" / "contribute" / "walk.md").read_text()
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", text)
    assert len(named) > 30
    beside = ("assigners/", "accumulators/", "emission/", "watermark.py")
    missing = [name for name in named if not (SOURCE / name).exists() and name not in beside]
    assert not missing
    assert not [name for name in beside if not (SOURCE / "windows" / name).exists()]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_is_in_the_reference(statement: str) -> None:
    page = (ROOT / "docs" / "reference" / "statements.md").read_text()
    assert f"`{statement}" in page or f"\n{statement} " in page
