"""Configuration files extend each other; what is wrong in them is shown with file and line."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from velostream.config.config_file import ConfigFiles
from velostream.config.origin import Layer
from velostream.diagnostics import Findings


class Files:
    def __init__(self, folder: Path, variables: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.variables = variables or {}
        self.findings = Findings()

    def write(self, **texts: str) -> "Files":
        for name, text in texts.items():
            path = self.folder / name.replace("__", "/")
            path = path.with_name(path.name + ".yaml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return self

    def read(self, name: str) -> dict[str, str]:
        reader = ConfigFiles(self.folder, self.variables)
        entries = reader.entries(name, Layer.CONFIG, self.findings, None)
        self.places = {entry.key: entry.origin.place for entry in entries}
        return {entry.key: entry.text for entry in entries}

    @property
    def problems(self) -> list[tuple[str, str]]:
        return [(finding.code, finding.message) for finding in self.findings.found]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_a_file_extends_another_and_overrides_it(files: Files) -> None:
    files.write(base="topic: a\nwatermark:\n  scope: source\n  idle_timeout: 1m", child="extends: base.yaml\ntopic: b")
    assert files.read("child.yaml") == {"topic": "b", "watermark.scope": "source", "watermark.idle_timeout": "1m"}
    assert files.places == {
        "topic": "child.yaml:2",
        "watermark.scope": "base.yaml:3",
        "watermark.idle_timeout": "base.yaml:4",
    }


def test_extends_is_relative_to_the_file_that_says_it(files: Files) -> None:
    files.write(conf__child="extends: ../base/b.yaml\nx: 1", base__b="y: 2\nextends: c.yaml", base__c="z: 3")
    assert files.read("conf/child.yaml") == {"x": "1", "y": "2", "z": "3"}
    assert files.places["z"] == "base/c.yaml:1"


def test_of_several_parents_the_later_one_wins_and_the_file_itself_over_both(files: Files) -> None:
    files.write(a="x: a\ny: a\nz: a", b="x: b\ny: b", c="extends: [a.yaml, b.yaml]\nx: c")
    assert files.read("c.yaml") == {"x": "c", "y": "b", "z": "a"}


def test_a_list_replaces_the_list_that_it_inherits(files: Files) -> None:
    files.write(base="key: [a, b, c]\nother: [x]\nplain: 1", child="extends: base.yaml\nkey: [d]\nother: y\nplain: [2]")
    assert files.read("child.yaml") == {"key[0]": "d", "other": "y", "plain[0]": "2"}


def test_a_file_may_be_extended_twice_without_a_circle(files: Files) -> None:
    files.write(root="x: 1", a="extends: root.yaml", b="extends: root.yaml\ny: 2", c="extends: [a.yaml, b.yaml]")
    assert files.read("c.yaml") == {"x": "1", "y": "2"}


def test_variables_are_put_in_values_and_in_extends_and_not_in_keys(files: Files) -> None:
    files.variables["ENV"] = "prod"
    files.write(prod="x: ${ENV}", child="extends: ${ENV}.yaml\ny: ${MISSING:d}\n${ENV}: k")
    assert files.read("child.yaml") == {"x": "prod", "y": "d", "${ENV}": "k"}


def test_a_circle_is_shown(files: Files) -> None:
    files.write(a="extends: b.yaml", b="extends: c.yaml", c="extends: b.yaml")
    assert files.read("a.yaml") == {}
    message = "configuration files extend each other in a circle: b.yaml → c.yaml → b.yaml"
    assert files.problems == [("invalid-config", message)]


def test_a_file_that_extends_itself_is_a_circle(files: Files) -> None:
    files.write(a="extends: ./a.yaml")
    files.read("a.yaml")
    assert "a.yaml → a.yaml" in files.problems[0][1]


def test_a_missing_file_is_named_with_what_looks_like_it(files: Files) -> None:
    files.write(trades="x: 1")
    files.read("trade.yaml")
    assert files.problems == [("missing-config", "configuration file 'trade.yaml' is not there")]
    assert "did you mean 'trades.yaml'?" in files.findings.found[0].hint


def test_a_missing_parent_and_a_missing_folder_are_named(files: Files) -> None:
    files.write(a="extends: nowhere/b.yaml")
    files.read("a.yaml")
    files.read("a.yaml/inside.yaml")
    assert [message for _, message in files.problems] == [
        "configuration file 'nowhere/b.yaml' is not there",
        "configuration file 'a.yaml/inside.yaml' is not there",
    ]


def test_all_missing_variables_are_found_at_once_and_the_rest_is_kept(files: Files) -> None:
    files.write(a="x: ${ONE}\ny: ok\nz: ${TWO}")
    assert files.read("a.yaml") == {"y": "ok"}
    assert files.problems == [
        ("missing-variable", "a.yaml:1: variable 'ONE' is not set"),
        ("missing-variable", "a.yaml:3: variable 'TWO' is not set"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "a.yaml: line 1"),
        ("extends: {a: b}", "a.yaml:1: 'extends' takes the name of a file"),
        ("extends: ' '", "a.yaml:1: 'extends' takes the name of a file"),
        ("extends: ${NOPE}", "a.yaml:1: variable 'NOPE' is not set"),
    ],
)
def test_what_cannot_be_used_is_refused_with_file_and_line(files: Files, text: str, message: str) -> None:
    files.write(a=text)
    assert files.read("a.yaml") == {}
    assert files.problems[0][1].startswith(message)


def test_a_file_that_is_not_text_and_a_folder_are_refused(files: Files) -> None:
    (files.folder / "b.yaml").write_bytes(b"\xff\xfe\x00")
    (files.folder / "d.yaml").mkdir()
    files.read("b.yaml")
    files.read("d.yaml")
    assert [code for code, _ in files.problems] == ["invalid-config", "invalid-config"]
    assert "not UTF-8" in files.problems[0][1]


def test_a_file_outside_of_the_folder_is_shown_by_its_path(files: Files, tmp_path: Path) -> None:
    inner = tmp_path / "sql"
    inner.mkdir()
    (tmp_path / "shared.yaml").write_text("x: 1")
    entries = ConfigFiles(inner, {}).entries("../shared.yaml", Layer.CONFIG, Findings(), None)
    assert entries[0].origin.place == f"{tmp_path / 'shared.yaml'}:1"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    layers=st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b.c", "b.d", "e_f"]), st.text("xyz", min_size=1, max_size=3), min_size=1
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_chain_of_files_is_like_overriding_key_by_key(tmp_path: Path, layers: list[dict[str, str]]) -> None:
    expected: dict[str, str] = {}
    for index, values in enumerate(layers):
        text = "".join(f"{key}: '{value}'\n" for key, value in values.items())
        parent = f"extends: f{index - 1}.yaml\n" if index else ""
        (tmp_path / f"f{index}.yaml").write_text(parent + text)
        expected |= values
    findings = Findings()
    entries = ConfigFiles(tmp_path, {}).entries(f"f{len(layers) - 1}.yaml", Layer.CONFIG, findings, None)
    assert {entry.key: entry.text for entry in entries} == expected
    assert not findings.found
