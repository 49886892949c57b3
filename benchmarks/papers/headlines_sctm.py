"""Headlines of the paper on the sparse coding topic model."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.papers.headlines import Cell, Headline, at_least, falling, near, rising
from benchmarks.papers.names import SCTM

HELD_OUT, FIGURES, DOCUMENTS = "sctm-perplexity-paper", "sctm-figures", "sctm-documents"
LDA = "LDA as topicmodels, α=0.01"
PRINTED = "SCTM as printed, ω=5e-05, 20 steps, θ as printed"

PART = "no: 3 of 10 folds"
STEPS = "ω = 5e-5, 20 steps"
UNSCALED = f"{STEPS}, and θ is not scaled to sum to one"
INFINITE = "documents with infinite perplexity, p=150, SCTM as printed, ω=5e-05, 20 steps"

SIMILAR = "similar documents"
GAUSSIAN = "top documents of {distribution, gaussian, probability}"
SPEECH = "top documents of {word, recognition, speech}"
TITLES = {  # how the titles of the documents begin that section 4 shows
    SIMILAR: ("On the Distribution", "Mixture Density"),
    GAUSSIAN: ("The Rectified", "Approximating"),
    SPEECH: ("Comparison of Human", "Performance Through"),
}


def _median(p: int, system: str) -> str:
    return f"median perplexity of documents, p={p}, {system}"


def _omega(p: int) -> str:
    start = "median perplexity at ω=0.0001 minus ω=5e-05, finite documents"
    return f"{start}, p={p}, 20 steps, θ as printed"


def _seeds(system: str, shown: Sequence[str]) -> Cell:
    """Return median ranks, and the seeds with both papers among the first ten, of examples."""
    rows = tuple(
        row
        for documents in shown
        for row in (
            *(f"median rank, {system}, {documents}: '{title}*" for title in TITLES[documents]),
            f"seeds with both papers among the first 10, {system}, {documents}",
        )
    )
    texts = (
        f"{{{3 * place}}} and {{{3 * place + 1}}} (both among the first ten in {{{3 * place + 2}}} "
        "of 10)"
        for place in range(len(shown))
    )
    return Cell(DOCUMENTS, rows, "; ".join(texts))


def _found(*values: float) -> bool:
    """Return whether all median ranks, two of each three values, are among the first ten."""
    return all(rank <= 10 for place, rank in enumerate(values) if place % 3 < 2)


HEADLINES = (
    Headline(
        SCTM,
        "figure 1",
        "fifteen topics of five words",
        "75 words",
        at_least(10 / 3),
        ours=Cell(
            "sctm-topics",
            ("words of five that the nearest topic shares, mean",),
            "{0} of 5 words in common",
        ),
        judged="two thirds of the words in common",
    ),
    Headline(
        SCTM,
        "figure 2",
        "LDA levels off (10, 50 and 150 topics)",
        "levels off",
        lambda first, middle, last: (middle - last) < (first - middle) / 2,
        Cell(
            FIGURES,
            tuple(_median(p, LDA) for p in (10, 50, 150)),
            "{0}, {1}, {2}",
        ),
        same=PART,
        judged="falls less than half as much from 50 to 150 as from 10 to 50",
    ),
    Headline(
        SCTM,
        "figure 2",
        "number of topics from which SCTM is below LDA; SCTM falls (50, 100, 150 topics), and is "
        "below LDA with 150",
        "about 50 (read off the figure); falls; below",
        lambda topics, *values: near(50)(topics) and falling(*values[:3]) and rising(*values[2:]),
        Cell(
            FIGURES,
            (
                f"topics from which {PRINTED} is below {LDA}",
                *(_median(p, PRINTED) for p in (50, 100, 150)),
                _median(150, LDA),
            ),
            "{0}; {1}, {2}, {3}; LDA {4}",
        ),
        Cell(
            HELD_OUT,
            ("perplexity by completion, p=150, SCTM, ω=5e-05, smoothing='kl'",),
            "{0}; LDA {1} (150 topics)",
            of="pair",
        ),
        same=f"{PART}; 10, 25, 50, 100 and 150 topics; laconic: by completion, against a smoothed "
        "LDA",
        reading=UNSCALED,
        fitted=True,
        numbers=3,
    ),
    Headline(
        SCTM,
        "section 4",
        "the choice of α hardly matters for LDA (0.01, 0.05, 0.1, 0.5; 150 topics)",
        "hardly",
        lambda *values: max(values) <= 1.1 * min(values),
        Cell(
            FIGURES,
            tuple(
                _median(150, f"LDA as topicmodels, α={alpha}") for alpha in (0.01, 0.05, 0.1, 0.5)
            ),
            "{0}, {1}, {2}, {3}",
        ),
        same=PART,
        judged="within 10 % of each other",
    ),
    Headline(
        SCTM,
        "figure 3",
        "the choice of ω matters for few topics, less for many",
        "less at p = 150",
        lambda few, many: abs(few) > abs(many),
        Cell(
            FIGURES,
            (_omega(10), _omega(150)),
            "a difference of {0} at p = 10, {1} at p = 150",
        ),
        reading="documents with a finite perplexity; 20 steps, θ not scaled",
        same=f"{PART}; ω = 5e-5 and 1e-4 (all four at p = 10)",
    ),
    Headline(
        SCTM,
        "section 4",
        "SCTM gives held-out documents the probability zero, 150 topics",
        "occasionally",
        lambda share: 0 < share < 10,
        Cell(FIGURES, (INFINITE,), "{0} % of the documents"),
        same=f"{PART}; 14 % with ω = 1e-4",
        reading=STEPS,
        judged="fewer than 10 % of the documents, but not none",
    ),
    Headline(
        SCTM,
        "section 4",
        "a lower penalty for documents with a word of probability zero avoids this",
        "a simple fix",
        lambda fixed, _: fixed == 0,
        Cell(FIGURES, (f"{INFINITE}, penalty lowered", INFINITE), "{0} instead of {1} %"),
        same=f"{PART}; after 10 steps: 0 instead of 0.7 %",
        reading=STEPS,
        judged="no such document",
    ),
    *(
        Headline(
            SCTM,
            "section 4",
            f"the two papers shown: {what}",
            "ranks 1 and 2",
            _found,
            _seeds("SCTM as printed", shown),
            _seeds("laconic", shown),
            seeds="10",
            judged="median ranks of both among the first ten",
            numbers=len(shown),
        )
        for what, shown in (
            (f"{SIMILAR}; {GAUSSIAN}", (SIMILAR, GAUSSIAN)),
            (SPEECH, (SPEECH,)),
        )
    ),
    Headline(
        SCTM,
        "section 5",
        "a model of correlated topics that converges",
        "open problem: theirs does not",
        lambda rise, passes: rise <= 0 and passes < 100,
        ours=Cell(
            "sctm-graph",
            (
                "largest relative rise of the objective, NIPS",
                "passes until it stops by its tolerance, NIPS",
            ),
            "converges in {1} passes",
        ),
        same="no: another objective, with a mean, fixed scales and a bound",
        judged="the objective never rises, and fewer than 100 passes",
    ),
)

DIFFERENT = (
    "Papers and vocabulary are those of the UCI file (1,500 papers, 6,727 words).",
    "Figures 2 and 3 have 3 of 10 folds. LDA is variational with unsmoothed topics, scored by "
    "its bound, as in the R package topicmodels, which the paper uses.",
    "The number of steps is not stated in the paper; 5, 10 and 20 were run.",
    "Titles of the UCI papers were found by matching their word counts.",
)
