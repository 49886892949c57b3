"""Headlines of the paper on the sparse coding topic model."""

from __future__ import annotations

from benchmarks.papers.headlines import Cell, Headline, at_most, near
from benchmarks.papers.names import SCTM

HELD_OUT, SIMILAR = "sctm-perplexity-paper", "sctm-similar"


def _median(p: int, omega: str = "5e-05") -> str:
    return f"median perplexity of finite documents, p={p}, SCTM, ω={omega}"


HEADLINES = (
    Headline(
        SCTM,
        "figure 1",
        "fifteen topics of five words: topics found again",
        "15",
        near(15, 0),
        Cell(
            "sctm-topics", ("of the paper's topics with at least two words shared*",), "{0} of 15"
        ),
        judged="at least two of the five words in common",
    ),
    Headline(
        SCTM,
        "figure 2",
        "LDA levels off (10, 100 and 150 topics)",
        "levels off",
        lambda first, middle, last: (middle - last) < (first - middle) / 2,
        Cell(
            HELD_OUT,
            tuple(f"median perplexity of documents, p={p}, LDA" for p in (10, 100, 150)),
            "{0}, {1}, {2}",
        ),
        same="our LDA is smoothed and scored by its point estimate",
        judged="falls less than half as much from 100 to 150 as from 10 to 100",
    ),
    Headline(
        SCTM,
        "figure 2",
        "SCTM is below LDA with 150 topics",
        "below",
        lambda sctm, lda: sctm < lda,
        Cell(
            HELD_OUT,
            (_median(150), "median perplexity of documents, p=150, LDA"),
            "{0} (documents with a finite value) and {1}",
        ),
        Cell(
            HELD_OUT,
            ("perplexity by completion, p=150, SCTM, ω=5e-05, smoothing='kl'",),
            "{0} and {1}, by completion",
            of="pair",
        ),
        same="our LDA is smoothed; words that the training papers lack are left out",
    ),
    Headline(
        SCTM,
        "figure 3",
        "the choice of ω matters for few topics, less for many",
        "less at p = 150",
        lambda few, few_, many, many_: abs(few - few_) > abs(many - many_),
        Cell(
            HELD_OUT,
            (_median(10, "0.0001"), _median(10), _median(150, "0.0001"), _median(150)),
            "{0} and {1} at p = 10, {2} and {3} at p = 150",
        ),
        reading="documents with a finite perplexity",
        same="two of four ω",
    ),
    Headline(
        SCTM,
        "section 4",
        "two top documents of the topic on speech",
        "1 and 2",
        at_most(10),
        Cell(
            SIMILAR,
            (
                "top documents of {word*: rank of 'Comparison*",
                "top documents of {word*: rank of 'Performance*",
            ),
            "ranks {0} and {1}",
        ),
        same="no: 1,740 papers with titles instead of the 1,500 of the UCI file",
        judged="both among the first ten",
    ),
    Headline(
        SCTM,
        "section 4",
        "documents most similar to a paper: worst rank of two",
        "1 and 2",
        at_most(10),
        Cell(
            SIMILAR,
            (
                "similar documents: rank of 'On the Distribution*",
                "similar documents: rank of 'Mixture Density*",
            ),
            "ranks {0} and {1}",
        ),
        same="no: 1,740 papers with titles instead of the 1,500 of the UCI file",
        judged="both among the first ten",
    ),
    Headline(
        SCTM,
        "section 5",
        "the model of correlated topics did not converge",
        "open problem",
        lambda rise, passes: rise <= 0 and passes < 100,
        ours=Cell(
            "sctm-graph",
            (
                "largest relative rise of the objective, NIPS",
                "passes until it stops by its tolerance, NIPS",
            ),
            "converges in {1} passes",
        ),
        same="another objective: a mean, fixed scales and a bound",
        judged="the objective never rises, and fewer than 100 passes",
    ),
)

DIFFERENT = (
    "Papers and vocabulary are those of the UCI file (1,500 papers, 6,727 words).",
    "LDA is scikit-learn's, smoothed and scored by its point estimate; the paper's is "
    "variational with unsmoothed topics, scored by its bound.",
    "Topics start from k-means++ seeds; the paper's from seed documents and a Dirichlet draw.",
)
