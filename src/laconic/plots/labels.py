"""Where names fit between circles: inside of their own, or beside it where there is room.

Names never cover each other. A circle for whose name no place is free gets its first word across
its neighbours, if it is one of the largest, or if there is no other name around: so every region
of a crowded map is named.

Names are as wide as Helvetica draws them, which is Arial's and Liberation's width too, times
`letters`, a percentage: a page measures it with the font that it really draws with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import east_asian_width

import numpy as np

from laconic.plots.layout import Field

SIZE, LINE = 11.0, 13.0  # of letters, and height of a line
HELVETICA = 100  # percent of its own width
UNMEASURED = 120  # where nobody knows the font: DejaVu Sans draws words at 105 to 122
TRIED = 1000  # topics whose names are tried, the largest first
LARGEST = 25  # circles that get a word where no place is free
CROWD = 150  # circles from which names across others keep away from each other
AROUND = (18.0, 7.0)  # how far, in points across and up
BESIDE, TOUCHING = (4.0, 0.0), (0.0, 0.0)  # how far others do, and those that find no place else
SPACE, RIM = 3.0, 2.0  # between a circle and its name, beside it and inside
ASIDE = 0.75  # of the radius, to the right and above: a name at the shoulder of a circle

# Widths of Helvetica's letters, in thousandths of its size; those that are not here are 556 wide.
_WIDTHS = {
    **dict.fromkeys("ijl'|", 222),
    **dict.fromkeys(" ,.:;!ft/\\I", 278),
    **dict.fromkeys("r-()[]", 333),
    **dict.fromkeys("ckvxyzJs", 500),
    **dict.fromkeys("FTZL", 611),
    **dict.fromkeys("ABEKPSVXY&", 667),
    **dict.fromkeys("wCDHNRU", 722),
    **dict.fromkeys("GOQ", 778),
    **dict.fromkeys("mM", 833),
    **dict.fromkeys("W@%…", 1000),
}


class Label(NamedTuple):
    """Lines of text around a place, or to the right ("left" aligned) or left of it."""

    circle: int
    x: float
    y: float
    lines: list[str]
    letters: int
    align: str = "center"
    inside: bool = False  # whether it is within its own circle

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top."""
        width = max(width_of(line, self.letters) for line in self.lines)
        height = LINE * len(self.lines) + SPACE
        left = self.x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[self.align]
        return left, self.y - height / 2, left + width, self.y + height / 2


class _Circle(NamedTuple):
    """A circle, the words of its name, and how wide their letters are."""

    number: int
    x: float
    y: float
    radius: float
    words: Sequence[str]
    letters: int

    def label(self, x: float, y: float, lines: list[str], align: str = "center") -> Label:
        return Label(self.number, x, y, lines, self.letters, align)


@lru_cache(maxsize=10_000)
def width_of(text: str, letters: int = UNMEASURED) -> float:
    """How wide a text is drawn, in points, where letters have so many percent of Helvetica's width.

    Examples
    --------
    >>> width_of("mm") > 3 * width_of("il")
    True
    >>> round(width_of("mm", 100), 2), round(width_of("mm", 150), 2)
    (18.88, 28.31)
    """
    wide = sum(_WIDTHS.get(letter) or _wide(letter) for letter in text)
    return 1.03 * SIZE * wide / 1000 * letters / HELVETICA


def _wide(letter: str) -> int:
    return 1000 if east_asian_width(letter) in "WF" else 722 if letter.isupper() else 556


class _Map:
    """Circles, and the names that have a place so far."""

    def __init__(self, centres: np.ndarray, radii: np.ndarray, field: Field) -> None:
        self.centres, self.radii, self.field = centres, radii, field
        self.labels: list[Label] = []
        self.taken = np.zeros((0, 4))

    def put(self, label: Label) -> None:
        self.labels.append(label)
        self.taken = np.vstack([self.taken, label.box])

    def free(self, boxes: np.ndarray, around: tuple[float, float] = BESIDE) -> np.ndarray:
        """Which boxes are inside the field and so far apart from all names."""
        inside = (boxes[:, :2] >= 0).all(axis=1) & (boxes[:, 2:] <= self.field).all(axis=1)
        boxes = np.hstack([boxes[:, :2] - around, boxes[:, 2:] + around])
        names = self.taken[_meets(self.taken[:, :2], self.taken[:, 2:], boxes)]
        apart = names[:, :2] >= boxes[:, None, 2:]
        apart |= names[:, 2:] <= boxes[:, None, :2]
        return np.asarray(inside & apart.any(axis=2).all(axis=1))

    def covered(self, circle: int, boxes: np.ndarray) -> np.ndarray:
        """How many circles other than its own each box lies on."""
        radii = self.radii[:, None]
        near = _meets(self.centres - radii, self.centres + radii, boxes)
        near[circle] = False
        centres = self.centres[near]
        nearest = np.minimum(np.maximum(centres, boxes[:, None, :2]), boxes[:, None, 2:])
        apart = ((centres - nearest) ** 2).sum(axis=2)
        return np.asarray((apart < self.radii[near] ** 2).sum(axis=1))


def _meets(low: np.ndarray, high: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """What may touch any of some boxes: few of many, and only those are looked at in detail."""
    start, end = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return np.asarray(((high > start) & (low < end)).all(axis=1))


def fit_labels(
    centres: np.ndarray,
    radii: np.ndarray,
    names: Sequence[Sequence[str]],
    field: Field,
    *,
    across: bool = True,
    letters: int = UNMEASURED,
) -> list[Label]:
    """Names that do not cover each other, the largest circle first.

    `names` are words of each circle; if not all of them fit beside it, the first may. With
    `across` some get their first word even if it covers other circles.
    """
    board = _Map(centres, radii, field)
    left_over = []
    for rank, number in enumerate(np.argsort(-radii, kind="stable")[:TRIED].tolist()):
        x, y = centres[number].tolist()
        circle = _Circle(number, x, y, float(radii[number]), names[number], letters)
        candidates = list(_candidates(circle))
        boxes = np.array([label.box for label in candidates])
        fits = board.free(boxes)
        if fits.any():
            fits[fits] = board.covered(number, boxes[fits]) == 0
        if fits.any():
            board.put(candidates[int(fits.argmax())])
        elif rank >= LARGEST or not (across and _put_across(board, circle)):
            left_over.append(circle)
    around = AROUND if len(radii) > CROWD else TOUCHING
    for circle in left_over if across else ():
        _put_across(board, circle, around)
    return board.labels


def _put_across(board: _Map, circle: _Circle, around: tuple[float, float] = TOUCHING) -> bool:
    """The first word on the circle or beside it, where it covers the fewest others."""
    word = circle.words[0]
    here = circle.label(circle.x, circle.y, [word])
    candidates = [here, *_beside(circle, word), *_around(circle, word)]
    boxes = np.array([label.box for label in candidates])
    free = np.flatnonzero(board.free(boxes, around))
    if not len(free):
        return False
    board.put(candidates[free[board.covered(circle.number, boxes[free]).argmin()]])
    return True


def _candidates(circle: _Circle) -> Iterator[Label]:
    """Inside the circle, word below word; then beside it, shorter and shorter."""
    words = circle.words
    for n in range(len(words), 1, -1):
        yield from _inside(circle, list(words[:n]))
    for n in range(len(words), 0, -1):
        text = ", ".join(words[:n])
        yield from _inside(circle, [text])
        yield from _beside(circle, text)


def _inside(circle: _Circle, lines: list[str]) -> Iterator[Label]:
    """Where each line is shorter than the circle is wide at that height."""
    for number, line in enumerate(lines):
        height = LINE * (abs(number - (len(lines) - 1) / 2) + 0.4)
        room = (circle.radius - RIM) ** 2 - height**2
        if room <= 0 or width_of(line, circle.letters) > 2 * np.sqrt(room):
            return
    yield circle.label(circle.x, circle.y, lines)._replace(inside=True)


def _beside(circle: _Circle, text: str) -> Iterator[Label]:
    """To the right, to the left, above, below; then at the shoulders."""
    _, x, y, radius, _, _ = circle
    aside, above = radius + SPACE, radius + SPACE + LINE / 2
    yield circle.label(x + aside, y, [text], "left")
    yield circle.label(x - aside, y, [text], "right")
    yield circle.label(x, y - above, [text])
    yield circle.label(x, y + above, [text])
    aside, above = ASIDE * radius + SPACE, ASIDE * radius + LINE / 2
    for down in (-above, above):
        yield circle.label(x + aside, y + down, [text], "left")
        yield circle.label(x - aside, y + down, [text], "right")


def _around(circle: _Circle, text: str) -> Iterator[Label]:
    """Above and below, but from the middle or the far edge on; at half height on either side."""
    _, x, y, radius, _, _ = circle
    above, aside = radius + SPACE + LINE / 2, radius + SPACE
    for start in (0.0, radius):
        for down in (-above, above):
            yield circle.label(x - start, y + down, [text], "left")
            yield circle.label(x + start, y + down, [text], "right")
    for down in (-LINE / 2, LINE / 2):
        yield circle.label(x + aside, y + down, [text], "left")
        yield circle.label(x - aside, y + down, [text], "right")
