"""Label placement: put names inside their circles, or beside them where there is room.

Names never overlap each other. If there is no free position for the name of a circle, its first
word is put on top of neighbouring circles, but only if the circle is one of the largest or if no
other name is nearby. In this way, every region of a crowded map has a name.

The width of a name is its width in Helvetica (the same as in Arial and Liberation) times `letters`,
a percentage. The explorer measures `letters` with the font of the browser.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import east_asian_width

import numpy as np

from laconic.plots.layout import Field

SIZE, LINE = 11.0, 13.0  # font size and line height
HELVETICA = 100  # letter width of Helvetica in percent
UNMEASURED = 120  # letter width assumed for an unknown font; words in DejaVu Sans have 105 to 122
TRIED = 1000  # maximum number of circles to name, the largest first
LARGEST = 25  # this many of the largest circles get a word even on top of other circles
CROWD = 150  # with more circles than this, a map is crowded
# Minimum distance of a name from other names in x and y, in points:
AROUND = (18.0, 7.0)  # if the name is on top of other circles in a crowded map
BESIDE, TOUCHING = (4.0, 0.0), (0.0, 0.0)  # if it covers no other circle; in all other cases
SPACE, RIM = 3.0, 2.0  # gap between the edge of a circle and its name: outside, and inside
ASIDE = 0.75  # offset of a diagonal name in x and y, as a fraction of the radius

# Widths of Helvetica's letters in thousandths of the font size; for other letters see `_wide`.
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
    """Lines of text, centred at a position, or to its right (align "left") or left ("right")."""

    circle: int
    x: float
    y: float
    lines: list[str]
    letters: int
    align: str = "center"
    inside: bool = False  # whether the text is inside its circle

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top."""
        width = max(width_of(line, self.letters) for line in self.lines)
        height = LINE * len(self.lines) + SPACE
        left = self.x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[self.align]
        return left, self.y - height / 2, left + width, self.y + height / 2


class _Circle(NamedTuple):
    """A circle, the words of its name, and the width of their letters."""

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
    """Return the width of a text in points; `letters` is a percentage of Helvetica's width.

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
    """Circles, and the names placed so far."""

    def __init__(self, centres: np.ndarray, radii: np.ndarray, field: Field) -> None:
        self.centres, self.radii, self.field = centres, radii, field
        self.labels: list[Label] = []
        self.taken = np.zeros((0, 4))

    def put(self, label: Label) -> None:
        self.labels.append(label)
        self.taken = np.vstack([self.taken, label.box])

    def free(self, boxes: np.ndarray, around: tuple[float, float] = BESIDE) -> np.ndarray:
        """Return which boxes are inside the field and at least `around` away from all names."""
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
    """Return which rectangles may touch any of the boxes: a cheap filter before exact tests."""
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

    `names` are the words of each circle; if not all of them fit, only the first words are placed.
    With `across`, some circles get their first word even if it covers other circles.
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
    """Put the first word on the circle or beside it, where it covers the fewest other circles."""
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
    """Yield labels inside the circle with one word per line, then labels of one line.

    Labels of one line are inside or beside the circle. Labels with more words come first.
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
    """Yield labels to the right, to the left, below, above; then diagonally."""
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
    """Yield labels above and below the circle that start at its centre or at its opposite edge.

    Then yield labels at the sides, half a line lower or higher than the centre.
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
