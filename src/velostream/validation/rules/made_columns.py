"""What is said of generated columns (`fields.*`) fits the columns that are declared."""

from __future__ import annotations

from velostream.catalog.relation import Relation
from velostream.errors import VeloError
from velostream.sources.datagen import DATAGEN_SOURCE
from velostream.sources.made_columns import made_columns
from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import sources_of


def check(statement: BoundStatement, look: Look) -> None:
    """Checks a generator where it is declared, and where settings of a statement speak of it."""
    if statement.query is None and statement.creates is not None:
        _check(statement.creates, look)
    for member in sources_of(statement.query):
        if member.relation.settings is not None:
            _check(member.relation, look)


def _check(relation: Relation, look: Look) -> None:
    connector = relation.connector
    if connector is None or connector.name != DATAGEN_SOURCE.name or relation.schema.is_open:
        return
    if not all(column.type.is_known for column in relation.schema):
        return  # said where it is declared
    time = str(relation.settings.get("event.time.field") or "")
    try:
        made_columns([(column.name, column.type) for column in relation.schema], relation.settings, time)
    except VeloError as error:
        look.findings.refuse(error, relation.span)
