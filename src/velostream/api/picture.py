"""A plan as a picture: boxes from the sources at the top down to the sinks, and the ways between them, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from velostream.api.boxes import SINK, SOURCE, STATE, STEP, TABLE, Box, boxes_of

WIDTH, GAP_X, GAP_Y, MARGIN = 272, 26, 30, 10
HEAD, LINE, PADDING = 26, 16, 8
ROOM = 35
"""Characters of a line that a box has room for; the whole line shows under the pointer."""
_COLOURS = {
    SOURCE: ("#e3f1e5", "#3f8a4c"),
    STEP: ("#f3f4f6", "#8a9099"),
    STATE: ("#fdf0db", "#b97a1a"),
    TABLE: ("#ece7f8", "#7457b5"),
    SINK: ("#e1ecfa", "#3a6fb0"),
}
"""The inside and the edge of each kind of box: light ones with dark words, which can be read on any page."""


@dataclass
class Placed:
    """A box and where it stands; `inputs` are the boxes above it."""

    box: Box
    x: float = 0.0
    y: float = 0.0
    inputs: list[Placed] = field(default_factory=list)

    @property
    def height(self) -> int:
        """How high it is."""
        return HEAD + (LINE * len(self.box.lines) + PADDING if self.box.lines else 0)


def svg(tree: Mapping[str, Any], title: str) -> str:
    """The picture of one job, from the data of its plan."""
    levels: list[list[Placed]] = []
    _place(tree, 0, levels)
    levels.reverse()
    width = max(_columns(levels)) + WIDTH + MARGIN
    y = float(MARGIN)
    for level in levels:
        for one in level:
            one.y = y
        y += max(one.height for one in level) + GAP_Y
    height = y - GAP_Y + MARGIN
    drawn = [*_ways(levels), *(part for level in levels for one in level for part in _drawn(one))]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="system-ui, sans-serif" font-size="12">'
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", *drawn, "</svg>"])


def _place(node: Mapping[str, Any], depth: int, levels: list[list[Placed]]) -> list[Placed]:
    """Puts the boxes of a node and all above it into levels, the last node first; each is in the middle of its
    inputs, and no two of a level overlap."""
    while len(levels) <= depth:
        levels.append([])
    inputs = [one for child in node["inputs"] for one in _place(child, depth + 1, levels)]
    boxes = boxes_of(node)
    middle = (inputs[0].x + inputs[-1].x) / 2 if inputs else 0.0
    first = middle - (len(boxes) - 1) * (WIDTH + GAP_X) / 2
    placed = []
    for place, box in enumerate(boxes):
        least = levels[depth][-1].x + WIDTH + GAP_X if levels[depth] else first
        one = Placed(box, max(first + place * (WIDTH + GAP_X), least), inputs=inputs)
        levels[depth].append(one)
        placed.append(one)
    return placed


def _columns(levels: Sequence[Sequence[Placed]]) -> Iterator[float]:
    """Moves all boxes so that none is left of the margin; their places."""
    left = min(one.x for level in levels for one in level)
    for level in levels:
        for one in level:
            one.x += MARGIN - left
            yield one.x


def _ways(levels: Sequence[Sequence[Placed]]) -> Iterator[str]:
    for level in levels:
        for one in level:
            for source in one.inputs:
                x1, y1 = source.x + WIDTH / 2, source.y + source.height
                x2, y2 = one.x + WIDTH / 2, one.y
                bend = (y2 - y1) / 2
                yield (
                    f'<path d="M{x1:.0f},{y1:.0f} C{x1:.0f},{y1 + bend:.0f} {x2:.0f},{y2 - bend:.0f} {x2:.0f},{y2:.0f}"'
                    ' fill="none" stroke="#8a9099" stroke-width="1.5"/>'
                )


def _drawn(one: Placed) -> Iterator[str]:
    inside, edge = _COLOURS[one.box.kind]
    box = one.box
    yield "<g>"
    yield f"<title>{escape(chr(10).join([f'{box.title} {box.small}'.strip(), *box.lines]))}</title>"
    yield (
        f'<rect x="{one.x:.0f}" y="{one.y:.0f}" width="{WIDTH}" height="{one.height}" rx="6" fill="{inside}" '
        f'stroke="{edge}"/>'
    )
    small = _cut(box.small, 18)
    title = escape(_cut(box.title, ROOM - len(small) - 2))
    yield f'<text x="{one.x + 10:.0f}" y="{one.y + 17:.0f}" font-weight="600" fill="#1d2126">{title}</text>'
    if small:
        x = one.x + WIDTH - 10
        yield f'<text x="{x:.0f}" y="{one.y + 17:.0f}" text-anchor="end" fill="{edge}">{escape(small)}</text>'
    for place, line in enumerate(box.lines):
        y = one.y + HEAD + LINE * place + 12
        yield f'<text x="{one.x + 10:.0f}" y="{y:.0f}" fill="#3c434b">{escape(_cut(line, ROOM))}</text>'
    yield "</g>"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: max(room - 1, 1)]}…"
