"""Which of the sizes that were tried is taken, and why.

Topics are to foretell unseen words *and* to come again when other documents are fitted; neither is
enough. What topics foretell hardly falls when there are too many of them, and few topics may well
come again that foretell little. So the score of a size is the product

    score = foretold share x stability

Where planted topics are found, it has a sharp peak: below their number some are merged, above it
some are split, and differently each time.

Real text has no such number: the score rises, ever more slowly, as far as one looks. Then a size
is taken beyond which a topic brings less than topics do on average: the knee of what is foretold,
where foretold / most foretold - size / largest size is largest. A curve that is no more bent than a
straight line has no knee: the range is too short, and its end is taken.

A classifier is for its classes, and more topics hardly ever classify worse. There the smallest size
is taken that does not classify clearly worse than the best: within two standard errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from laconic.tuning.trials import Trial

CLEARLY = 2.0  # standard errors below the best accuracy
RISING = 0.9  # share of the highest score that the largest size has where there is no peak
BENT = 0.1  # how far a curve is above a straight line at its knee


class Choice(NamedTuple):
    """The size that is taken, and by which rule: "peak", "knee" or "accuracy"."""

    size: int
    rule: str


def choose(trials: Mapping[int, Trial], most: int) -> Choice:
    """The size to take; `most` is the largest that may be tried."""
    if any(trial.right is not None for trial in trials.values()):
        return Choice(_least_not_worse(trials), "accuracy")
    best = max(trials, key=lambda size: (trials[size].score, -size))
    top = trials[best].score
    is_open = most in trials and trials[most].score >= RISING * top > 0
    if len(trials) < 3 or not is_open:
        return Choice(best, "peak")
    foretold = {size: trial.foretold.share for size, trial in trials.items()}
    full = max(foretold.values())
    above = {size: share / full - size / most for size, share in foretold.items()}
    knee = max(above, key=lambda size: (above[size], -size))
    return Choice(knee, "knee") if above[knee] >= BENT else Choice(best, "peak")


def _least_not_worse(trials: Mapping[int, Trial]) -> int:
    best = max(trials, key=lambda size: (trials[size].accuracy, -size))
    limit = trials[best].accuracy - CLEARLY * trials[best].accuracy_error
    return min(size for size, trial in trials.items() if trial.accuracy >= limit)


def has_passed(trials: Mapping[int, Trial], patience: int = 2) -> bool:
    """Whether the last sizes that were tried brought nothing better."""
    if len(trials) <= patience:
        return False
    sizes = sorted(trials)
    if trials[sizes[0]].right is not None:
        return _least_not_worse(trials) <= sizes[-1 - patience]
    best = max(sizes, key=lambda size: trials[size].score)
    return best <= sizes[-1 - patience]
