"""Label placement: put each name inside its circle, or beside the circle where there is room.

Names never overlap each other. If no position is free for the name of a circle, the first word of
the name is put on top of neighbouring circles, but only if the circle is one of the largest or if
no other name is nearby. In this way, every region of a crowded map has a name.

The percentage `letters` is the width of text relative to Helvetica; Arial and Liberation have the
same letter widths as Helvetica. The explorer measures `letters` with the font of the browser.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import east_asian_width

import numpy as np

from laconic.plots.layout import Field

SIZE, LINE = 11.0, 13.0  # font size and line height, in points
HELVETICA = 100  # value of `letters` for Helvetica, in percent
UNMEASURED = 120  # value of `letters` for an unknown font; DejaVu Sans has 105 to 122
TRIED = 1000  # maximum number of circles that get a name, starting with the largest circle
LARGEST = 25  # number of the largest circles whose word may cover other circles
CROWD = 150  # a map with more than this number of circles is crowded
# Minimum distance between names in x and y, in points: AROUND is for a name that covers other
# circles in a crowded map, BESIDE for a name that covers no other circle, TOUCHING for other names
AROUND = (18.0, 7.0)
BESIDE, TOUCHING = (4.0, 0.0), (0.0, 0.0)
# gap in points between the edge of a circle and a name outside (SPACE) or inside (RIM) the circle
SPACE, RIM = 3.0, 2.0
ASIDE = 0.75  # offset of a diagonal name in x and y, as a fraction of the radius of the circle

# Letter widths of Helvetica in thousandths of the font size; `_wide` returns other letter widths.
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
    """Lines of text at the position (x, y).

    The text is centred at the position, starts there (align "left") or ends there ("right").
    """

    circle: int
    x: float
    y: float
    lines: list[str]
    letters: int
    align: str = "center"
    inside: bool = False  # whether the text is inside its circle

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The edges of the label: left, bottom, right, top."""
        width = max(width_of(line, self.letters) for line in self.lines)
        height = LINE * len(self.lines) + SPACE
        left = self.x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[self.align]
        return left, self.y - height / 2, left + width, self.y + height / 2


class _Circle(NamedTuple):
    """A circle, the words of its name, and the letter width in percent."""

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
    """Return the width of a text in points; `letters` is the width in percent of Helvetica.

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
    """The circles of a map, and the names that are already placed."""

    def __init__(self, centres: np.ndarray, radii: np.ndarray, field: Field) -> None:
        self.centres, self.radii, self.field = centres, radii, field
        self.labels: list[Label] = []
        self.taken = np.zeros((0, 4))

    def put(self, label: Label) -> None:
        self.labels.append(label)
        self.taken = np.vstack([self.taken, label.box])

    def free(self, boxes: np.ndarray, around: tuple[float, float] = BESIDE) -> np.ndarray:
        """Return a mask of the boxes that are inside the field and `around` away from all names."""
        inside = (boxes[:, :2] >= 0).all(axis=1) & (boxes[:, 2:] <= self.field).all(axis=1)
        boxes = np.hstack([boxes[:, :2] - around, boxes[:, 2:] + around])
        names = self.taken[_meets(self.taken[:, :2], self.taken[:, 2:], boxes)]
        apart = names[:, :2] >= boxes[:, None, 2:]
        apart |= names[:, 2:] <= boxes[:, None, :2]
        return np.asarray(inside & apart.any(axis=2).all(axis=1))

    def covered(self, circle: int, boxes: np.ndarray) -> np.ndarray:
        """Return the number of circles other than `circle` that each box overlaps."""
        radii = self.radii[:, None]
        near = _meets(self.centres - radii, self.centres + radii, boxes)
        near[circle] = False
        centres = self.centres[near]
        nearest = np.minimum(np.maximum(centres, boxes[:, None, :2]), boxes[:, None, 2:])
        apart = ((centres - nearest) ** 2).sum(axis=2)
        return np.asarray((apart < self.radii[near] ** 2).sum(axis=1))


def _meets(low: np.ndarray, high: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Return a mask of the rectangles that may touch a box; a fast filter before exact tests."""
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
    """Place names so that they do not overlap each other, starting with the largest circle.

    `names` has the words of each circle; if not all words fit, only the first words are placed. If
    `across` is true, some circles get their first word even where it covers other circles.
    """
    board = _Map(centres, radii, field)
    unnamed = []
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
            unnamed.append(circle)
    around = AROUND if len(radii) > CROWD else TOUCHING
    for circle in unnamed if across else ():
        _put_across(board, circle, around)
    return board.labels


def _put_across(board: _Map, circle: _Circle, around: tuple[float, float] = TOUCHING) -> bool:
    """Put the first word on or beside the circle, where it covers the fewest other circles."""
    word = circle.words[0]
    centred = circle.label(circle.x, circle.y, [word])
    candidates = [centred, *_beside(circle, word), *_around(circle, word)]
    boxes = np.array([label.box for label in candidates])
    free = np.flatnonzero(board.free(boxes, around))
    if not len(free):
        return False
    board.put(candidates[free[board.covered(circle.number, boxes[free]).argmin()]])
    return True


def _candidates(circle: _Circle) -> Iterator[Label]:
    """Yield labels with one word per line inside the circle, then labels of one line.

    Labels of one line may be inside or beside the circle. Labels with more words come first.
    """
    words = circle.words
    for n in range(len(words), 1, -1):
        yield from _inside(circle, list(words[:n]))
    for n in range(len(words), 0, -1):
        text = ", ".join(words[:n])
        yield from _inside(circle, [text])
        yield from _beside(circle, text)


def _inside(circle: _Circle, lines: list[str]) -> Iterator[Label]:
    """Yield a label inside the circle if the circle is wide enough at the height of each line."""
    for number, line in enumerate(lines):
        height = LINE * (abs(number - (len(lines) - 1) / 2) + 0.4)
        room = (circle.radius - RIM) ** 2 - height**2
        if room <= 0 or width_of(line, circle.letters) > 2 * np.sqrt(room):
            return
    yield circle.label(circle.x, circle.y, lines)._replace(inside=True)


def _beside(circle: _Circle, text: str) -> Iterator[Label]:
    """Yield labels to the right, to the left, below and above the circle, then diagonally."""
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
    """Yield labels above and below the circle that start or end at its centre or at an edge.

    Then yield labels to the right and left, half a line above or below the centre.
    """
    _, x, y, radius, _, _ = circle
    above, aside = radius + SPACE + LINE / 2, radius + SPACE
    for start in (0.0, radius):
        for down in (-above, above):
            yield circle.label(x - start, y + down, [text], "left")
            yield circle.label(x + start, y + down, [text], "right")
    for down in (-LINE / 2, LINE / 2):
        yield circle.label(x + aside, y + down, [text], "left")
        yield circle.label(x - aside, y + down, [text], "right")
