"""Which column comes from which: the graph of one application, or of all of a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from velostream.api import markup
from velostream.errors import VeloError
from velostream.registry import did_you_mean

JOB = "job"


@dataclass(frozen=True)
class Lineage:
    """Sources, tables, jobs and sinks as nodes, columns as edges (`velostream.observability.graph` says what is in
    them). As text it shows for every column that is written where it comes from."""

    nodes: Sequence[Mapping[str, Any]]
    edges: Sequence[Mapping[str, str]]

    def origins(self, name: str, column: str) -> list[str]:
        """The columns that one of a sink, table or job comes from, over all jobs before it, as `source.column`."""
        node = self._node(name)
        if column not in node["columns"]:
            hint = did_you_mean(column, node["columns"], "columns")
            raise VeloError(f"'{name}' has no column '{column}'", hint=hint, code="unknown-column")
        return list(self._origins((node["id"], column)))

    def _origins(self, wanted: tuple[str, str]) -> dict[str, None]:
        names = {node["id"]: node["name"] for node in self.nodes}
        found: dict[str, None] = {}
        seen, open_ = {wanted}, [wanted]
        while open_:
            here = open_.pop()
            before = [
                (edge["source"], edge["source_column"])
                for edge in self.edges
                if (edge["target"], edge["target_column"]) == here
            ]
            if not before and here != wanted:
                found[f"{names[here[0]]}.{here[1]}"] = None
            open_ += [one for one in before if one not in seen]
            seen.update(before)
        return found

    def _node(self, name: str) -> Mapping[str, Any]:
        named = [node for node in self.nodes if node["name"].casefold() == name.casefold()]
        found = next((node for node in named if node["kind"] != JOB), named[0] if named else None)
        if found is None:
            hint = did_you_mean(name, (node["name"] for node in self.nodes), "names")
            raise VeloError(f"nothing here is named '{name}'", hint=hint, code="unknown-stream")
        return found

    def _written(self) -> Iterator[tuple[str, str]]:
        written = {edge["target"] for edge in self.edges} - {edge["source"] for edge in self.edges}
        for node in self.nodes:
            if node["id"] in written:
                for column in node["columns"]:
                    yield f"{node['name']}.{column}", ", ".join(self._origins((node["id"], column))) or "no column"

    def __str__(self) -> str:
        return "\n".join(f"{column} comes from {origins}" for column, origins in self._written()) or "no column"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return markup.table(("column", "comes from"), list(self._written()))
