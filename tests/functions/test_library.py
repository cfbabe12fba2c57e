import pytest

from velostream.errors import VeloError
from velostream.functions import FUNCTIONS, LIBRARY, find, names
from velostream.functions.family import Family
from velostream.functions.library import Library
from velostream.types import INT

declare = Family("mine")
TAX = declare("TAX(amount: number)", INT, "the tax", "TAX(1)", aliases=("VAT",))


def test_a_function_is_found_by_name_and_alias_in_any_letter_case() -> None:
    library = Library([TAX])
    assert library.find("tax") is library.find("Vat") is library.find("TAX") is TAX
    assert library.find("taxes") is None


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(VeloError, match="there is no function 'SPLITPART'") as refusal:
        LIBRARY.get("SPLITPART")
    assert "'SPLIT_PART'" in refusal.value.hint
    assert refusal.value.error_code == "unknown-function"


def test_a_name_like_nothing_else_is_answered_with_where_to_look() -> None:
    with pytest.raises(VeloError) as refusal:
        Library([TAX]).get("zzzz")
    assert "velo functions" in refusal.value.hint


def test_a_library_with_more_functions_leaves_the_first_as_it_was() -> None:
    more = LIBRARY.with_functions([TAX])
    assert more.get("vat") is TAX
    assert more.get("sum") is FUNCTIONS["SUM"]
    assert LIBRARY.find("tax") is None


@pytest.mark.parametrize("signature", ["SUM(x)", "LEN(x)"])
def test_a_name_that_is_taken_is_refused(signature: str) -> None:
    with pytest.raises(VeloError, match="two functions are named") as refusal:
        LIBRARY.with_functions([declare(signature, INT, "mine", "F(1)")])
    assert refusal.value.error_code == "duplicate-name"
    assert "family" in refusal.value.hint


def test_families_come_in_the_order_of_declaration() -> None:
    assert LIBRARY.families()[0] == "aggregate"
    assert len(set(LIBRARY.families())) == len(LIBRARY.families())


def test_the_built_in_functions_are_found_without_a_library() -> None:
    assert find("ucase") is FUNCTIONS["UPPER"]
    assert find("nothing") is None
    assert {"UPPER", "UCASE", "DELTA"} <= set(names())
