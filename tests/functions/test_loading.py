import pickle
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from velostream.errors import InvalidFunction, NotFound, VeloError
from velostream.functions import LIBRARY
from velostream.functions.loading import library_with, load_entry_points, load_file

PRICING = """
from dataclasses import dataclass

from velostream.functions.python import aggregate, scalar


@dataclass
class Rate:
    percent: int


@scalar("DOUBLE")
def tax(amount: float) -> float:
    '''The tax on an amount.'''
    return amount * Rate(19).percent / 100


levy = tax


@aggregate("BIGINT")
class Longest:
    def add(self, text: str) -> None: ...
    def merge(self, other) -> None: ...
    def finish(self) -> int: ...
"""


@pytest.fixture
def pricing(tmp_path: Path) -> Path:
    path = tmp_path / "pricing.py"
    path.write_text(PRICING)
    return path


def write(folder: Path, text: str) -> Path:
    path = folder / "broken.py"
    path.write_text(text)
    return path


def test_a_file_gives_its_functions_each_once(pricing: Path) -> None:
    functions = load_file(pricing)
    assert [function.name for function in functions] == ["TAX", "LONGEST"]
    implementation = functions[0].implementation
    assert implementation is not None
    assert implementation.origin == str(pricing)
    assert implementation.run(100.0) == 19.0


def test_a_file_leaves_no_module_behind(pricing: Path) -> None:
    before = set(sys.modules)
    load_file(pricing)
    assert not [name for name in set(sys.modules) - before if "pricing" in name]


def test_a_library_has_the_functions_of_the_files_among_the_dependencies(pricing: Path) -> None:
    library = library_with(["pricing.py", "kafka"], pricing.parent)
    assert library.get("tax").doc == "The tax on an amount."
    assert library.get("sum") is LIBRARY.get("sum")
    assert LIBRARY.find("tax") is None


def test_without_files_and_packages_it_is_the_library_itself(tmp_path: Path) -> None:
    assert library_with(["kafka"], tmp_path) is LIBRARY


def test_a_file_that_is_not_there_is_refused_with_what_is(pricing: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no file of functions '.*prices.py'") as refusal:
        load_file(pricing.parent / "prices.py")
    assert "'pricing.py'" in refusal.value.hint
    with pytest.raises(NotFound) as refusal:
        load_file(pricing.parent / "nowhere" / "prices.py")
    assert "relative to the SQL file" in refusal.value.hint


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("def f(:\n", "line 1 cannot be loaded: SyntaxError", "run it with Python"),
        ("x = 1\n\n1 / 0\n", "line 3 cannot be loaded: ZeroDivisionError: division by zero", "run it"),
        ("import nowhere_at_all\n", "line 1 cannot be loaded: ModuleNotFoundError", "install what it imports"),
        ("raise SystemExit\n", "line 1 cannot be loaded: SystemExit: no message", "run it with Python"),
        ("x = 1\n", "declares no function", "@scalar"),
        (
            "from velostream.functions.python import scalar\n\n@scalar('LOGN')\ndef f(a): ...\n",
            "line 3: 'LOGN' is not a type",
            "LONG",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str, hint: str) -> None:
    with pytest.raises(InvalidFunction) as refusal:
        load_file(write(tmp_path, text))
    assert message in refusal.value.message
    assert "broken.py" in refusal.value.message
    assert hint in refusal.value.hint
    assert pickle.loads(pickle.dumps(refusal.value)).message == refusal.value.message


def test_a_file_that_is_not_python_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "functions.txt"
    path.write_text("x")
    with pytest.raises(InvalidFunction, match="not a Python file"):
        load_file(path)


def test_a_function_named_like_a_built_in_one_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "from velostream.functions.python import scalar\n\n@scalar('INT')\ndef upper(a): ...\n")
    with pytest.raises(VeloError, match="two functions are named 'UPPER'"):
        library_with(["broken.py"], tmp_path)


def test_packages_bring_functions_by_entry_points() -> None:
    module = EntryPoint("b", "tests.functions.test_python", "velostream.functions")
    one = EntryPoint("a", "tests.functions.test_python:net", "velostream.functions")
    assert [function.name for function in load_entry_points([one])] == ["NET"]
    assert {function.name for function in load_entry_points([module])} == {"NET", "HARMONIC"}


def test_an_entry_point_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(
        InvalidFunction, match=r"entry point 'x' of 'velostream\.functions' cannot be loaded"
    ) as refusal:
        load_entry_points([EntryPoint("x", "nowhere_at_all", "velostream.functions")])
    assert "install" in refusal.value.hint
    with pytest.raises(InvalidFunction, match=r"entry point 'x' \('sys:path'\) leads to no function"):
        load_entry_points([EntryPoint("x", "sys:path", "velostream.functions")])
