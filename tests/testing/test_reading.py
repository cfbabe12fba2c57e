from pathlib import Path

import pytest

from velostream.errors import NotFound
from velostream.positions import Text
from velostream.testing.document import InvalidSpec
from velostream.testing.reading import read_specs, read_text, spec_files
from velostream.testing.spec import NEVER, Case, Expected


def read(text: str) -> list[Case]:
    return read_text(Text(text, "spec.yaml"), Path("spec.yaml"))


def test_a_file_may_be_one_case() -> None:
    [case] = read("sql: SELECT 1 AS one\nexpect: [{one: 1}]")
    assert case.name == "spec"
    assert case.runs
    assert isinstance(case.expected, Expected)
    assert case.stop is None


def test_what_stands_before_all_cases_stands_before_each() -> None:
    text = "setup: SET 'x' = '1';\nset: {a: 1, b: true}\nday: 2020-02-02\ncases:\n"
    first, second = read(text + "- {name: p, sql: X, set: {a: 2}}\n- {name: q, sql: Y, stop: never, day: 2021-01-01}\n")
    assert first.whole == "SET 'x' = '1';\nX"
    assert first.settings == {"a": "2", "b": "true"}
    assert (first.day, second.day) == ("2020-02-02", "2021-01-01")
    assert second.stop == NEVER


def test_a_case_that_is_only_checked_has_no_warnings_but_those_it_names() -> None:
    checked, refused, run = read(
        "cases:\n- {name: a, sql: X}\n- {name: b, sql: X, refuses: [syntax 1:1]}\n- {name: c, sql: X, inputs: {s: []}}"
    )
    assert checked.findings.warns == ()
    assert refused.findings.warns is None
    assert run.findings.warns is None


def test_inputs_may_be_rows_batches_files_or_generated() -> None:
    [case] = read(
        "sql: X\ninputs:\n  a: [{x: 1}]\n  b: {batches: [[{x: 1}], []], partitions: 3}\n"
        "  c: {files: {path: in, format: csv}}\n  d: {generate: {rows: 5}}\n"
    )
    assert len(case.given["a"].batches) == 1
    assert case.given["a"].known is None
    assert len(case.given["b"].batches) == 2
    assert case.given["b"].known == (0, 1, 2)
    assert case.given["c"].settings == {"type": "file_source", "path": "in", "format": "csv"}
    assert case.given["d"].settings == {"type": "datagen_source", "rows": "5"}


def test_batches_give_the_clock_and_all_sources_in_step() -> None:
    [case] = read(
        "sql: X\nbatches:\n- {clock: '00:01', inputs: {a: [{x: 1}]}}\n- {clock: '00:02', inputs: {b: [{y: 1}]}}\n"
        "- {clock: '00:03'}\n"
    )
    assert [len(batch) for batch in case.given["a"].batches] == [1, 0, 0]
    assert [len(batch) for batch in case.given["b"].batches] == [0, 1, 0]
    assert [clock // 60_000_000 % 60 for clock in case.clocks] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "message", "hint", "line"),
    [
        ("sql: X\nexpects: []", "a case has no key 'expects'", "did you mean 'expect'", 2),
        ("cases:\n- {name: a, sql: X}\n- {name: a, sql: X}", "two cases are named 'a'", "rename", 3),
        ("cases: []", "'cases' is a list", "- name", 1),
        ("- a", "is a mapping", "cases", 1),
        ("cases: [5]", "a case is a mapping", "sql", 1),
        ("sql: X\napp: y.sql", "either 'sql' or 'app'", "sql", 1),
        ("app: nowhere.sql", "cannot read the application 'nowhere.sql'", "folder", 1),
        ("sql: X\nexpect:\n  rows: [{a: 1}]\n  order: true", "has no key 'order'", "did you mean 'ordered'", 4),
        ("sql: X\nexpect:\n  job:\n    row: []", "has no key 'row'", "did you mean 'rows'", 4),
        ("sql: X\nexpect: 5", "says nothing", "rows", 2),
        ("sql: X\nexpect: {job: 5}", "'job' expects nothing", "rows", 2),
        ("sql: X\nexpect: {ordered: true}", "no effect without 'rows'", "rows", 2),
        ("sql: X\nexpect: {newest: [a]}", "no effect without 'rows'", "rows", 2),
        ("sql: X\nexpect: {rows: [], ordered: 5}", "true or false", "ordered: true", 2),
        ("sql: X\nexpect: [5]", "a row is a mapping", "column: value", 2),
        ("sql: X\nexpect: {count: x}", "whole number", "count", 2),
        ("sql: X\ninputs:\n  s: 5", "'s' has no rows", "column", 3),
        ("sql: X\ninputs:\n  s: {row: []}", "input 's' has no key 'row'", "rows", 3),
        ("sql: X\ninputs:\n  s: {rows: [], files: {}}", "needs one of", "keep one", 3),
        ("sql: X\ninputs:\n  s: {generate: {}, partitions: 4}", "partitions of its own", "generate", 3),
        ("sql: X\ninputs:\n  s: {rows: [], partitions: x}", "how many there are", "4", 3),
        ("sql: X\ninputs:\n  s: {batches: [{a: 1}]}", "list of lists", "column", 3),
        ("sql: X\ninputs: {}\nbatches: []", "exclude each other", "keep one", 3),
        ("sql: X\nbatches:\n- {clock: soon}", "'soon' is not a time", "10:05:03", 3),
        ("sql: X\nbatches:\n- {inputs: {s: []}}\n- {clock: 5}", "before have no clock", "every", 4),
        ("sql: X\nbatches:\n- {clock: 5}\n- {}", "before have a clock", "every", 4),
        ("sql: X\nbatches:\n- {inputs: {s: 5}}", "'s' is a list of rows", "column", 3),
        ("sql: X\nbatches:\n- {clock: 5}", "no micro-batch has inputs", "source", 2),
        ("sql: X\nday: soon", "'soon' is not a day", "2024", 2),
        ("sql: X\nstop: 0", "at least 1", "stop: 1", 2),
        ("sql: X\nset: 5", "'set' is a mapping", "value", 2),
        ("sql: X\nrefuses: {a: 1}", "list of texts", "refuses", 2),
        ("sql: [X]", "'sql' is a text", "sql", 1),
        ("sql: X\nprinted: 5", "list of lines", "k=a", 2),
        ("sql: X\nfails: {cod: x}", "has no key 'cod'", "did you mean 'code'", 2),
    ],
)
def test_a_specification_that_cannot_be_used_says_where_and_what_to_do(
    text: str, message: str, hint: str, line: int
) -> None:
    with pytest.raises(InvalidSpec, match=message) as refusal:
        read(text)
    assert hint in refusal.value.hint
    assert refusal.value.span is not None
    assert refusal.value.span.line == line


def test_an_application_is_looked_for_beside_its_specification(tmp_path: Path) -> None:
    (tmp_path / "app.sql").write_text("SELECT 1 AS one")
    (tmp_path / "app.yaml").write_text("name: x\napp: app.sql\n")
    [case] = read_specs(tmp_path / "app.yaml")
    assert case.sql == "SELECT 1 AS one"
    assert case.folder == tmp_path


def test_a_folder_means_its_specifications_and_not_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "one.yaml").write_text("sql: X\n")
    (tmp_path / "two.yml").write_text("cases: []\n")
    (tmp_path / "prod.yaml").write_text("allowed: {lateness: 5m}\n")
    assert [file.name for file in spec_files(tmp_path)] == ["one.yaml", "two.yml"]


def test_a_missing_file_is_an_error_that_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text("sql: X\n")
    with pytest.raises(NotFound) as refusal:
        spec_files(tmp_path / "spec.yml")
    assert "spec.yaml" in refusal.value.hint
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFound, match="no specification"):
        spec_files(tmp_path / "empty")
