"""The prompt itself, driven by keys through a pipe."""

from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from tests.cli.prompt.test_shell import Talk

from velostream.cli.prompt.colouring import StatementLexer
from velostream.cli.prompt.session import Session
from velostream.cli.prompt.terminal import StatementCompleter, converse, prompt_session


def test_statements_of_many_lines_are_done_when_they_end_and_are_remembered(session: Session, tmp_path: Path) -> None:
    talk = Talk(session)
    history = tmp_path / "velo" / "history"
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("SELECT symbol\rFROM trades;\rhalf a thought\x03exit\r\x04")
        converse(talk.shell, prompt_session(session, history))
    assert talk.engine.names == ["SELECT symbol\nFROM trades"]
    assert "SELECT symbol" in history.read_text()


def test_ctrl_c_before_a_statement_runs_leads_back_to_the_prompt(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk(session)

    def cut(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(talk.engine, "run", cut)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("SELECT symbol FROM trades;\rSHOW TABLES;\rexit\r")
        converse(talk.shell, prompt_session(session, tmp_path / "history"))
    assert talk.told == ["stopped"]
    assert talk.out[-1] == "(1 row)"


def test_unasked_words_are_offered_from_two_letters_on(session: Session) -> None:
    completer = StatementCompleter(session)

    def offered(text: str, *, asked: bool) -> list[str]:
        event = CompleteEvent(completion_requested=asked)
        return [one.text for one in completer.get_completions(Document(text), event)]

    assert offered("SELECT ", asked=False) == []
    assert "CASE" in offered("SELECT ", asked=True)
    assert offered("SELECT * FROM ", asked=False) == ["trades", "instruments"]


def test_words_texts_and_comments_have_colours_of_their_own() -> None:
    lines = StatementLexer().lex_document(Document("SELECT 'a\nb' -- x"))
    assert lines(0) == [("", ""), ("bold ansiblue", "SELECT"), ("", " "), ("ansigreen", "'a")]
    assert lines(1) == [("ansigreen", "b'"), ("", " "), ("ansibrightblack", "-- x"), ("", "")]
