"""A schema file is read by its ending, and every error names it."""

from pathlib import Path

import pytest

from velostream.errors import InvalidSchema, NotFound
from velostream.formats.schemas.file import read_schema


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.avsc", '{"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}'),
        ("a.json", '{"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}'),
        ("a.json", '{"type": "object", "properties": {"id": {"type": "integer"}}}'),
        ("a.json", '[{"name": "id", "type": "BIGINT"}]'),
        ("a.proto", 'syntax = "proto3"; message M { int64 id = 1; }'),
        ("a.sql", "id BIGINT -- the id\n"),
        ("a.DDL", "CREATE TABLE t (id BIGINT)"),
        ("a.txt", "\ufeffid BIGINT"),
        ("a.yaml", "- {name: id, type: BIGINT}"),
        ("a.yml", "columns:\n  id: BIGINT"),
        ("a.yaml", "id: BIGINT"),
        ("a.yaml", "fields:\n  - name: id\n    type: bigint\n    nullable: false\n    doc: the id"),
    ],
)
def test_every_kind_of_schema_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    (field,) = read_schema(tmp_path / name)
    assert (field.name, str(field.type)) == ("id", "BIGINT")


def test_keys_in_a_list_are_never_null(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("- {name: id, type: BIGINT, key: true}")
    (field,) = read_schema(tmp_path / "a.yaml")
    assert (field.key, field.nullable) == (True, False)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.avsc", "{", "schema file 'a.avsc': not JSON"),
        ("a.json", "{", "schema file 'a.json': not JSON"),
        ("a.yaml", "", "there are no columns"),
        ("a.yaml", "[", "not YAML"),
        ("a.yaml", "- 5", "'5' is not a column"),
        ("a.yaml", "- {name: a, typ: INT}", "is not a column"),
        ("a.yaml", "- {name: a}", "column 'a' needs a type"),
        ("a.yaml", "- {name: a, type: INT, nullable: perhaps}", "true or false"),
        ("a.yaml", "a: INTT", "column 'a': 'INTT' is not a type"),
        ("a.yaml", "[{name: a, type: INT}, {name: A, type: INT}]", "'a' is listed twice"),
        ("a.sql", "id", "'id' is not a column"),
        ("a.xml", "<a/>", "'a.xml' is not a schema file"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_name_of_the_file(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidSchema) as refusal:
        read_schema(tmp_path / name)
    assert message in refusal.value.message


def test_a_file_that_is_not_there_is_refused_with_what_looks_like_it(tmp_path: Path) -> None:
    (tmp_path / "trade.avsc").write_text("{}")
    with pytest.raises(NotFound) as refusal:
        read_schema(tmp_path / "trades.avsc")
    assert "did you mean 'trade.avsc'?" in refusal.value.hint
    with pytest.raises(NotFound):
        read_schema(tmp_path / "nowhere" / "trades.avsc")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_bytes(b"\xff\xff")
    (tmp_path / "b.sql").mkdir()
    for name in ("a.sql", "b.sql"):
        with pytest.raises(InvalidSchema, match="cannot be read"):
            read_schema(tmp_path / name)


def test_a_message_is_for_proto_files_only(tmp_path: Path) -> None:
    with pytest.raises(InvalidSchema, match="has no messages"):
        read_schema(tmp_path / "a.sql", "M")
