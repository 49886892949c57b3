"""Claims in the tables and figures of the STC paper, and the rows that they are compared with."""

from __future__ import annotations

from benchmarks.papers.claims import Claim, Entry, above, below, printed, stated
from benchmarks.papers.names import DRAWING, STC

OVER_K, WORDS = "stc-over-topics", "stc-words"
LDA = "LDA (variational)"
SIZES = (20, 60, 100)


def _at_each_size(paper: str, high: str, low: str) -> Claim:
    """Return the claim that one system is more accurate than another for every K."""
    rows = [f"accuracy, {name}, K={size}" for name in (high, low) for size in SIZES]
    return stated(
        paper,
        OVER_K,
        rows,
        lambda *values: all(a > b for a, b in zip(values[:3], values[3:], strict=True)),
        "{0}, {1}, {2} against {3}, {4}, {5} %",
    )


STC_ENTRIES = (
    Entry(STC, "figure 1", "the two layers of the model", said=DRAWING),
    Entry(
        STC,
        "figure 2, left",
        "zeros of word codes and accuracy of LDA, by α",
        ("stc-dirichlet",),
        (
            stated(
                "codes are sparse with a small α and dense with a large α",
                "stc-dirichlet",
                ("zeros at α=* over those at α=*",),
                lambda ratio: ratio > 1,
                "{0} times as many zeros with the smallest α as with the largest",
                of="ratio",
            ),
            stated(
                "codes with a small α classify badly",
                "stc-dirichlet",
                ("accuracy at α=* over that at α=*",),
                lambda ratio: ratio > 1,
                "{0} times as accurate with the largest α as with the smallest",
                of="ratio",
            ),
            printed(
                "stc-dirichlet",
                {"α of the sharpest change of zeros": 1e-3},
                label="sharpest change at α:",
                about="around ",
                margin=2,
            ),
        ),
        "we smooth topics and count word codes below 1e-4 as zero; the paper states neither rule",
    ),
    Entry(
        STC,
        "figure 2, right",
        "zeros of word codes of all models",
        (OVER_K,),
        tuple(
            above(
                f"STC is sparser than {name}",
                OVER_K,
                "zeros in word codes, STC, K=60",
                f"zeros in word codes, {name}, K=60",
            )
            for name in ("gaussSTC", "MedSTC", LDA, "NMF")
        ),
        "codes of LDA below 1e-4 count as zeros, and the paper does not state its threshold; NMF "
        "by coordinate descent gives exact zeros, but by multiplicative updates it never does",
    ),
    Entry(
        STC,
        "figure 3",
        "topics in the average code of a word",
        (WORDS,),
        (
            printed(WORDS, {"topics of 'speed', STC": 4}, label="topics of 'speed':", margin=0.25),
            stated(
                "'religion' and 'medical' have one or two topics",
                WORDS,
                ("topics of 'religion', STC", "topics of 'medical', STC"),
                lambda *counts: max(counts) <= 2,
                "{0} and {1}",
            ),
            above(
                "'speed' has more topics than 'medical'",
                WORDS,
                "topics of 'speed', STC",
                "topics of 'medical', STC",
            ),
            stated(
                "LDA has many small weights; judged: words have at most 15 topics in STC",
                WORDS,
                (
                    "topics of 'speed' with any weight, STC",
                    "topics of 'religion' with any weight, STC",
                    "topics of 'medical' with any weight, STC",
                ),
                lambda *counts: max(counts) <= 15,
                "STC has {0}, {1} and {2} topics with any weight",
            ),
        ),
        "our initialisation differs; a topic is counted if it has at least 5 % of a code, and the "
        "paper does not state its threshold",
    ),
    Entry(
        STC,
        "figure 4",
        "average document codes of six classes",
        ("stc-classes",),
        (
            above(
                "MedSTC separates classes better than STC",
                "stc-classes",
                "apart, mean over pairs of six classes, MedSTC",
                "apart, mean over pairs of six classes, STC",
            ),
        ),
        "the bars of the paper have no numbers; our codes do not depend on labels, and the paper "
        "does not state how its codes are computed",
    ),
    Entry(
        STC,
        "figure 5",
        "accuracy by K",
        (OVER_K,),
        (
            printed(
                OVER_K,
                {"accuracy, STC, K=60": 58.3, "accuracy, MedSTC, K=60": 79.7},
                label="the authors' program, STC and MedSTC at K = 60:",
                unit=" %",
                margin=0.02,
                good="higher",
            ),
            above(
                "STC is above LDA",
                OVER_K,
                "accuracy, STC, K=60",
                f"accuracy, {LDA}, K=60",
                " %",
            ),
            above("STC is above NMF", OVER_K, "accuracy, STC, K=60", "accuracy, NMF, K=60", " %"),
            _at_each_size("STC is above gaussSTC at K = 20, 60 and 100", "STC", "gaussSTC"),
            above(
                "the accuracy of STC grows with K",
                OVER_K,
                "accuracy, STC, K=100",
                "accuracy, STC, K=20",
                " %",
            ),
            above(
                "MedSTC is above MedLDA",
                OVER_K,
                "accuracy, MedSTC, K=60",
                "accuracy, MedLDA, K=60",
                " %",
            ),
            _at_each_size("MedSTC is above gaussMedSTC", "MedSTC", "gaussMedSTC"),
            above(
                "regLDA that is as sparse as STC is far below STC",
                OVER_K,
                "accuracy, STC, K=20",
                "accuracy, regLDA, strong, K=20",
                " %",
            ),
        ),
        "our STC is initialised by PLSA, the paper's at random; with settings chosen on the "
        "validation part, squared norms (gaussSTC) classify equally well",
    ),
    Entry(
        STC,
        "figure 6",
        "training and test time by K",
        (OVER_K,),
        (
            below(
                "STC trains about ten times faster than LDA",
                OVER_K,
                "training time, STC, K=60",
                f"training time, {LDA}, K=60",
                " s",
                times=10,
            ),
            below(
                "STC infers about ten times faster than LDA",
                OVER_K,
                "test time, STC, K=60",
                f"test time, {LDA}, K=60",
                " s",
                times=10,
            ),
            stated(
                "MedSTC trains about as long as MedLDA",
                OVER_K,
                ("training time, MedSTC, K=60", "training time, MedLDA, K=60"),
                lambda med, lda: med <= 2 * lda,
                "{0} against {1} s",
            ),
            below(
                "MedSTC infers much faster than MedLDA",
                OVER_K,
                "test time, MedSTC, K=60",
                "test time, MedLDA, K=60",
                " s",
                times=2,
            ),
        ),
        "our LDA is compiled like our STC and runs a fixed number of passes; the steps of our "
        "MedSTC are exact",
    ),
)
