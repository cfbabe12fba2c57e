"""The generated pages say what the code says."""

import pytest
from tests.project.modules import ROOT

from velostream.cli.pages import PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    path = ROOT / "docs" / "reference" / name
    assert path.read_text("utf-8") == PAGES[name](), f"run 'make docs': {name} is not what the code says"
