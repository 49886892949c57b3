"""Headlines of the paper on the sparse coding topic model."""

from __future__ import annotations

from benchmarks.papers.headlines import (
    Cell,
    Headline,
    above,
    at_least,
    at_most,
    lead,
    near,
    smallest_step,
)
from benchmarks.papers.names import SCTM

HELD_OUT, FIGURES, DOCUMENTS = "sctm-perplexity-paper", "sctm-figures", "sctm-documents"
LDA = "LDA as topicmodels, α=0.01"
PRINTED = "SCTM as printed, ω=5e-05, 20 steps, θ as printed"
ALPHAS = (0.01, 0.05, 0.1, 0.5)

STEPS = "ω = 5e-5, 20 steps"
UNSCALED = f"{STEPS}, and θ is not scaled to sum to one (scaled, both are level at 50 topics)"
INFINITE = "documents with infinite perplexity, p=150, SCTM as printed, ω=5e-05, 20 steps"

EXAMPLES = {  # how the titles of the two documents begin that section 4 shows
    "similar documents": ("On the Distribution", "Mixture Density"),
    "top documents of {distribution, gaussian, probability}": ("The Rectified", "Approximating"),
    "top documents of {word, recognition, speech}": (
        "Comparison of Human",
        "Performance Through",
    ),
}
SPEECH = "top documents of {word, recognition, speech}"


def _median(p: int, system: str) -> str:
    return f"median perplexity of documents, p={p}, {system}"


def _omega(p: int) -> str:
    start = "median perplexity at ω=0.0001 minus ω=5e-05, finite documents"
    return f"{start}, p={p}, 20 steps, θ as printed"


def _ranks(system: str, shown: str) -> Cell:
    """Return the worse of the median ranks of two documents, and the seeds that find both."""
    rows = (
        *(f"median rank, {system}, {shown}: '{title}*" for title in EXAMPLES[shown]),
        f"seeds with both papers among the first 10, {system}, {shown}",
    )
    text = "{n} (both among the first ten in {2} of 10)"
    return Cell(DOCUMENTS, rows, text, lambda *values: max(values[:2]))


HEADLINES = (
    Headline(
        SCTM,
        "figure 1",
        "words of fifteen topics, five each: shared with the nearest topic, on average",
        "5",
        at_least(10 / 3),
        ours=Cell(
            "sctm-topics", ("words of five that the nearest topic shares, mean",), "{n} of 5"
        ),
        judged="two thirds of the words in common",
    ),
    Headline(
        SCTM,
        "figure 2",
        "LDA levels off: its fall from 50 to 150 topics, divided by that from 10 to 50",
        "levels off",
        at_most(0.5),
        Cell(
            FIGURES,
            tuple(_median(p, LDA) for p in (10, 50, 150)),
            "{n} ({0}, {1}, {2})",
            lambda few, middle, many: (middle - many) / (few - middle),
        ),
        judged="at most half",
    ),
    Headline(
        SCTM,
        "figure 2",
        "number of topics from which the perplexity of SCTM is below that of LDA",
        "about 50 (read off the figure)",
        near(50),
        Cell(FIGURES, (f"topics from which {PRINTED} is below {LDA}",)),
        Cell(
            FIGURES,
            (f"topics from which laconic, SCTM, ω=5e-05, θ as printed is below {LDA}",),
            "from {n} topics (0: never; without smoothing)",
        ),
        same="no: 10, 25, 50, 100 and 150 topics",
        reading=UNSCALED,
        fitted=True,
    ),
    Headline(
        SCTM,
        "figure 2",
        "SCTM falls from 50 to 100 and 150 topics: smallest fall",
        "falls",
        above(0),
        Cell(
            FIGURES,
            tuple(_median(p, PRINTED) for p in (150, 100, 50)),
            "{n} ({2}, {1}, {0})",
            smallest_step,
        ),
        reading=UNSCALED,
        fitted=True,
        main=False,
    ),
    Headline(
        SCTM,
        "figure 2",
        "perplexity of SCTM below that of LDA with 150 topics",
        "below",
        above(0),
        Cell(FIGURES, (_median(150, LDA), _median(150, PRINTED)), "{n} ({1} and {0})", lead),
        Cell(
            HELD_OUT,
            ("perplexity by completion, p=150, SCTM, ω=5e-05, smoothing='kl'",),
            "{n} ({0} and {1})",
            lambda sctm, lda: lda - sctm,
            of="pair",
        ),
        same="yes; laconic: smoothed topics, by completion, against a smoothed LDA, 500 papers",
        reading=UNSCALED,
        fitted=True,
    ),
    Headline(
        SCTM,
        "section 4",
        "the choice of α hardly matters for LDA: largest perplexity divided by the smallest, 150 "
        "topics",
        "hardly",
        at_most(1.1),
        Cell(
            FIGURES,
            tuple(_median(150, f"LDA as topicmodels, α={alpha}") for alpha in ALPHAS),
            "{n} ({0}, {1}, {2}, {3})",
            lambda *values: max(values) / min(values),
        ),
        same="no: 3 of 10 folds for α above 0.01",
        judged="within 10 % of each other",
    ),
    Headline(
        SCTM,
        "figure 3",
        "the choice of ω matters less with many topics: difference between the two ω with 10 "
        "topics minus that with 150",
        "less",
        above(0),
        Cell(
            FIGURES,
            (_omega(10), _omega(150)),
            "{n} ({0} and {1})",
            lambda few, many: abs(few) - abs(many),
        ),
        reading="documents with a finite perplexity; 20 steps, θ not scaled",
    ),
    Headline(
        SCTM,
        "section 4",
        "held-out documents that SCTM gives the probability zero, 150 topics",
        "occasionally",
        lambda share: 0 < share < 10,
        Cell(FIGURES, (INFINITE,), "{n} %"),
        Cell(
            FIGURES,
            ("documents with infinite perplexity, p=150, laconic, SCTM, ω=5e-05",),
            "{n} % (without smoothing)",
        ),
        reading=f"{STEPS}; with 10 topics, 16 %, and with ω = 1e-4, 13 %",
        fitted=True,
        judged="fewer than 10 % of the documents, but not none",
    ),
    Headline(
        SCTM,
        "section 4",
        "the same with a lower penalty for these documents",
        "a simple fix",
        at_most(0),
        Cell(FIGURES, (f"{INFINITE}, penalty lowered",), "{n} %"),
        reading=STEPS,
        judged="no such document",
    ),
    *(
        Headline(
            SCTM,
            "section 4",
            f"{shown}: the two papers shown, worse of the median ranks",
            "1 and 2",
            at_most(10),
            _ranks("SCTM as printed", shown),
            _ranks("laconic", shown),
            seeds="10",
            judged="both among the first ten",
            main=shown == SPEECH or shown.startswith("similar"),
        )
        for shown in EXAMPLES
    ),
    Headline(
        SCTM,
        "section 5",
        "passes until a model of correlated topics converges",
        "theirs does not",
        at_most(100),
        ours=Cell("sctm-graph", ("passes until it stops by its tolerance, NIPS",)),
        same="no: another objective, with a mean, fixed scales and a bound",
        judged="fewer than 100 passes",
    ),
)

DIFFERENT = (
    "Papers and vocabulary are those of the UCI file (1,500 papers, 6,727 words). Figures 2 and 3 "
    "have 500 random papers in 10 folds, as in the paper.",
    "LDA is variational with unsmoothed topics, scored by its bound, as in the R package "
    "topicmodels, which the paper uses.",
    "The number of steps is not stated in the paper; 5, 10 and 20 were run.",
    "Titles of the UCI papers were found by matching their word counts.",
)
