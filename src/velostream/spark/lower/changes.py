"""Changes in Debezium's form to columns: the row as it is after, or for a deletion as it was before.

A deletion has the status of a message without a value: in a table it takes the row away.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.plan.fields import Field
from velostream.spark.attempt import attempt
from velostream.spark.lower.coded import with_values
from velostream.spark.lower.json_objects import has_more
from velostream.types import STRING, struct

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMS = ("debezium_json", "debezium_avro")
_KNOWN = ("c", "r", "u", "d")
_NO_ROW = "the text is not a change of a row of the declared columns"
_NO_CHANGE = "the value is not a change as Debezium writes them: it says nothing of before, after and op"


def with_changes(node: Any, frame: DataFrame, schema: str, form: str, folder: Path) -> DataFrame:
    """The declared columns beside what the frame has; `_fault` says which values are no changes, `_gone` which are
    deletions. Of these `_no_value` is true too, as it is of a message without a value."""
    from pyspark.sql import functions as F  # noqa: N812

    if form == "debezium_avro":
        kind = struct(*((member.name, member.type) for member in node.declared))
        envelope = replace(node, declared=(Field("before", kind), Field("after", kind), Field("op", STRING)))
        both = f"before STRUCT<{schema}>, after STRUCT<{schema}>, op STRING"
        frame = with_values(envelope, frame, both, "avro", folder)
    else:
        frame = _of_json(frame, schema)
    gone = F.col("op") == F.lit("d")
    row = F.when(gone, F.col("before")).otherwise(F.col("after"))
    known = F.col("op").isin(*_KNOWN) & row.isNotNull()
    alive = F.col("_mark").isNull() & F.col("_fault").isNull()
    fault = F.when(alive & ~F.coalesce(known, F.lit(False)), F.lit(_NO_CHANGE))
    columns = {member.name: row[member.name] for member in node.declared}
    taken = alive & F.coalesce(known & gone, F.lit(False))
    made = frame.withColumns(
        {
            "_fault": F.coalesce(F.col("_fault"), fault),
            "_no_value": F.col("_no_value") | taken,
            "_gone": taken,
        }
    )
    return made.withColumns(columns)


def _of_json(frame: DataFrame, schema: str) -> DataFrame:
    """What texts say of before, after and op, with a schema beside it or without; a value of another type than the
    column's is at fault."""
    from pyspark.sql import functions as F  # noqa: N812

    inner = f"before STRUCT<{schema}>, after STRUCT<{schema}>, op STRING"
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "_corrupt"}
    told = f"{inner}, payload STRUCT<{inner}>, _corrupt STRING"
    frame = frame.withColumn("_change", attempt(F.from_json(F.col("value"), told, options)))
    broken = F.col("_change").isNull() | F.col("_change._corrupt").isNotNull() | has_more(F.col("value"))
    fault = F.when(F.col("_mark").isNull() & broken, F.lit(_NO_ROW))
    names = ("before", "after", "op")
    parts = {name: F.coalesce(F.col(f"_change.payload.{name}"), F.col(f"_change.{name}")) for name in names}
    return frame.withColumns({**parts, "_fault": F.coalesce(F.col("_fault"), fault)}).drop("_change")
