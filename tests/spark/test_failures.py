import pytest
from py4j.protocol import Py4JError

from velostream.errors import VeloError
from velostream.spark.failures import translate, translated


def test_an_error_of_ours_comes_back_from_a_worker() -> None:
    error = translate(
        Exception("Traceback …\nvelostream.errors.VeloError: a file appeared behind 'b.jsonl'\n at java.lang")
    )
    assert error.message == "a file appeared behind 'b.jsonl'"


def test_an_error_of_python_is_named() -> None:
    error = translate(Exception("org.apache.spark…\nTraceback\n  File x\nKeyError: 'k'\n\tat org.apache"))
    assert error.message == "a worker failed with KeyError: 'k'"


def test_anything_else_is_one_line() -> None:
    assert translate(Exception("\n the disk is full\n\tat java")).message == "Spark failed: the disk is full"
    assert translate(ValueError("")).message == "Spark failed: ValueError"


def test_what_spark_raises_is_translated_and_what_is_ours_is_not() -> None:
    with pytest.raises(VeloError, match="Spark failed: gone"), translated():
        raise Py4JError("gone")
    with pytest.raises(VeloError, match="mine"), translated():
        raise VeloError("mine")
