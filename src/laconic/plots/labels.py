"""Where names fit between circles: inside of their own, or beside it where there is room.

The largest circles get a word in any case: across their neighbours if need be, but never across
another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from laconic.plots.layout import Field

LETTER, LINE = 6.1, 13.0  # width of a letter and height of a line of 11 points, on average
TRIED = 400  # topics whose names are tried, the largest first
LARGEST = 25  # circles that get a word where no place is free
SPACE = 3.0  # between a circle and its name


class Label(NamedTuple):
    """Lines of text around a place, or to the right ("left" aligned) or left of it."""

    circle: int
    x: float
    y: float
    lines: list[str]
    align: str = "center"
    inside: bool = False  # whether it is within its own circle

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top."""
        width, height = LETTER * max(map(len, self.lines)), LINE * len(self.lines) + SPACE
        left = self.x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[self.align]
        return left, self.y - height / 2, left + width, self.y + height / 2


def fit_labels(
    centres: np.ndarray,
    radii: np.ndarray,
    names: Sequence[Sequence[str]],
    field: Field,
    in_any_case: int = LARGEST,
) -> list[Label]:
    """Names that do not cover each other, the largest circle first.

    `names` are words of each circle; if not all of them fit beside it, the first may. The
    `in_any_case` largest get their first word even if it covers other circles.
    """
    placed: list[Label] = []
    boxes = np.zeros((0, 4))
    order = np.argsort(-radii, kind="stable")[:TRIED].tolist()
    for rank, circle in enumerate(order):
        for label in _candidates(circle, centres[circle], radii[circle], names[circle]):
            if _is_free(label, boxes, field) and not _covers(label, centres, radii):
                break
        else:
            x, y = centres[circle].tolist()
            label = Label(circle, x, y, list(names[circle][:1]))
            if rank >= in_any_case or not _is_free(label, boxes, field):
                continue
        placed.append(label)
        boxes = np.vstack([boxes, label.box])
    return placed


def _candidates(
    circle: int, centre: np.ndarray, radius: float, words: Sequence[str]
) -> Iterator[Label]:
    """Inside the circle, word below word; then beside it, shorter and shorter."""
    x, y = centre.tolist()
    for n in range(len(words), 1, -1):
        if _fits_inside(words[:n], radius):
            yield Label(circle, x, y, list(words[:n]), inside=True)
    for n in range(len(words), 0, -1):
        text = [", ".join(words[:n])]
        if _fits_inside(text, radius):
            yield Label(circle, x, y, text, inside=True)
        aside, above = radius + SPACE, radius + SPACE + LINE / 2
        yield Label(circle, x + aside, y, text, "left")
        yield Label(circle, x - aside, y, text, "right")
        yield Label(circle, x, y - above, text)
        yield Label(circle, x, y + above, text)


def _fits_inside(lines: Sequence[str], radius: float) -> bool:
    """Whether each line is shorter than the circle is wide at that height."""
    for number, line in enumerate(lines):
        height = LINE * (abs(number - (len(lines) - 1) / 2) + 0.4)
        room = (radius - 1) ** 2 - height**2
        if room <= 0 or LETTER * len(line) > 2 * np.sqrt(room):
            return False
    return True


def _is_free(label: Label, boxes: np.ndarray, field: Field) -> bool:
    """Whether a name is inside the field and apart from those placed before."""
    left, bottom, right, top = label.box
    if left < 0 or bottom < 0 or right > field.width or top > field.height:
        return False
    beside = (boxes[:, 0] < right) & (boxes[:, 2] > left)
    return not np.any(beside & (boxes[:, 1] < top) & (boxes[:, 3] > bottom))


def _covers(label: Label, centres: np.ndarray, radii: np.ndarray) -> bool:
    """Whether a name lies on a circle other than its own."""
    left, bottom, right, top = label.box
    apart = centres - np.clip(centres, [left, bottom], [right, top])
    covered = np.einsum("ij,ij->i", apart, apart) < radii**2
    covered[label.circle] = False
    return bool(covered.any())
