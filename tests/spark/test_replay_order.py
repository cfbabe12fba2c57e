"""Lines of CSV files come again in the order of their header."""

from pathlib import Path
from types import SimpleNamespace

from tests.config.asking import Asked, source

from velostream.plan.fields import Field
from velostream.spark.lower.replays import _in_order
from velostream.types import BIGINT, STRING

_DECLARED = (Field("k", STRING), Field("v", BIGINT), Field("z", STRING))
_SCHEMA = "`k` STRING, `v` BIGINT, `z` STRING"


def ordered(folder: Path, header: str, form: str = "csv") -> str:
    (folder / "a.csv").write_text(f"{header}\n")
    asked = {"trades.type": "file_source", "trades.path": "*.csv", "trades.format": "csv"}
    settings = Asked(asked, source()).resolved["trades"]
    node = SimpleNamespace(connector="file_source", settings=settings, declared=_DECLARED)
    return _in_order(node, _SCHEMA, form, folder)


def test_columns_are_in_the_order_of_the_header(tmp_path: Path) -> None:
    assert ordered(tmp_path, "v,other,K") == "`v` BIGINT, `_other_1` STRING, `k` STRING"
    assert ordered(tmp_path, "k,V,z") == _SCHEMA
    assert ordered(tmp_path, "v,other,K", "jsonl") == _SCHEMA
