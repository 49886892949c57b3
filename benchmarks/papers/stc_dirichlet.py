"""Figure 2 (left) of the STC paper: effect of the Dirichlet prior on word codes of LDA.

The paper states that a small α makes word codes sparse, because data are scarce, but that these
codes classify badly. With a large α, codes are dense and classify better. Between them is "a sharp
change point around α = 10⁻³".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.harness import Goal, Run, threads
from benchmarks.newsgroups import Halves, newsgroup_halves
from benchmarks.papers.comparison import svm_accuracy
from benchmarks.papers.entropic_lda import EntropicLDA

K = 70
ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1, 0.5)
MORE_ALPHAS = (1e-5, *ALPHAS, 2.0)
PASSES = 20
PAPER_CHANGE = 1e-3
WHY_CHANGE = "we smooth topics and count codes below 1e-4 as zero; the paper states neither rule"


class Point(NamedTuple):
    """Results of LDA for one value of α."""

    zeros: float
    accuracy: float  # in %


def stc_dirichlet(run: Run) -> None:
    """Figure 2 (left): zeros in word codes and accuracy of LDA by its Dirichlet parameter."""
    halves = newsgroup_halves(run)
    n_topics, passes = (5, 3) if run.smoke else (K, PASSES)
    alphas = (1e-3, 0.5) if run.smoke else MORE_ALPHAS if run.full else ALPHAS
    run.note(
        f"Variational LDA with {n_topics} topics, {passes} passes over the training half, and a "
        "fixed α. Zeros are the elements of word codes of the test half below 1e-4 (the paper: "
        "'very small values'). Accuracy is the accuracy of a linear SVM on document codes. The "
        "paper states that codes with a small α are sparse and classify badly, that a large α "
        "classifies better and 'dramatically reduces the sparsity ratio', and that there is 'a "
        "sharp change point around α = 10⁻³'. --full adds two more values of α."
    )
    with threads(1):
        curve = {}
        for alpha in alphas:
            curve[alpha] = _point(halves, n_topics, passes, alpha, run.seed)
            run.row(f"zeros in word codes, LDA, α={alpha:g}", curve[alpha].zeros, "")
            run.row(f"accuracy, LDA, α={alpha:g}", curve[alpha].accuracy, "%")
    _statements(run, curve)


def _point(halves: Halves, n_topics: int, passes: int, alpha: float, seed: int) -> Point:
    lda = EntropicLDA(n_topics, 0.0, alpha=alpha, max_iter=passes, random_state=seed)
    lda.fit(halves.train)
    judged = svm_accuracy(
        lda.transform(halves.train),
        halves.train_labels,
        halves.is_validation,
        lda.transform(halves.test),
        halves.test_labels,
    )
    return Point(lda.word_code_zeros(halves.test), 100 * judged.accuracy)


def _statements(run: Run, curve: dict[float, Point]) -> None:
    """Check the paper's statements about the smallest and largest α and the change point."""
    few, many = min(curve), max(curve)
    run.row(
        f"zeros at α={few:g} over those at α={many:g}",
        curve[few].zeros,
        "",
        peer=f"α={many:g}",
        peer_value=curve[many].zeros,
        goal=Goal("sparser", lambda ratio: ratio > 1, "ratio"),
    )
    run.row(
        f"accuracy at α={many:g} over that at α={few:g}",
        curve[many].accuracy,
        "%",
        peer=f"α={few:g}",
        peer_value=curve[few].accuracy,
        goal=Goal("higher", lambda ratio: ratio > 1, "ratio"),
    )
    change = change_point({alpha: point.zeros for alpha, point in curve.items()})
    run.row(
        "α of the sharpest change of zeros",
        change,
        "",
        peer=None if run.smoke else "the paper, around",
        peer_value=None if run.smoke else PAPER_CHANGE,
        why=WHY_CHANGE if change > 3 * PAPER_CHANGE else None,
    )


def change_point(curve: dict[float, float]) -> float:
    """Return the geometric mean of the two adjacent α between which the curve is steepest."""
    alphas = np.array(sorted(curve))
    steps = np.abs(np.diff([curve[alpha] for alpha in alphas]))
    at = int(np.argmax(steps / np.diff(np.log(alphas))))
    return float(np.sqrt(alphas[at] * alphas[at + 1]))
