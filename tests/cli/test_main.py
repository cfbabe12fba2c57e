"""The command itself: verbs, help, and how errors leave it."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from velostream import __version__
from velostream.cli.main import VERBS, main
from velostream.errors import VeloError


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_bare_and_with_help_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ((), ("--help",), ("-h",)):
        code, out, err = run(capsys, *arguments)
        assert (code, err) == (0, "")
        assert all(f"  {verb}" in out for verb in VERBS)
        assert "velo validate app.sql" in out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_help_with_examples(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    code, out, _ = run(capsys, verb, "--help")
    assert code == 0
    assert "Example" in out
    assert f"velo {verb}" in out
    assert "--debug" in out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"velostream {__version__}\n", "")


def test_an_unknown_verb_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "validat", "x.sql")
    assert (code, out) == (2, "")
    assert err.startswith("error[usage]: there is no verb 'validat'\nhint: did you mean 'validate'?")


@pytest.mark.parametrize(
    "arguments", [("--frobnicate",), ("validate", "--formt", "json"), ("validate", "--format", "xml")]
)
def test_a_wrong_option_is_a_user_error_with_a_way_out(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error[usage]: ")
    assert "--help" in err


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """The verb `functions` as it would be with a defect in it."""

    def body() -> None:
        raise error

    import velostream.cli.functions as verb

    monkeypatch.setattr(verb, "command", click.Command("functions", callback=body))


@pytest.mark.parametrize(("code", "status"), [("invalid-window", 2), ("source-unreadable", 3), ("invalid-plan", 70)])
def test_the_domain_of_an_error_is_the_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, code: str, status: int
) -> None:
    raising(monkeypatch, VeloError("no such thing", hint="make one", code=code))
    assert run(capsys, "functions") == (status, "", f"error[{code}]: no such thing\nhint: make one\n")


def test_a_defect_is_one_line_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    raising(monkeypatch, ZeroDivisionError("division by zero\nsecond line"))
    code, out, err = run(capsys, "functions")
    assert (code, out) == (70, "")
    assert err.splitlines()[0] == "error[internal]: ZeroDivisionError: division by zero"
    assert "--debug" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [("--debug", "functions"), ("functions", "--debug")])
def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    raising(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        main(arguments)


def test_a_defect_without_words_is_named_by_its_kind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    raising(monkeypatch, ZeroDivisionError())
    assert run(capsys, "functions")[2].startswith("error[internal]: ZeroDivisionError\n")


def test_an_interrupt_ends_quietly(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, KeyboardInterrupt())
    code, out, err = run(capsys, "functions")
    assert (code, out, err.strip()) == (130, "", "")


@pytest.mark.parametrize("program", ["velo", "velo-sql"])
def test_both_commands_are_installed_and_the_same(program: str) -> None:
    command = Path(sys.executable).parent / program
    answer = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith(f"Usage: {program} ")


def test_a_reader_who_leaves_early_is_no_error() -> None:
    command = f"{Path(sys.executable).parent / 'velo'} functions | head -n 1"
    answer = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert answer.stderr == ""
    assert answer.stdout.count("\n") == 1


def test_a_file_that_cannot_be_used_is_no_defect(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    raising(monkeypatch, PermissionError(13, "Permission denied", "/etc/of/all.json"))
    code, _, said = run(capsys, "functions")
    assert code == 3
    assert said.splitlines()[0] == "error[file-unusable]: '/etc/of/all.json' cannot be used: Permission denied"
