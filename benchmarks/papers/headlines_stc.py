"""Headlines of the paper on sparse topical coding."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.papers.headlines import Cell, Headline, at_least, near, rising
from benchmarks.papers.names import STC

OVER, FIGURE_5, WORDS, CLASSES = "stc-over-topics", "stc-figure-5", "stc-words", "stc-classes"
PRINTED = "STC as printed"
HALF = "the training half only; the paper also learns from the test documents"
TIMES = "1,127 training documents; a busy machine; all programs are compiled Python"


def _pair(measure: str, one: str, other: str, unit: str = "", of: str = FIGURE_5) -> Cell:
    rows = (f"{measure}, {one}, K=60", f"{measure}, {other}, K=60")
    return Cell(of, rows, f"{{0}} and {{1}}{unit}")


def _times(when: str, stc: str) -> Cell:
    return Cell("stc-times", (f"{when} time, LDA-C beside {stc}",), "{0}", of="ratio")


def _apart(kind: str) -> Cell:
    start = "apart, mean over pairs of six classes"
    return Cell(CLASSES, tuple(f"{start}{kind}, {one}" for one in ("MedSTC", "STC")), "{0} and {1}")


def _by(points: float) -> Callable[[float, float], bool]:
    return lambda one, other: one >= other + points


HEADLINES = (
    Headline(
        STC,
        "figure 2, left",
        "α at which LDA's word codes become dense",
        "about 0.001",
        near(1e-3, 1),
        Cell("stc-underflow", ("α of the sharpest change of exact zeros",)),
        judged="within a factor of two",
    ),
    Headline(
        STC,
        "figure 2, right",
        "zeros in word codes: STC above LDA, K = 60",
        "above",
        _by(0.1),
        _pair("exact zeros in word codes", PRINTED, "LDA"),
        _pair("exact zeros in word codes", "STC", "LDA"),
        judged="exact zeros; by 0.1 or more",
    ),
    Headline(
        STC,
        "figure 2, right",
        "zeros in word codes: STC above NMF, K = 60",
        "above",
        _by(0.1),
        _pair("exact zeros in word codes", PRINTED, "NMF"),
        _pair("exact zeros in word codes", "STC", "NMF"),
        judged="exact zeros; by 0.1 or more",
    ),
    Headline(
        STC,
        "figure 3",
        "topics of the word 'speed'",
        "4",
        near(4, 0),
        ours=Cell(WORDS, ("topics of 'speed', STC, as the paper counts",)),
        same=HALF,
        judged="topics with 5 % or more of the mean of s over the documents",
    ),
    Headline(
        STC,
        "figure 3",
        "topics of the word 'medical'",
        "1 or 2",
        lambda topics: topics <= 2,
        ours=Cell(WORDS, ("topics of 'medical', STC, as the paper counts",)),
        same=HALF,
        judged="topics with 5 % or more of the mean of s over the documents",
    ),
    Headline(
        STC,
        "figure 4",
        "MedSTC separates classes better than STC: training documents",
        "better",
        _by(0),
        _apart(", as printed, training"),
        same="six classes; codes of MedSTC know the labels",
        reading="average codes are those of the training documents",
    ),
    Headline(
        STC,
        "figure 4",
        "MedSTC separates classes better than STC: test documents",
        "better",
        _by(0),
        _apart(", as printed, test"),
        _apart(""),
        same="six classes; codes do not know the labels",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above LDA, K = 60",
        "about 10 points",
        _by(1),
        _pair("accuracy", PRINTED, "LDA", " %"),
        _pair("accuracy", "STC", "LDA", " %"),
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above NMF, K = 60",
        "above",
        _by(1),
        _pair("accuracy", PRINTED, "NMF, all words", " %"),
        _pair("accuracy", "STC", "NMF, all words", " %"),
        same="NMF over all words; over observed words only (footnote 7), it has 10 %",
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above gaussSTC, K = 60",
        "above",
        _by(1),
        ours=_pair("accuracy", "STC", "gaussSTC", " %"),
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
        ours=Cell(FIGURE_5, ("accuracy, MedSTC, K=60",), "{0} %"),
        judged="79 % or more",
    ),
    Headline(
        STC,
        "figure 5",
        "MedSTC above MedLDA, K = 60",
        "above",
        _by(1),
        ours=_pair("accuracy", "MedSTC", "MedLDA", " %", OVER),
        same="MedLDA by Gibbs sampling (2014), not the variational one",
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 6",
        "training LDA takes longer than STC by a factor of",
        "about 10",
        at_least(10),
        _times("training", PRINTED),
        _times("training", "STC"),
        same=TIMES,
    ),
    Headline(
        STC,
        "figure 6",
        "inference by LDA takes longer than by STC by a factor of",
        "about 10",
        at_least(10),
        _times("test", PRINTED),
        _times("test", "STC"),
        same=TIMES,
    ),
    Headline(
        STC,
        "figure 6",
        "inference by MedSTC is much faster than by MedLDA",
        "much faster",
        lambda stc, lda: lda >= 2 * stc,
        ours=_pair("test time", "MedSTC", "MedLDA", " s", OVER),
        same="MedLDA by Gibbs sampling (2014)",
        judged="twice as fast",
    ),
)

DIFFERENT = (
    "Figures 2 (right) and 5: 20 Newsgroups by date; models without labels learn from all "
    "documents, as in the paper. Figure 3, and accuracy over K, use the training half.",
    "STC as printed starts from uniform codes and topics with the values of the authors' program, "
    "and stops after 20 iterations (five minutes); the authors' program has 58.3 %.",
    "We remove scikit-learn's 318 stop words, the paper 524 words.",
    "One seed; the paper has five runs.",
    "MedLDA is sampled by the algorithm of 2014. DiscLDA and sLDA are not compared: DiscLDA has no "
    "program that could be had, and sLDA takes hours.",
)
