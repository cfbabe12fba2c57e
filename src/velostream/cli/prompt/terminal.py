"""The prompt in a terminal: completion while typing, colours, history, statements of many lines."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import completion_is_selected
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.shortcuts import CompleteStyle

from velostream.cli.prompt.colouring import StatementLexer
from velostream.cli.prompt.completion import candidates
from velostream.cli.prompt.pieces import is_complete, is_leaving
from velostream.cli.prompt.shell import Left, Shell

if TYPE_CHECKING:
    from velostream.cli.prompt.session import Session

PROMPT, MORE = "velo> ", "  ... "
LEAST_TYPED = 2
"""Words of the language are offered from this many letters on."""


class StatementCompleter(Completer):
    """Offers what the session knows."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What could stand at the cursor; unasked, not the whole language at every space."""
        asked = complete_event.completion_requested
        for one in candidates(document.text, document.cursor_position, self.session.known):
            if asked or one.replaces >= LEAST_TYPED or one.kind not in ("keyword", "function", "column"):
                yield Completion(one.text, -one.replaces, display_meta=one.about or one.kind)


def bindings() -> KeyBindings:
    """Enter ends a statement behind its `;`, and else begins a new line."""
    keys = KeyBindings()

    @keys.add("enter", filter=~completion_is_selected)
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    @keys.add("enter", filter=completion_is_selected)
    def _take(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    return keys


def prompt_session(session: Session, history: Path) -> PromptSession[str]:
    """What asks for statements."""
    history.parent.mkdir(parents=True, exist_ok=True)
    return PromptSession(
        history=FileHistory(str(history)),
        completer=StatementCompleter(session),
        complete_while_typing=True,
        complete_style=CompleteStyle.COLUMN,
        auto_suggest=AutoSuggestFromHistory(),
        lexer=StatementLexer(),
        key_bindings=bindings(),
        multiline=True,
        prompt_continuation=MORE,
    )


def history_file() -> Path:
    """Where statements are remembered from one shell to the next."""
    return Path(os.environ.get("VELO_HISTORY") or Path.home() / ".velo" / "history")


def converse(shell: Shell, asking: PromptSession[str]) -> None:
    """Asks and does until somebody leaves; Ctrl-C throws the line away, or what is being done."""
    while True:
        try:
            text = asking.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if is_leaving(text):
            return
        try:
            shell.execute(text)
        except Left:
            return
        except KeyboardInterrupt:
            shell.tell("stopped")
