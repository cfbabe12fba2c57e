"""What each statement does, without Spark: what runs is only handed over."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from velostream.cli.colours import Colours
from velostream.cli.prompt.rows import RowPrinter
from velostream.cli.prompt.session import Session
from velostream.cli.prompt.shell import Left, Shell
from velostream.validation import Validated


class Handed:
    """Keeps what was to be run, and answers with one row."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def run(self, answer: Validated, folder: Path, printer: RowPrinter) -> None:
        self.names.append(answer.application.statements[-1].text)
        printer.rows(["n"], [(1,)])


class Server:
    """Keeps what it was asked, and answers as the server does."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        assert path == "/api/v1/sql"
        assert body is not None
        self.asked.append(body["sql"])
        return {"results": [{"columns": ["job", "state"], "rows": [["a", None]], "message": "a running"}]}


class Talk:
    def __init__(self, session: Session) -> None:
        self.out: list[str] = []
        self.told: list[str] = []
        self.engine = Handed()
        self.server = Server()
        self.shell = Shell(session, self.engine, self.out.append, self.told.append, Colours(), self.server)

    def say(self, text: str) -> int:
        self.out.clear()
        self.told.clear()
        return self.shell.execute(text)


@pytest.fixture
def talk(session: Session) -> Talk:
    return Talk(session)


def test_a_select_runs_and_its_rows_are_counted(talk: Talk) -> None:
    assert talk.say("SELECT symbol FROM trades;") == 0
    assert talk.engine.names == ["SELECT symbol FROM trades"]
    assert talk.out == ["n", "-", "1", "(1 row)"]


def test_what_is_created_can_be_read_by_the_next_statement(talk: Talk) -> None:
    assert talk.say("CREATE STREAM dear AS SELECT * FROM trades WHERE price > 100; SELECT symbol FROM dear;") == 0
    assert talk.told == ["stream 'dear' is defined"]
    assert talk.engine.names == ["SELECT symbol FROM dear"]


def test_an_error_is_underlined_in_the_statement_alone(talk: Talk) -> None:
    assert talk.say("CREATE STREAM a AS SELECT * FROM trades;") == 0
    assert talk.say("SELECT pirce FROM a;") == 2
    assert talk.told[0] == "error[unknown-column]: stream 'a' has no column 'pirce'"
    assert talk.told[1].endswith("--> <shell>:1:8")
    assert talk.told[4].endswith("^^^^^")
    assert "did you mean 'price'?" in talk.told[5]
    assert talk.engine.names == []


def test_the_first_statement_that_fails_ends_a_text(talk: Talk) -> None:
    assert talk.say("SELECT 1 FROM nowhere; SELECT symbol FROM trades;") == 2
    assert talk.engine.names == []


def test_show_and_describe_answer_with_rows(talk: Talk) -> None:
    assert talk.say("SHOW STREAMS;") == 0
    assert talk.out[2].split() == ["trades", "file_source", "symbol,", "price,", "trade_time"]
    assert talk.say("DESCRIBE instruments;") == 0
    assert talk.out[2].split() == ["symbol", "STRING", "key"]
    assert talk.say("SHOW FUNCTIONS LIKE 'split_p%';") == 0
    assert len(talk.out) == 4
    assert talk.say("SHOW PROPERTIES STREAM trades;") == 0
    assert any(line.split()[:2] == ["path", "trades.csv"] for line in talk.out)
    assert talk.say("SHOW TABLES;") == 0
    assert talk.say("SHOW JOBS;") == 0
    assert talk.say("SHOW TOPICS;") == 0
    assert talk.out[-1] == "(0 rows)"


def test_explain_shows_the_plan_and_runs_nothing(talk: Talk) -> None:
    assert talk.say("EXPLAIN SELECT symbol FROM trades;") == 0
    assert "Scan trades" in talk.out[0]
    assert talk.engine.names == []


def test_a_setting_holds_for_what_follows(talk: Talk) -> None:
    assert talk.say("SET 'allowed.lateness' = '5m';") == 0
    talk.say("EXPLAIN SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m);")
    assert "5m" in talk.out[0]


def test_what_was_defined_here_can_be_dropped_and_what_the_file_has_cannot(talk: Talk) -> None:
    talk.say("CREATE STREAM a AS SELECT * FROM trades;")
    assert talk.say("DROP STREAM a;") == 0
    assert talk.say("SELECT * FROM a;") == 2
    assert talk.say("DROP STREAM trades;") == 2
    assert "stands in 'app.sql'" in talk.told[0]


def test_print_reads_the_stream_of_that_name(talk: Talk) -> None:
    assert talk.say("PRINT trades LIMIT 3;") == 0
    assert talk.engine.names == ["SELECT * FROM `trades` LIMIT 3"]
    assert talk.say("PRINT tades;") == 2
    assert "did you mean 'trades'?" in talk.told[-1]


def test_statements_about_jobs_go_to_the_server(talk: Talk) -> None:
    assert talk.say("STOP JOB a; SHOW STATUS;") == 0
    assert talk.server.asked == ["STOP JOB a", "SHOW STATUS"]
    assert talk.out[-5:] == ["job  state", "---  -----", "a    NULL", "(1 row)", "a running"]


def test_what_only_the_server_has_need_not_be_in_the_file(talk: Talk) -> None:
    assert talk.say("SHOW PARTITIONS elsewhere; SHOW JOBS;") == 0
    assert talk.server.asked == ["SHOW PARTITIONS elsewhere"], "no server was named: the jobs are those of the file"
    talk.shell.served = True
    assert talk.say("SHOW JOBS LIKE 'a%';") == 0
    assert talk.server.asked[-1] == "SHOW JOBS LIKE 'a%'"
    assert talk.say("SHOW PARTITIONS;") == 2


def test_rows_of_the_server_are_counted_once(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"results": [{"columns": ["job"], "rows": [["a"]], "message": "1 row"}]}
    monkeypatch.setattr(talk.server, "post", lambda *asked: answer)
    assert talk.say("SHOW STATUS;") == 0
    assert talk.out == ["job", "---", "a", "(1 row)"]


def test_a_job_goes_to_the_server_with_what_it_reads(talk: Talk) -> None:
    talk.say("CREATE STREAM dear AS SELECT * FROM trades WHERE price > 100; SET 'allowed.lateness' = '1m';")
    assert talk.say("START JOB j AS SELECT symbol FROM dear;") == 0
    sent = talk.server.asked[0]
    assert (
        sent.index("CREATE STREAM trades") < sent.index("CREATE STREAM dear") < sent.index("SET") < sent.index("START")
    )
    assert talk.engine.names == []


def test_statements_are_saved_as_a_file_that_validates(talk: Talk, tmp_path: Path) -> None:
    talk.say("CREATE STREAM a AS SELECT * FROM trades;")
    assert talk.say(f"\\save {tmp_path / 'all.sql'}") == 0
    text = (tmp_path / "all.sql").read_text()
    assert text.endswith("CREATE STREAM a AS SELECT * FROM trades;\n")
    assert talk.say("\\statements") == 0
    assert talk.out == ["CREATE STREAM a AS SELECT * FROM trades;"]


def test_commands_help_and_leave_and_a_wrong_one_is_named(talk: Talk) -> None:
    assert talk.say("help") == 0
    assert talk.say("\\help") == 0
    assert talk.say("\\hepl") == 2
    assert "did you mean '\\help'?" in talk.told[-1]
    with pytest.raises(Left):
        talk.say("\\quit")


def test_a_wider_value_widens_its_column_under_a_new_header() -> None:
    out: list[str] = []
    printer = RowPrinter(out.append, Colours())
    printer.rows(["a", "b"], [("x", None)])
    printer.rows(["a", "b"], [("long\nvalue", 2)])
    assert out == ["a  b", "-  ----", "x  NULL", "", "a            b", "-----------  ----", "long\\nvalue  2"]
