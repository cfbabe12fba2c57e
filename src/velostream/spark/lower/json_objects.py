"""Texts that should be one object of JSON, as Spark reads them: no further than to the end of the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

_BEHIND, _ENDS = r"\}\s*([^\s,\]\}]|,\s*\{)", r"\}\s*$"
"""Within one object of JSON, only text between quotes and arrays of objects look like the first of them."""


def has_more(text: Column) -> Column:
    """True where something stands behind the object that a text begins with: Spark reads no further than that.

    Only a text in which something could stand there is read again, as the one member of an array.
    """
    from pyspark.sql import functions as F  # noqa: N812

    odd = F.rlike(text, F.lit(_BEHIND)) | ~F.rlike(text, F.lit(_ENDS))
    whole = F.from_json(F.concat(F.lit('{"members":['), text, F.lit('],"end":1}')), "members ARRAY<STRING>, end INT")
    alone = (F.size(whole["members"]) == 1) & (whole["end"] == 1)
    return F.coalesce(F.when(odd, ~F.coalesce(alone, F.lit(False))), F.lit(False))
