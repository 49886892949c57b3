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

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from laconic.tuning.result import shown
from laconic.tuning.sizes import Sizes
from laconic.tuning.sparsity import Sparsity, Step, sparsest
from laconic.tuning.trials import Documents, Trial

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


# --- reasons, in sentences ------------------------------------------------------------------------


def reasons_for_size(
    trials: Mapping[int, Trial], choice: Choice, sizes: Sizes, documents: Documents
) -> list[str]:
    """What was looked at, what was chosen, and what speaks against the neighbours."""
    n, parts = len(documents.corpus), len(documents.parts)
    looked = (
        f"{n:,} of {documents.n_all:,} documents" if n < documents.n_all else f"{n:,} documents"
    )
    tried = (
        f"{len(trials)} numbers of topics were" if len(trials) > 1 else "One number of topics was"
    )
    sentences = [
        f"{tried} tried on {looked}, each fitted {parts} times to all but a part of them and "
        "judged by that part."
    ]
    sentences.append(RULES[choice.rule](trials, choice.size))
    if choice.rule == "peak":
        sentences += _neighbours(trials, choice.size)
    if choice.size == max(trials) == sizes.most and choice.rule != "knee":
        sentences.append(
            f"{choice.size:,} is the largest number that was allowed; more may be better."
        )
    return sentences


def _by_peak(trials: Mapping[int, Trial], size: int) -> str:
    trial = trials[size]
    return (
        f"{size} topics have the highest score: they foretell {_percent(trial)} of what unseen "
        f"words vary by, and come again to {trial.stability:.2f} when other documents are fitted."
    )


def _by_knee(trials: Mapping[int, Trial], size: int) -> str:
    last = max(trials)
    return (
        f"No number stands out: the score still rises at {last} topics. {size} is the knee, where "
        f"{_percent(trials[size])} of what unseen words vary by is foretold; from there on a "
        f"topic brings less than the {last} do on average ({_percent(trials[last])} in all)."
    )


def _by_accuracy(trials: Mapping[int, Trial], size: int) -> str:
    best = max(trials, key=lambda k: trials[k].accuracy)
    trial, top = trials[size], trials[best]
    if best == size:
        return f"{size} topics classify best: {trial.accuracy:.1%} of unseen documents."
    return (
        f"{size} topics are the fewest that classify within two standard errors of the best: "
        f"{trial.accuracy:.1%} of unseen documents, where {best} topics classify "
        f"{top.accuracy:.1%} ± {top.accuracy_error:.1%}."
    )


RULES = {"peak": _by_peak, "knee": _by_knee, "accuracy": _by_accuracy}


def _neighbours(trials: Mapping[int, Trial], size: int) -> list[str]:
    """What fewer and more topics lack."""
    order = sorted(trials)
    at = order.index(size)
    found = []
    for word, near in (("Fewer", order[at - 1 : at]), ("More", order[at + 1 : at + 2])):
        for other in near if at or word == "More" else []:
            trial = trials[other]
            found.append(f"{word}, such as {other}: {_percent(trial)} and {trial.stability:.2f}.")
    return found


def reasons_for_sparsity(path: Sparsity, steps: Sequence[Step]) -> list[str]:
    """Which setting of the path was taken."""
    if not steps:
        return []
    chosen = sparsest(steps)
    best = max(steps, key=lambda step: step.trial.measure)
    zeros = f"{chosen.trial.zeros:.0%} zeros in the {path.of}"
    if chosen.value is None:
        return [f"{path.parameter} stays as it is ({zeros}): any sparser costs more than one "
                "standard error."]  # fmt: skip
    return [
        f"{path.parameter}={shown(chosen.value)} is the sparsest setting ({zeros}) within one "
        f"standard error of the best, {shown(best.value)}."
    ]


def _percent(trial: Trial) -> str:
    return f"{trial.foretold.share:.1%}"
