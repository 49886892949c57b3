"""Claims of the tables and figures of the STC paper, and the rows that judge them."""

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
                "a small α is sparse, a large one dense",
                "stc-dirichlet",
                ("zeros at α=* over those at α=*",),
                lambda ratio: ratio > 1,
                "{0} times the zeros at the small end",
                of="ratio",
            ),
            stated(
                "a small α classifies badly",
                "stc-dirichlet",
                ("accuracy at α=* over that at α=*",),
                lambda ratio: ratio > 1,
                "{0} times as accurate at the large end",
                of="ratio",
            ),
            printed(
                "stc-dirichlet",
                {"α of the sharpest change of zeros": 1e-3},
                label="sharp change at",
                about="around ",
                margin=2,
            ),
        ),
        "ours smooths topics and counts word codes below 1e-4 as zero; the paper states neither",
    ),
    Entry(
        STC,
        "figure 2, right",
        "zeros of word codes of all models",
        (OVER_K,),
        tuple(
            above(
                f"STC sparser than {name}",
                OVER_K,
                "zeros in word codes, STC, K=60",
                f"zeros in word codes, {name}, K=60",
            )
            for name in ("gaussSTC", "MedSTC", LDA, "NMF")
        ),
        "LDA's codes below 1e-4 count as zeros, and the paper does not state its threshold; NMF "
        "by coordinate descent reaches zeros, multiplicative updates never do",
    ),
    Entry(
        STC,
        "figure 3",
        "topics in the average code of a word",
        (WORDS,),
        (
            printed(WORDS, {"topics of 'speed', STC": 4}, label="speed: topics", margin=0.25),
            stated(
                "religion and medical: one or two",
                WORDS,
                ("topics of 'religion', STC", "topics of 'medical', STC"),
                lambda *counts: max(counts) <= 2,
                "{0} and {1}",
            ),
            above(
                "speed has more than medical",
                WORDS,
                "topics of 'speed', STC",
                "topics of 'medical', STC",
            ),
            stated(
                "LDA: many small weights",
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
        "our topics have another initialisation; a topic counts from 5 % of a code, and the paper "
        "does not state its threshold",
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
        "the bars have no numbers; our codes do not depend on labels, and the paper does not state "
        "how its codes are computed",
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
                "STC above LDA",
                OVER_K,
                "accuracy, STC, K=60",
                f"accuracy, {LDA}, K=60",
                " %",
            ),
            above("STC above NMF", OVER_K, "accuracy, STC, K=60", "accuracy, NMF, K=60", " %"),
            _at_each_size("STC above gaussSTC at K = 20, 60 and 100", "STC", "gaussSTC"),
            above("STC grows with K", OVER_K, "accuracy, STC, K=100", "accuracy, STC, K=20", " %"),
            above(
                "MedSTC above MedLDA",
                OVER_K,
                "accuracy, MedSTC, K=60",
                "accuracy, MedLDA, K=60",
                " %",
            ),
            _at_each_size("MedSTC above gaussMedSTC", "MedSTC", "gaussMedSTC"),
            above(
                "regLDA as sparse as STC: far below",
                OVER_K,
                "accuracy, STC, K=20",
                "accuracy, regLDA, strong, K=20",
                " %",
            ),
        ),
        "our STC is initialised by PLSA, theirs at random; with settings chosen on validation, "
        "squared norms (gaussSTC) classify equally well",
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
                "and infers about ten times faster",
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
        "here LDA is compiled like STC and runs a fixed number of passes; MedSTC's steps are exact",
    ),
)
