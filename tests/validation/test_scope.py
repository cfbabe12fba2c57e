from velostream import types
from velostream.catalog.schema import Column, Schema
from velostream.validation.scope import Found, Missing, Scope, ScopeInput

RECORD = ("_timestamp", "_event_time", "_partition")
TRADES = ScopeInput("t", Schema((Column("symbol", types.STRING), Column("price", types.DOUBLE))), RECORD)
LIMITS = ScopeInput("l", Schema((Column("symbol", types.STRING), Column("most", types.INT))), is_table=True)


def found(answer: Found | Missing) -> Found:
    assert isinstance(answer, Found), answer
    return answer


def missing(answer: Found | Missing) -> Missing:
    assert isinstance(answer, Missing), answer
    return answer


def test_a_column_is_found_in_any_letter_case_and_keeps_its_declared_name() -> None:
    assert found(Scope([TRADES]).resolve("PRICE")).field == "t.price"


def test_a_column_of_two_inputs_is_ambiguous_and_the_hint_says_how_to_write_it() -> None:
    answer = missing(Scope([TRADES, LIMITS]).resolve("symbol"))
    assert answer.code == "ambiguous-column"
    assert "'t.symbol' or 'l.symbol'" in answer.hint


def test_a_wrong_column_names_the_nearest() -> None:
    answer = missing(Scope([TRADES]).resolve("pirce"))
    assert answer.code == "unknown-column"
    assert "did you mean 'price'?" in answer.hint


def test_system_columns_are_those_of_the_first_stream() -> None:
    assert found(Scope([LIMITS, TRADES]).resolve("_Event_Time")).field == "t._event_time"


def test_a_system_column_that_the_source_lacks_is_refused_with_those_it_has() -> None:
    answer = missing(Scope([TRADES]).resolve("_offset"))
    assert answer.code == "no-system-column"
    assert "_partition" in answer.hint


def test_window_columns_exist_only_once_there_is_a_window() -> None:
    assert missing(Scope([TRADES]).resolve("_window_start")).code == "no-system-column"
    windowed = Scope([TRADES], windowed=True, window_columns=("_window_start",))
    assert found(windowed.resolve("window_start")).field == "_window_start"
    assert missing(windowed.resolve("_filled")).code == "no-system-column"


def test_a_users_column_wins_over_a_name_from_elsewhere() -> None:
    own = ScopeInput("s", Schema((Column("window_start", types.TIMESTAMP),)))
    assert found(Scope([own]).resolve("window_start")).field == "s.window_start"


def test_a_subquery_sees_the_query_around_it() -> None:
    answer = found(Scope([LIMITS], outer=Scope([TRADES])).resolve("price"))
    assert answer.field == "t.price"
    assert answer.outer


def test_an_open_schema_may_have_any_column() -> None:
    open_input = ScopeInput("k", Schema((), is_open=True))
    answer = found(Scope([open_input]).resolve("anything"))
    assert answer.field == "k.anything"
    assert not answer.type.is_known


def test_an_unknown_input_is_refused_with_those_there_are() -> None:
    answer = missing(Scope([TRADES]).resolve("price", "x"))
    assert answer.code == "unknown-stream"
    assert "inputs: t" in answer.hint


def test_without_from_there_is_no_column() -> None:
    assert "there is no FROM" in missing(Scope().resolve("a")).message
