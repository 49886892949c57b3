"""Rules that choose the number of topics, and sentences that explain the choice.

Good topics predict held-out words *and* recur when the model is refitted to other documents. Either
property alone is not enough: the explained share hardly falls when there are too many topics, and a
few topics may recur but explain little. Therefore, the score of a size (a number of topics) is the
product of both:

    score = explained share x recurrence

On data drawn from known topics, the score has a sharp peak at the true number of topics. If there
are fewer topics, some true topics are merged, and if there are more, some are split. Different fits
merge and split different topics.

Real text has no true number of topics, and the score keeps rising, but ever more slowly. In this
case, the knee of the explained share is chosen, beyond which each extra topic adds less than the
average topic. The knee is the size with the largest value of

    explained share / highest explained share - size / largest size

If the curve is nearly a straight line, there is no knee, because the range of sizes is too short.
In this case, the size with the highest score is chosen.

A classifier is judged by its accuracy, which rarely falls when topics are added. Therefore, the
smallest size whose accuracy is within two standard errors of the best accuracy is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from laconic.tuning.result import format_setting
from laconic.tuning.sizes import Sizes
from laconic.tuning.sparsity import Sparsity, Step, sparsest
from laconic.tuning.trials import Documents, Trial

MAX_ERRORS = 2.0  # maximum difference from the best accuracy, in standard errors
# The score has no peak if the largest size has at least this share of the highest score.
RISING = 0.9
MIN_BEND = 0.1  # minimum height of a knee above the diagonal of the scaled curve


class Choice(NamedTuple):
    """The chosen size and the name of the rule: "peak", "knee" or "accuracy"."""

    size: int
    rule: str


def choose(trials: Mapping[int, Trial], largest: int) -> Choice:
    """Choose a size from the trials; `largest` is the upper end of the search range."""
    if any(trial.right is not None for trial in trials.values()):
        return Choice(_smallest_accurate(trials), "accuracy")
    best = max(trials, key=lambda size: (trials[size].score, -size))
    top = trials[best].score
    still_rising = largest in trials and trials[largest].score >= RISING * top > 0
    if len(trials) < 3 or not still_rising:
        return Choice(best, "peak")
    explained = {size: trial.prediction.explained for size, trial in trials.items()}
    highest = max(explained.values())
    bend = {size: share / highest - size / largest for size, share in explained.items()}
    knee = max(bend, key=lambda size: (bend[size], -size))
    return Choice(knee, "knee") if bend[knee] >= MIN_BEND else Choice(best, "peak")


def _smallest_accurate(trials: Mapping[int, Trial]) -> int:
    """Return the smallest size whose accuracy is close to the best."""
    best = max(trials, key=lambda size: (trials[size].accuracy, -size))
    limit = trials[best].accuracy - MAX_ERRORS * trials[best].accuracy_error
    return min(size for size, trial in trials.items() if trial.accuracy >= limit)


def has_passed(trials: Mapping[int, Trial], patience: int = 2) -> bool:
    """Return whether the best size is smaller than the `patience` largest sizes tried."""
    if len(trials) <= patience:
        return False
    sizes = sorted(trials)
    if trials[sizes[0]].right is not None:
        return _smallest_accurate(trials) <= sizes[-1 - patience]
    best = max(sizes, key=lambda size: trials[size].score)
    return best <= sizes[-1 - patience]


# --- reasons -------------------------------------------------------------------------------------


def reasons_for_size(
    trials: Mapping[int, Trial], choice: Choice, sizes: Sizes, documents: Documents
) -> list[str]:
    """Explain in sentences which sizes were tried and why the chosen size is best."""
    n, n_folds = len(documents.corpus), len(documents.folds)
    data = f"{n:,} of {documents.n_all:,} documents" if n < documents.n_all else f"{n:,} documents"
    tried = (
        f"{len(trials)} numbers of topics were" if len(trials) > 1 else "One number of topics was"
    )
    sentences = [f"{tried} tried on {data} with {n_folds}-fold cross-validation."]
    sentences.append(RULES[choice.rule](trials, choice.size))
    if choice.rule == "peak":
        sentences += _neighbours(trials, choice.size)
    if choice.size == max(trials) == sizes.largest and choice.rule != "knee":
        sentences.append(
            f"{choice.size:,} is the largest number of topics allowed in the search; more topics "
            "may be better."
        )
    return sentences


def _by_peak(trials: Mapping[int, Trial], size: int) -> str:
    trial = trials[size]
    return (
        f"{size} topics have the highest score: they explain {_percent(trial)} of the variance of "
        f"held-out words, and their recurrence across fits is {trial.recurrence:.2f}."
    )


def _by_knee(trials: Mapping[int, Trial], size: int) -> str:
    last = max(trials)
    return (
        f"The score has no clear peak, because it is still near its maximum for {last} topics. The "
        f"knee of the explained share is at {size} topics; beyond it, each extra topic adds less "
        f"than the average topic. {size} topics explain {_percent(trials[size])} of the variance "
        f"of held-out words, compared with {_percent(trials[last])} for {last} topics."
    )


def _by_accuracy(trials: Mapping[int, Trial], size: int) -> str:
    best = max(trials, key=lambda k: trials[k].accuracy)
    trial, top = trials[size], trials[best]
    if best == size:
        return (
            f"{size} topics have the highest accuracy on held-out documents: {trial.accuracy:.1%}."
        )
    return (
        f"{size} topics are the fewest whose accuracy on held-out documents is within two standard "
        f"errors of the best. It is {trial.accuracy:.1%}; {best} topics have {top.accuracy:.1%} ± "
        f"{top.accuracy_error:.1%}."
    )


RULES = {"peak": _by_peak, "knee": _by_knee, "accuracy": _by_accuracy}


def _neighbours(trials: Mapping[int, Trial], size: int) -> list[str]:
    """Describe the explained share and recurrence of the next smaller and next larger size."""
    order = sorted(trials)
    at = order.index(size)
    sentences = []
    for word, near in (("Fewer", order[at - 1 : at]), ("More", order[at + 1 : at + 2])):
        for other in near if at or word == "More" else []:
            trial = trials[other]
            sentences.append(
                f"{word} topics, such as {other}, explain {_percent(trial)}; their recurrence is "
                f"{trial.recurrence:.2f}."
            )
    return sentences


def reasons_for_sparsity(path: Sparsity, steps: Sequence[Step]) -> list[str]:
    """Explain in a sentence which setting of the sparsity path was chosen."""
    if not steps:
        return []
    chosen = sparsest(steps)
    best = max(steps, key=lambda step: step.trial.metric)
    zeros = f"{chosen.trial.zeros:.0%} zeros in the {path.zeros_in}"
    if chosen.value is None:
        return [f"{path.parameter} keeps its default ({zeros}), because every sparser setting is "
                "more than one standard error worse than the best."]  # fmt: skip
    return [
        f"{path.parameter}={format_setting(chosen.value)} is the sparsest setting ({zeros}) within "
        f"one standard error of the best setting ({format_setting(best.value)})."
    ]


def _percent(trial: Trial) -> str:
    return f"{trial.prediction.explained:.1%}"
