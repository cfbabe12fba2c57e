"""What a stranger needs to pick the project up."""

import re
import subprocess
import tomllib

import pytest
from tests.project.modules import ROOT

from velostream import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def tracked() -> list[str]:
    answer = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.splitlines()


def test_the_license_is_apache() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert PROJECT["project"]["license"] == "Apache-2.0"


def test_velo_and_velo_sql_are_one_program() -> None:
    scripts = PROJECT["project"]["scripts"]
    assert scripts["velo"] == scripts["velo-sql"]


def test_the_version_is_the_same_everywhere() -> None:
    assert PROJECT["project"]["version"] == __version__
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_every_dependency_is_pinned() -> None:
    pinned = {line.split("==")[0].casefold() for line in (ROOT / "constraints.txt").read_text().split()}
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["dev"]]
    names = {re.match(r"[\w-]+", requirement)[0].casefold() for requirement in wanted}  # type: ignore[index]
    assert names <= pinned


@pytest.mark.parametrize("target", ["setup", "demo", "test", "lint", "bench", "docs", "help"])
def test_make_has_the_target_and_explains_it(target: str) -> None:
    answer = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.search(rf"^  make {target}\s+\w", answer.stdout, re.MULTILINE)


@pytest.mark.parametrize("target", ["demo", "test", "lint", "bench", "docs"])
def test_every_target_builds_the_environment_first(target: str) -> None:
    rules = (ROOT / "Makefile").read_text()
    assert re.search(rf"^{target}:.*\bsetup\b", rules, re.MULTILINE)


def test_ci_runs_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert script.read_text().rstrip().endswith("make test")


@pytest.mark.parametrize("folder", ["getting-started.md", "guides", "concepts", "reference", "contribute/walk.md"])
def test_the_docs_have_their_parts(folder: str) -> None:
    assert (ROOT / "docs" / folder).exists()


def test_the_two_commands_are_at_the_top_of_the_readme() -> None:
    top = "\n".join((ROOT / "README.md").read_text().splitlines()[:15])
    assert "make demo" in top
    assert "make test" in top


def test_no_file_speaks_of_somebodys_machine() -> None:
    machine = re.compile(r"/(?:home|Users|work|root)/[a-z]")
    for name in tracked():
        path = ROOT / name
        if path.suffix in (".py", ".md", ".sql", ".yaml", ".toml", ".sh", "") and path.is_file():
            assert not machine.search(path.read_text(errors="replace")), name
