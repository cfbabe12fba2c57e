import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from velostream.errors import InvalidFunction, InvalidType
from velostream.functions.base import FunctionKind, Shape
from velostream.functions.implementation import Form
from velostream.functions.python import aggregate, scalar, table, vectorised


@scalar("DECIMAL(12,2)")
def net(gross: Decimal, rate: Decimal = Decimal("0.19")) -> Decimal:
    """The price without tax.

    More about it.
    """
    return gross / (1 + rate)


def test_a_scalar_function_takes_name_parameters_and_doc_from_python() -> None:
    declared = net.function
    assert (declared.name, declared.kind, declared.family) == ("NET", FunctionKind.SCALAR, "python")
    assert declared.signature == "NET(gross, [rate])"
    assert [parameter.shape for parameter in declared.parameters] == [Shape.NUMBER, Shape.NUMBER]
    assert declared.doc == "The price without tax."
    assert declared.example == "NET(gross, rate)"
    assert str(declared.result_type(())) == "DECIMAL(12,2)"
    assert declared.implementation is not None
    assert declared.implementation.form is Form.SCALAR


def test_what_is_decorated_stays_callable() -> None:
    assert net(Decimal(119)) == 100


def test_annotations_say_what_is_taken() -> None:
    @scalar("INT")
    def every(
        a: int,
        b: str,
        c: bytes,
        d: bool,
        e: datetime.date,
        f: datetime.datetime,
        g: list[int],
        h: dict[str, int],
        i: Any,
    ) -> int:
        return 0

    shapes = "INTEGER STRING BINARY BOOLEAN DATE TIME ARRAY MAP ANY"
    assert [parameter.shape.name for parameter in every.function.parameters] == shapes.split()
    assert every.function.doc == "The Python function every."


def test_an_annotation_that_cannot_be_resolved_says_nothing() -> None:
    @scalar("INT")
    def odd(a: "Nowhere") -> int:  # type: ignore[name-defined]  # noqa: F821
        return 0

    assert odd.function.parameters[0].shape is Shape.ANY


def test_a_signature_says_name_and_parameters() -> None:
    @vectorised("DOUBLE", signature="norm(value: number, [k!: integer])", aliases=("norming",), deterministic=False)
    def anything(values: Any, k: Any = 1) -> Any:
        """Scales values to 1."""
        return values

    declared = anything.function
    assert (declared.name, declared.aliases, declared.deterministic) == ("NORM", ("NORMING",), False)
    assert declared.parameters[1].constant
    assert declared.implementation is not None
    assert declared.implementation.form is Form.VECTORISED


def test_repeated_arguments_are_taken() -> None:
    @scalar("STRING", example="GLUE('a', 'b')")
    def glue(*parts: str) -> str:
        return "".join(parts)

    assert glue.function.most is None
    assert glue.function.example == "GLUE('a', 'b')"


@aggregate("DOUBLE")
class Harmonic:
    """The harmonic mean."""

    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def add(self, value: float) -> None:
        self.total, self.count = self.total + 1 / value, self.count + 1

    def merge(self, other: Any) -> None:
        self.total, self.count = self.total + other.total, self.count + other.count

    def finish(self) -> float:
        return self.count / self.total


def test_an_aggregate_is_a_class_that_adds_merges_and_finishes() -> None:
    declared = Harmonic.function
    assert (declared.name, declared.kind, declared.signature) == ("HARMONIC", FunctionKind.AGGREGATE, "HARMONIC(value)")
    assert declared.parameters[0].shape is Shape.NUMBER
    assert (declared.accumulator, declared.merges) == ("python", True)
    left, right = Harmonic(), Harmonic()
    left.add(2.0)
    right.add(4.0)
    left.merge(right)
    assert left.finish() == pytest.approx(8 / 3)


def test_an_aggregate_that_cannot_merge_is_refused() -> None:
    with pytest.raises(InvalidFunction, match="'Half' has no method merge and no method finish") as refusal:

        @aggregate("DOUBLE")
        class Half:
            def add(self, value: float) -> None: ...

    assert "merge(self, other)" in refusal.value.hint


def test_an_aggregate_that_is_no_class_is_refused() -> None:
    with pytest.raises(InvalidFunction, match="'total' is not a class"):

        @aggregate("DOUBLE")
        def total(value: float) -> float:
            return value


def test_a_table_function_names_its_columns() -> None:
    @table("word STRING, place INT")
    def words(text: str) -> Iterator[tuple[str, int]]:
        yield from ((word, place) for place, word in enumerate(text.split()))

    assert words.function.kind is FunctionKind.TABLE
    assert str(words.function.result_type(())) == "STRUCT<word: STRING, place: INT>"
    assert list(words("a b")) == [("a", 0), ("b", 1)]


def test_columns_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidFunction, match="'INT' is not a list of columns"):
        table("INT")


def test_a_type_that_spark_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidType, match="'LOGN'"):
        scalar("LOGN")


def test_a_signature_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(InvalidFunction, match="signature of 'f' cannot be read") as refusal:

        @scalar("INT", signature="F(a: nonsense)")
        def f(a: int) -> int:
            return a

    assert "NAME(" in refusal.value.hint


def test_arguments_by_name_are_refused() -> None:
    with pytest.raises(InvalidFunction, match="takes 'b' by name"):

        @scalar("INT")
        def f(a: int, *, b: int) -> int:
            return a


def test_a_function_without_a_name_needs_a_signature() -> None:
    with pytest.raises(InvalidFunction, match="cannot be called in SQL"):
        scalar("INT")(lambda value: value)
    assert scalar("INT", signature="SAME(value)")(lambda value: value).function.name == "SAME"
