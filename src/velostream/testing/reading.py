"""From YAML files to cases. Whatever is wrong is an error at its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from velostream.errors import NotFound, VeloError
from velostream.positions import Text
from velostream.registry import did_you_mean
from velostream.testing.document import Items, Place, Table, read_document
from velostream.testing.expectations import read_expected
from velostream.testing.given import read_batches, read_inputs
from velostream.testing.keys import CASE, FAILURE, FILE, names
from velostream.testing.spec import DAY, NEVER, Case, Findings
from velostream.testing.taking import flag_or_text, integer, table, text, texts
from velostream.testing.times import of_text

_ENDINGS = (".yaml", ".yml")


def spec_files(path: Path) -> list[Path]:
    """The specifications that a path names: a file, or all of a folder and below."""
    if not path.exists():
        beside = sorted(each.name for each in path.parent.iterdir()) if path.parent.is_dir() else []
        hint = did_you_mean(path.name, beside) or "name a .yaml file, or a folder of them"
        raise NotFound(f"there is no file '{path}'", hint=hint)
    if path.is_file():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.suffix in _ENDINGS and file.is_file() and _is_spec(file))
    if not found:
        raise NotFound(f"there is no specification in '{path}' or below", hint="name the files, or another folder")
    return found


def _is_spec(file: Path) -> bool:
    """True for a file of a folder that has cases; others may be configuration that applications use."""
    lines = file.read_text("utf-8", errors="replace").splitlines()
    return any(line.startswith(("cases:", "sql:", "app:")) for line in lines)


def read_specs(path: Path) -> list[Case]:
    """The cases of a file."""
    try:
        content = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise VeloError(f"cannot read '{path}': {reason}", hint="name a YAML file", code="unreadable-file") from None
    return read_text(Text(content, str(path)), path)


def read_text(content: Text, path: Path) -> list[Case]:
    """The cases of a text, which stands in the file `path`."""
    root = read_document(content)
    if not isinstance(root, Table):
        raise Place(content, 0, 1).refuse("a specification is a mapping", "begin with cases:, or with name: and sql:")
    if "cases" not in root:
        return [_case(root, path, Table(root.place))]
    root.only(names(FILE), "a file of cases")
    members = root["cases"]
    if not isinstance(members, Items) or not members:
        raise root.refuse("cases", "'cases' is a list of cases", "write '- name: …' below it")
    found: list[Case] = []
    for member, place in zip(members, members.places, strict=True):
        if not isinstance(member, Table):
            raise place.refuse("a case is a mapping", "write name:, sql: and what is expected")
        case = _case(member, path, root)
        if any(case.name == other.name for other in found):
            raise member.refuse("name", f"two cases are named '{case.name}'", "rename one")
        found.append(case)
    return found


def _case(own: Table, path: Path, file: Table) -> Case:
    own.only(names(CASE), "a case")
    sql, sql_name, folder = _sql(own, path)
    before = text(file, "setup") if "sql" in own else ""
    inputs_given = "inputs" in own or "batches" in own
    case = Case(
        name=text(own, "name") or path.stem,
        file=path,
        place=own.places.get("name", own.place),
        sql=sql,
        sql_name=sql_name,
        folder=folder,
        before=before.rstrip() + "\n" if before.strip() else "",
        settings={**_settings(file, "set"), **_settings(own, "set")},
        preset=text(own, "preset") or text(file, "preset"),
        variables=_settings(own, "variables") if "variables" in own else _settings(file, "variables") or None,
        findings=_findings(own, strict=not inputs_given and "expect" not in own),
        day=_day(own) or _day(file) or DAY,
        expected=read_expected(own),
        fails=_fails(own),
        printed=_printed(own),
        stop=_stop(own),
    )
    return _with_inputs(case, own)


def _with_inputs(case: Case, own: Table) -> Case:
    if "inputs" in own and "batches" in own:
        raise own.refuse("batches", "'inputs' and 'batches' exclude each other", "keep one")
    if "batches" in own:
        given, clocks = read_batches(own, case.day)
        return replace(case, given=given, clocks=clocks)
    return replace(case, given=read_inputs(own))


def _sql(own: Table, path: Path) -> tuple[str, str, Path]:
    """The SQL of a case, the name that findings show, and the folder that its paths start from."""
    if ("app" in own) == ("sql" in own):
        raise own.refuse("sql", "a case has either 'sql' or 'app'", "write sql: |, or app: and a file")
    if "sql" in own:
        return text(own, "sql"), "case.sql", path.parent
    file = path.parent / text(own, "app")
    try:
        return file.read_text("utf-8"), str(file), file.parent
    except (OSError, ValueError):
        beside = sorted(each.name for each in file.parent.glob("*.sql")) if file.parent.is_dir() else []
        hint = did_you_mean(file.name, beside, "files there") or "paths start from the specification's folder"
        raise own.refuse("app", f"cannot read the application '{text(own, 'app')}'", hint) from None


def _settings(own: Table, key: str) -> dict[str, str]:
    return {name: flag_or_text(value) for name, value in table(own, key).items()}


def _findings(own: Table, *, strict: bool) -> Findings:
    """What checking is to find. A case that is only checked has no warnings but those that it names."""
    refuses = texts(own, "refuses")
    warns: tuple[str, ...] | None = texts(own, "warns") if "warns" in own else None
    if warns is None and strict and not refuses:
        warns = ()
    return Findings(
        refuses=refuses,
        warns=warns,
        notes=texts(own, "notes") if "notes" in own else None,
        hints=texts(own, "hints"),
        columns={name: str(kind) for name, kind in table(own, "columns").items()} if "columns" in own else None,
        explains=texts(own, "explains"),
    )


def _day(own: Table) -> str:
    day = text(own, "day")
    if day and of_text(day, day) is None:
        raise own.refuse("day", f"'{day}' is not a day", f"write {DAY}")
    return day


def _fails(own: Table) -> Table | None:
    if "fails" not in own:
        return None
    found = table(own, "fails")
    found.only(names(FAILURE), "'fails'")
    return found


def _printed(own: Table) -> Items | None:
    found = own.get("printed")
    if found is not None and not isinstance(found, Items):
        raise own.refuse("printed", "'printed' is a list of lines", "write - 'k=a  n=2'")
    return found


def _stop(own: Table) -> int | None:
    if own.get("stop") == "never":
        return NEVER
    return integer(own, "stop", least=1)
