"""Does what each statement says: defines, asks, shows, explains, runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from velostream.cli.colours import Colours
from velostream.cli.prompt.pieces import is_help
from velostream.cli.prompt.rows import RowPrinter
from velostream.cli.prompt.session import NAME, Read, Session
from velostream.cli.report.text import finding
from velostream.diagnostics import Diagnostic, Severity
from velostream.errors import VeloError, unusable
from velostream.files import replace_text
from velostream.positions import Text
from velostream.registry import did_you_mean
from velostream.sql import statements as sql
from velostream.sql.parse import split
from velostream.validation import Validated
from velostream.validation.showing import OF_RUNNING

HELP = """\
SELECT …;                    runs until its input ends, or until Ctrl-C
CREATE STREAM|TABLE … ;      holds from now on
INSERT INTO x SELECT …;      runs and writes
SHOW STREAMS | TABLES | FUNCTIONS LIKE 'a%';   DESCRIBE x;   EXPLAIN SELECT …;   SET 'k' = 'v';
Tab completes streams, columns, functions, properties and their values. Enter ends a statement behind its `;`.
\\statements                  what was defined since the start
\\save FILE                   all statements as a file for `velo run`
\\quit, or Ctrl-D             leaves"""
_COMMANDS = ("\\help", "\\statements", "\\save", "\\quit")
_JOBS = (sql.StartJob, sql.ControlJob, sql.DeployJob, sql.RollbackJob)


class Runs(Protocol):
    """What runs a statement that reads streams."""

    def run(self, answer: Validated, folder: Path, printer: RowPrinter) -> None:
        """Runs the last statement of an application; its rows go to the printer."""
        ...


class Asks(Protocol):
    """What carries statements about jobs out: a job server."""

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What it answers to a body."""
        ...


class Left(Exception):  # somebody leaves; nothing is wrong
    """`\\quit`."""


class Shell:
    """One conversation. `write` puts a line of results out, `tell` a line about it."""

    def __init__(
        self,
        session: Session,
        engine: Runs,
        write: Callable[[str], None],
        tell: Callable[[str], None],
        colours: Colours,
        server: Asks,
        *,
        served: bool = False,
    ) -> None:
        self.session = session
        self.server = server
        self.served = served
        """True where somebody has said where the server is: SHOW JOBS are then those that run there."""
        self.engine = engine
        self.write = write
        self.tell = tell
        self.colours = colours

    def execute(self, text: str) -> int:
        """Does all that a text says, up to the first statement that fails; the answer is its exit code, 0 if none."""
        if is_help(text):
            text = "\\help"
        if text.lstrip().startswith("\\"):
            return self._guarded(lambda: self._command(text.strip()), Text(text, NAME))
        for statement in split(text) or ([text] if text.strip(" \n\t;") else []):
            code = self._guarded(lambda one=statement: self._statement(one), Text(statement, NAME))  # type: ignore[misc]
            if code:
                return code
        return 0

    def _guarded(self, act: Callable[[], int], text: Text) -> int:
        try:
            return act()
        except VeloError as error:
            return self._failed(error, text)
        except OSError as error:
            if error.filename is None:
                raise
            return self._failed(unusable(error), text)

    def _failed(self, error: VeloError, text: Text) -> int:
        self._find(Diagnostic(Severity.ERROR, error.error_code, error.message, hint=error.hint), text)
        return error.exit_code

    def _find(self, found: Diagnostic, text: Text) -> None:
        for line in finding(found, text, self.colours):
            self.tell(line)

    def _statement(self, statement: str) -> int:
        read = self.session.read(statement)
        if self._is_of_running(read):
            self._ask_server(read)
            return 0
        for found in read.findings:
            self._find(found, read.text)
        if not read.ok:
            return 2
        self._do(read, read.tree)
        return 0

    def _is_of_running(self, read: Read) -> bool:
        """True where only the server has the answer: what it names need not be in the file."""
        subject = str(read.tree.this) if isinstance(read.tree, sql.Show) else ""
        unread = [found for found in read.findings if found.code == "syntax"]
        return not unread and (subject in OF_RUNNING or (subject == "JOBS" and self.served))

    def _do(self, read: Read, tree: sql.Statement | None) -> None:
        if isinstance(tree, sql.Show | sql.Describe):
            self._show(read, tree)
        elif isinstance(tree, sql.Explain):
            self._explain(read)
        elif isinstance(tree, sql.DropRelation):
            self._drop(tree)
        elif isinstance(tree, sql.CreateRelation):
            self._define(read, tree)
        elif isinstance(tree, sql.SetProperty):
            self.session.remember(read)
        elif isinstance(tree, sql.PrintTopic):
            self._print(tree)
        elif isinstance(tree, _JOBS):
            self._ask_server(read)
        else:
            self._run(read)

    def _define(self, read: Read, tree: sql.CreateRelation) -> None:
        """A stream or table holds from now on; one that writes to a sink runs too."""
        name = read.answer.application.statements[-1].name
        made = next((one for one in read.answer.bound.statements if one.name == name), None)
        if made is not None and made.sinks:
            self._run(read)
        self.session.remember(read)
        self.tell(f"{str(tree.args['kind']).casefold()} '{tree.name}' is defined")

    def _drop(self, tree: sql.DropRelation) -> None:
        if self.session.forget(tree.this.name):
            self.tell(f"'{tree.this.name}' is dropped")
        elif not tree.args.get("if_exists"):
            message = f"'{tree.this.name}' stands in '{self.session.given.name}'"
            raise VeloError(message, hint="what a shell drops was defined in it; edit the file", code="unsupported")

    def _run(self, read: Read) -> None:
        printer = RowPrinter(self.write, self.colours)
        self.engine.run(read.answer, self.session.given.folder, printer)
        if isinstance(read.tree, sql.Query) and not read.tree.args.get("sinks"):
            printer.end()

    def _print(self, tree: sql.PrintTopic) -> None:
        """PRINT of a topic: the rows of the stream that reads it."""
        self._run(self.session.read(self.session.printed(tree)))

    def _show(self, read: Read, tree: sql.Show | sql.Describe) -> None:
        from velostream.validation.showing import shown

        listing = shown(tree, read.answer.bound, read.answer.library)
        assert listing is not None, "only the server has the answer"
        printer = RowPrinter(self.write, self.colours)
        printer.rows(listing.columns, listing.rows)
        printer.end()

    def _ask_server(self, read: Read) -> None:
        """Statements about jobs are the server's; what they are made of goes with them."""
        needed = isinstance(read.tree, sql.StartJob | sql.DeployJob)
        text = "".join(f"{each};\n" for each in _declared(read)) if needed else ""
        for one in self.server.post("/api/v1/sql", {"sql": text + read.text.content})["results"]:
            if one["columns"]:
                printer = RowPrinter(self.write, self.colours)
                printer.rows(one["columns"], one["rows"])
                printer.end()
            if one["message"] and not _is_count(one):
                self.write(one["message"])

    def _explain(self, read: Read) -> None:
        from velostream.cli.explain import as_text
        from velostream.plan import plan

        planned = plan(read.answer.bound, read.answer.library)
        self.write(as_text(planned, read.answer.application.statements[-1].name))

    def _command(self, text: str) -> int:
        word, _, rest = text.partition(" ")
        if word in ("\\quit", "\\q"):
            raise Left
        if word in ("\\help", "\\h", "\\?"):
            self.write(HELP)
        elif word == "\\statements":
            self.write("".join(f"{statement};\n" for statement in self.session.kept).rstrip("\n"))
        elif word == "\\save" and rest.strip():
            replace_text(Path(rest.strip()), self.session.so_far)
            self.tell(f"saved as '{rest.strip()}'")
        else:
            raise VeloError(f"there is no '{text}'", hint=did_you_mean(word, _COMMANDS, "commands"), code="usage")
        return 0


def _is_count(result: Mapping[str, Any]) -> bool:
    """True for a message that only counts the rows above it, as the shell does itself."""
    return bool(result["columns"]) and re.fullmatch(r"[\d,]+ rows?", result["message"]) is not None


def _declared(read: Read) -> Iterator[str]:
    """The statements before one that declare something and run nothing by themselves."""
    running = {one.name for one in read.answer.bound.statements if one.is_job}
    for one in read.answer.application.statements[:-1]:
        if isinstance(one.tree, sql.CreateRelation | sql.SetProperty) and one.name not in running:
            yield one.text
