"""Headlines of the paper on sparse topical coding."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.papers.headlines import Cell, Headline, near, rising
from benchmarks.papers.names import STC

OVER, FIGURE_5, CLASSES = "stc-over-topics", "stc-figure-5", "stc-classes"
PRINTED = "STC as printed"
CUT = (
    "no: STC as printed was stopped after 20 iterations, before its own rule stops it (a relative "
    "change of the objective below 1e-4; the last was 1e-3)"
)
HALF = "no: the training half only; the paper also learns from the test documents"
WORDS = ("speed", "medical", "religion")
TIMES = (
    "no: 1,127 documents; the ratio grows with the corpus (282 documents: 2.3 in training, 11 in "
    "inference). STC as printed has a random start here and stops by its own rule. All programs "
    "are compiled Python; without the SVM; the machine had other work"
)


def _zeros(measure: str, stc: str) -> Cell:
    systems = (stc, "LDA", "NMF", "NMF, all words")
    return Cell(
        FIGURE_5,
        tuple(f"{measure}, {system}, K=60" for system in systems),
        "STC {0}; LDA {1}; NMF {2} (over all words: {3})",
    )


def _pair(measure: str, one: str, other: str, unit: str = "", of: str = FIGURE_5) -> Cell:
    rows = (f"{measure}, {one}, K=60", f"{measure}, {other}, K=60")
    return Cell(of, rows, f"{{0}} and {{1}}{unit}")


def _times(when: str) -> Cell:
    return Cell("stc-times", (f"{when} time, LDA-C beside {PRINTED}",), "{0}", of="ratio", digits=2)


def _both_times(when: str) -> Cell:
    rows = (f"{when} time, LDA (variational) beside STC", f"{when} time, LDA-C beside STC")
    return Cell("stc-times", rows, "{0} (a fast LDA), {1} (LDA-C)", of="ratio", digits=3)


def _apart(kind: str) -> Cell:
    start = "apart, mean over pairs of six classes"
    return Cell(CLASSES, tuple(f"{start}{kind}, {one}" for one in ("MedSTC", "STC")), "{0} and {1}")


def _topics(system: str) -> Cell:
    rows = (
        *(f"topics of '{word}', at least 5 %, {system}" for word in WORDS),
        *(f"topics of 'speed', not zero, {one}" for one in ("LDA", system)),
    )
    return Cell(FIGURE_5, rows, "{0}, {1}, {2}; LDA {3}, STC {4} of 60 topics")


def _nearest(kind: str) -> Cell:
    rows = tuple(f"documents at the nearest average{kind}, {one}" for one in ("MedSTC", "STC"))
    return Cell(CLASSES, rows, "{0} and {1} %")


def _by(points: float) -> Callable[..., bool]:
    """Return whether the first value is above all others by as many points."""
    return lambda one, *others: one >= max(others) + points


HEADLINES = (
    Headline(
        STC,
        "figure 2, left",
        "α at which LDA's word codes become dense",
        "about 0.001",
        near(1e-3, 1),
        Cell(
            "stc-underflow",
            ("α of the sharpest change of exact zeros",),
            "{0} (between 0.0013 and 0.002)",
            digits=2,
        ),
        same="no: 2,818 training and 1,877 test documents",
        reading="only exact zeros count; if codes below 1e-4 count as zeros (footnote 4), the "
        "change is at α = 0.22",
        fitted=True,
        judged="within a factor of two",
    ),
    Headline(
        STC,
        "figure 2, right",
        "exact zeros in word codes: STC above LDA and NMF, K = 60",
        "above",
        _by(0.1),
        _zeros("exact zeros in word codes", PRINTED),
        _zeros("exact zeros in word codes", "STC"),
        same=CUT,
        stopped=True,
        seeds="5; NMF over observed words 1",
        judged="by 0.1 or more",
        numbers=2,
    ),
    Headline(
        STC,
        "figure 2, right",
        "word codes below 1e-4 (footnote 4): STC above LDA and NMF, K = 60",
        "above",
        _by(0.1),
        _zeros("word codes below 0.0001", PRINTED),
        _zeros("word codes below 0.0001", "STC"),
        same=CUT,
        stopped=True,
        seeds="5; NMF over observed words 1",
        judged="by 0.1 or more; NMF over all words, too",
        numbers=2,
    ),
    Headline(
        STC,
        "figure 2, right",
        "zeros in word codes, K = 60: STC above gaussSTC; MedSTC between gaussMedSTC and STC",
        "above; between",
        lambda stc, gauss, med, gauss_med: stc >= gauss + 0.1 and gauss_med < med < stc,
        ours=Cell(
            FIGURE_5,
            tuple(
                f"exact zeros in word codes, {system}, K=60"
                for system in ("STC", "gaussSTC", "MedSTC", "gaussMedSTC")
            ),
            "STC {0}; gaussSTC {1}; MedSTC {2}; gaussMedSTC {3}",
        ),
        seeds="5",
        judged="by 0.1 or more",
        numbers=2,
    ),
    Headline(
        STC,
        "figure 2, right",
        "zeros in word codes: regLDA+ between LDA and STC, K = 20",
        "between",
        rising,
        Cell(
            OVER,
            tuple(
                f"zeros in word codes, {system}, K=20"
                for system in ("LDA (variational)", "regLDA", "STC")
            ),
            "LDA {0}; regLDA {1}; laconic's STC {2}",
        ),
        same=f"{HALF}; codes below 1e-4 count as zeros",
    ),
    Headline(
        STC,
        "figure 3",
        "topics of the words 'speed', 'medical' and 'religion'; the average code of 'speed' has "
        "more non-zeros with LDA than with STC",
        "4, 1 or 2, 1 or 2; many more",
        lambda speed, medical, religion, lda, stc: (
            speed == 4 and 1 <= medical <= 2 and 1 <= religion <= 2 and lda > stc
        ),
        _topics(PRINTED),
        _topics("STC"),
        same=CUT,
        stopped=True,
        judged="all; a topic counts if it has 5 % or more of the mean of s over the documents",
        numbers=4,
    ),
    Headline(
        STC,
        "figure 4",
        "MedSTC separates classes better than STC: distance of average codes (0 to 1), training "
        "documents",
        "better",
        _by(0),
        _apart(", as printed, training"),
        same="no: six classes",
        reading="averages of training documents, whose MedSTC codes know the labels",
        fitted=True,
    ),
    Headline(
        STC,
        "figure 4",
        "MedSTC separates classes better than STC: the same, test documents",
        "better",
        _by(0),
        _apart(", as printed, test"),
        _apart(""),
        same="no: six classes as printed; laconic learns from twenty",
    ),
    Headline(
        STC,
        "figure 4",
        "MedSTC separates classes better than STC: test documents nearest to the average code of "
        "their class",
        "better",
        _by(0),
        _nearest(", as printed"),
        _nearest(""),
        same="no: six classes as printed; laconic has twenty",
        reading="separation is the share of documents that are nearest to their own class",
        fitted=True,
    ),
    Headline(
        STC,
        "figure 5",
        "STC above LDA, K = 60",
        "about 10 points (read off the figure)",
        _by(1),
        _pair("accuracy", PRINTED, "LDA", " %"),
        _pair("accuracy", "STC", "LDA", " %"),
        same=CUT,
        stopped=True,
        seeds="5",
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
        same="no: STC as printed stopped early; NMF over all words. Over observed words (footnote "
        "7), NMF reaches 10 %. scikit-learn's NMF on tf-idf, on the training half, 74.0 % (STC: "
        "75.8 %) and, with K = 20, 62.0 % (62.2 %)",
        stopped=True,
        seeds="5",
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above gaussSTC, MedSTC above gaussMedSTC, K = 60",
        "above",
        lambda stc, gauss, med, gauss_med: stc >= gauss + 1 and med >= gauss_med + 1,
        ours=Cell(
            FIGURE_5,
            tuple(
                f"accuracy, {system}, K=60"
                for system in ("STC", "gaussSTC", "MedSTC", "gaussMedSTC")
            ),
            "{0} and {1}, {2} and {3} %",
        ),
        seeds="5",
        judged="by 1 point or more",
        numbers=2,
    ),
    Headline(
        STC,
        "figure 5",
        "accuracy of STC grows with K (20, 60, 100)",
        "grows",
        rising,
        ours=Cell(
            FIGURE_5,
            tuple(f"accuracy, STC, K={size}" for size in (20, 60, 100)),
            "{0}, {1}, {2} %",
        ),
        seeds="5; 3 with K = 100",
    ),
    Headline(
        STC,
        "figure 5",
        "STC above LDA, especially if K is large (20, 60, 100)",
        "especially",
        lambda *values: values[4] - values[5] >= values[0] - values[1] + 3,
        ours=Cell(
            FIGURE_5,
            tuple(f"accuracy, {one}, K={size}" for size in (20, 60, 100) for one in ("STC", "LDA")),
            "{0} and {1}, {2} and {3}, {4} and {5} %",
        ),
        seeds="5; 3 with K = 100; LDA 1 with K = 20, 100",
        judged="with K = 100, ahead by 3 points more than with K = 20 (seeds of LDA differ by 3)",
    ),
    Headline(
        STC,
        "figure 5",
        "accuracy of MedSTC, K = 60",
        "about 80 % (read off the figure)",
        near(80),
        ours=Cell(FIGURE_5, ("accuracy, MedSTC, K=60",), "{0} %"),
        same="yes; MedSTC as printed was not run with K = 60; the authors' program reaches 79.7 %, "
        "but that result is not committed",
        seeds="5",
    ),
    Headline(
        STC,
        "figure 5",
        "regLDA+ above LDA, K = 20",
        "above",
        _by(1),
        Cell(
            OVER,
            ("accuracy, regLDA, K=20", "accuracy, LDA (variational), K=20"),
            "{0} and {1} %",
        ),
        same=HALF,
        judged="by 1 point or more",
    ),
    Headline(
        STC,
        "figure 5",
        "regLDA with as many zeros as STC (0.92) is much less accurate, K = 50",
        "decreases dramatically",
        lambda lda, stc: stc >= lda + 5,
        ours=Cell(
            "stc-sparsity",
            ("accuracy, regLDA, κ=0.5, α=0.5", "accuracy, STC, counts, word_penalty=0.5*1e-05*"),
            "{0} and {1} %",
        ),
        same=HALF,
        judged="by 5 points or more",
    ),
    Headline(
        STC,
        "figure 5",
        "MedSTC above MedLDA, K = 60",
        "above",
        ours=_pair("accuracy", "MedSTC", "MedLDA", " %", OVER),
        same="no: laconic's MedSTC, and MedLDA by Gibbs sampling (2014); neither is the paper's",
        not_run=True,
    ),
    Headline(
        STC,
        "figure 6",
        "training LDA takes longer than STC by a factor of",
        "about 10 (read off the figure)",
        lambda ratio, *_: 5 <= ratio <= 20,
        _times("training"),
        _both_times("training"),
        same=TIMES,
        judged="5 to 20",
    ),
    Headline(
        STC,
        "figure 6",
        "inference by LDA takes longer than by STC by a factor of",
        "about 10 (read off the figure)",
        lambda ratio, *_: 5 <= ratio <= 20,
        _times("test"),
        _both_times("test"),
        same=TIMES,
        reading="LDA and STC are our own programs, LDA with the settings of LDA-C",
        judged="5 to 20",
    ),
    Headline(
        STC,
        "figure 6",
        "MedSTC and MedLDA: training takes about as long; inference is much faster",
        "comparable; much faster",
        ours=Cell(
            OVER,
            tuple(
                f"{when} time, {system}, K=60"
                for when in ("training", "test")
                for system in ("MedSTC", "MedLDA")
            ),
            "{0} and {1} s; {2} and {3} s",
        ),
        same="no: laconic's MedSTC, and MedLDA by Gibbs sampling (2014); neither is the paper's",
        numbers=2,
        not_run=True,
    ),
    Headline(
        STC,
        "figures 2, 5 and 6",
        "MedSTC has many more zeros than MedLDA and sLDA, is more accurate than sLDA and DiscLDA; "
        "sLDA trains slowest, and DiscLDA takes 20 times as long to test as MedLDA",
        "much sparser; above; 20",
        same="no: no program of DiscLDA or of the variational MedLDA and sLDA is available; "
        "tomotopy's sLDA, sampled, takes minutes, but was not run",
        numbers=3,
        not_run=True,
    ),
)

DIFFERENT = (
    "Figures 2 (right) and 5: 20 Newsgroups by date; models without labels learn from all "
    "documents, as in the paper. Comparisons with regLDA and MedLDA use the training half.",
    "STC as printed has the values of the authors' program. In figures 2, 3 and 5, it starts from "
    "uniform codes and topics, and is stopped after 20 iterations (five minutes); in figure 4, it "
    "has a random start and 30 iterations, in figure 6 a random start and at most 60.",
    "The authors' programs of STC and MedSTC reach 58.3 and 79.7 %, but these results are not "
    "committed, and no verdict uses them.",
    "laconic's STC and gaussSTC have λ = 0.1 γ (paper: λ = γ); ρ and C of the SVM are chosen on a "
    "part of the training half (paper: by cross-validation).",
    "regLDA has κ = 0.1 or 0.5 and α = 0.5, which are not chosen for accuracy or sparsity.",
    "We remove scikit-learn's 318 stop words, the paper 524 words. So 'system', an example of "
    "figure 3, is missing.",
)
