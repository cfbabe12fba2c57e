"""`velo functions`: a list, a family, one of them."""

from tests.cli.conftest import Velo

from velostream.functions import LIBRARY


def test_all_are_listed_by_family(velo: Velo) -> None:
    answer = velo("functions")
    assert answer.code == 0
    assert all(f"\n{family}\n" in f"\n{answer.out}" for family in LIBRARY.families())
    assert all(f"  {function.name}(" in answer.out for function in LIBRARY.functions)
    assert max(map(len, answer.out.splitlines())) <= 120


def test_one_is_shown_with_an_example(velo: Velo) -> None:
    answer = velo("functions", "split_part")
    assert answer.code == 0
    assert answer.out.startswith("SPLIT_PART(")
    assert "example" in answer.out


def test_another_name_finds_it_too(velo: Velo) -> None:
    function = next(function for function in LIBRARY.functions if function.aliases)
    assert velo("functions", function.aliases[0]).out.startswith(function.name)


def test_a_family_is_listed(velo: Velo) -> None:
    family = next(family for family in LIBRARY.families() if LIBRARY.find(family) is None)
    answer = velo("functions", family)
    assert answer.code == 0
    assert answer.out.startswith(f"{family}\n")


def test_a_family_named_like_a_function_is_listed_after_it(velo: Velo) -> None:
    answer = velo("functions", "aggregate")
    assert answer.out.startswith("AGGREGATE(")
    assert "\n\naggregate\n" in answer.out


def test_an_unknown_one_names_the_nearest(velo: Velo) -> None:
    answer = velo("functions", "SPLITPART")
    assert answer.code == 2
    assert answer.err.startswith("error[unknown-function]: there is no function 'SPLITPART'\nhint: did you mean")


def test_what_a_stream_cannot_have_says_so(velo: Velo) -> None:
    function = next(function for function in LIBRARY.functions if function.refused)
    assert f"refused: {function.refused}" in velo("functions", function.name).out


def test_a_random_one_says_how_it_is_repeated(velo: Velo) -> None:
    function = next(function for function in LIBRARY.functions if not function.deterministic)
    assert "runs again gives the same value" in velo("functions", function.name).out
