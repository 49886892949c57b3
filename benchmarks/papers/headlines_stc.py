"""Headlines of the paper on sparse topical coding."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.papers.headlines import Cell, Headline, at_least, near, rising
from benchmarks.papers.names import STC

OVER = "stc-over-topics"
LDA = "LDA (variational)"
HALF = "the training half only; the paper also learns from the test documents"


def _pair(measure: str, one: str, other: str, unit: str = "", size: int = 60) -> Cell:
    rows = (f"{measure}, {one}, K={size}", f"{measure}, {other}, K={size}")
    return Cell(OVER, rows, f"{{0}} and {{1}}{unit}")


def _by(points: float) -> Callable[[float, float], bool]:
    return lambda one, other: one >= other + points


HEADLINES = (
    Headline(
        STC,
        "figure 2, left",
        "α at which LDA's word codes become dense",
        "about 0.001",
        near(1e-3, 1),
        Cell("stc-dirichlet", ("α of the sharpest change of zeros",)),
        judged="within a factor of two",
    ),
    Headline(
        STC,
        "figure 2, right",
        "zeros in word codes: STC above LDA, K = 60",
        "above",
        _by(0),
        ours=_pair("zeros in word codes", "STC", LDA),
    ),
    Headline(
        STC,
        "figure 2, right",
        "zeros in word codes: STC above NMF, K = 60",
        "above",
        _by(0),
        ours=_pair("zeros in word codes", "STC", "NMF"),
        same="NMF by coordinate descent on tf-idf",
    ),
    Headline(
        STC,
        "figure 3",
        "topics of the word 'speed'",
        "4",
        near(4, 0),
        ours=Cell("stc-words", ("topics of 'speed', STC",)),
        same="no: shares of the explained counts, not means of the codes",
        judged="topics with 5 % or more of the average code",
    ),
    Headline(
        STC,
        "figure 4",
        "codes of MedSTC separate classes better than STC's",
        "better",
        _by(1),
        ours=Cell(
            "stc-classes",
            ("documents at the nearest average, MedSTC", "documents at the nearest average, STC"),
            "{0} and {1} % at the mean of their class",
        ),
        same="codes do not know the labels",
        judged="by documents nearest to the mean of their class; 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above LDA, K = 60",
        "about 10 points",
        _by(1),
        ours=_pair("accuracy", "STC", LDA, " %"),
        same=HALF,
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above NMF, K = 60",
        "above",
        _by(1),
        ours=_pair("accuracy", "STC", "NMF", " %"),
        same=HALF,
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above gaussSTC, K = 60",
        "above",
        _by(1),
        ours=_pair("accuracy", "STC", "gaussSTC", " %"),
        same=HALF,
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "accuracy of STC grows with K (20, 60, 100)",
        "grows",
        rising,
        ours=Cell(
            OVER, tuple(f"accuracy, STC, K={size}" for size in (20, 60, 100)), "{0}, {1}, {2} %"
        ),
        same=HALF,
    ),
    Headline(
        STC,
        "figure 5",
        "accuracy of MedSTC",
        "about 80 %",
        at_least(79),
        ours=Cell(OVER, ("accuracy, MedSTC, K=60",), "{0} %"),
        judged="79 % or more",
    ),
    Headline(
        STC,
        "figure 5",
        "MedSTC above MedLDA, K = 60",
        "above",
        _by(1),
        ours=_pair("accuracy", "MedSTC", "MedLDA", " %"),
        same="MedLDA by Gibbs sampling (2014), not the variational one",
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 6",
        "training LDA takes longer than STC by a factor of",
        "about 10",
        lambda stc, lda: lda >= 10 * stc,
        ours=_pair("training time", "STC", LDA, " s"),
        same="our LDA is compiled and calls digamma once per topic and sweep",
    ),
    Headline(
        STC,
        "figure 6",
        "inference by LDA takes longer than by STC by a factor of",
        "about 10",
        lambda stc, lda: lda >= 10 * stc,
        ours=_pair("test time", "STC", LDA, " s"),
        same="our LDA is compiled and calls digamma once per topic and sweep",
    ),
    Headline(
        STC,
        "figure 6",
        "inference by MedSTC is much faster than by MedLDA",
        "much faster",
        lambda stc, lda: lda >= 2 * stc,
        ours=_pair("test time", "MedSTC", "MedLDA", " s"),
        same="MedLDA by Gibbs sampling (2014)",
        judged="twice as fast",
    ),
)

DIFFERENT = (
    "Models are learned from the training half of 20 Newsgroups by date; the paper learns its "
    "unsupervised models from all documents.",
    "We remove scikit-learn's 318 stop words, the paper 524 words.",
    "One seed; the paper has five runs.",
    "MedLDA is sampled by the algorithm of 2014. DiscLDA and sLDA are not compared: DiscLDA has no "
    "program that could be had, and sLDA takes hours.",
)
