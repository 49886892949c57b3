"""Claims of the tables and figures of the SCTM paper, and the rows that judge them."""

from __future__ import annotations

from benchmarks.papers.claims import Entry, below, printed, stated
from benchmarks.papers.names import SCTM

HELD_OUT, SIMILAR = "sctm-perplexity-paper", "sctm-similar"


def _median(p: int, omega: str) -> str:
    return f"median perplexity of finite documents, p={p}, SCTM, ω={omega}"


def _infinite(p: int, omega: str) -> str:
    return f"documents with infinite perplexity, p={p}, SCTM, ω={omega}"


SCTM_ENTRIES = (
    Entry(
        SCTM,
        "figure 1",
        "five words of fifteen topics",
        ("sctm-topics",),
        (
            printed(
                "sctm-topics",
                {"of the paper's topics with at least two words shared*": 15},
                label="topics with at least two words in common:",
                margin=0,
            ),
            stated(
                "five words each; judged: more than half in common",
                "sctm-topics",
                ("words of five that the nearest topic shares, mean",),
                lambda mean: mean > 2.5,
                "{0} of 5 on average",
            ),
        ),
        "1,500 papers of the UCI file; the paper does not state which ones it uses",
    ),
    Entry(
        SCTM,
        "figure 2",
        "held-out perplexity of LDA and SCTM by number of topics",
        (HELD_OUT,),
        (
            stated(
                "LDA levels off",
                HELD_OUT,
                (
                    "median perplexity of documents, p=10, LDA",
                    "median perplexity of documents, p=100, LDA",
                    "median perplexity of documents, p=150, LDA",
                ),
                lambda first, middle, last: (middle - last) < (first - middle) / 2,
                "{0}, {1} and {2} at p = 10, 100 and 150",
            ),
            stated(
                "SCTM keeps falling",
                HELD_OUT,
                (_median(10, "5e-05"), _median(150, "5e-05")),
                lambda first, last: last < first,
                "{0} at p = 10, {1} at 150, of documents with finite perplexity",
            ),
            below(
                "SCTM is below LDA for many topics",
                HELD_OUT,
                _median(150, "5e-05"),
                "median perplexity of documents, p=150, LDA",
            ),
        ),
        "half of the held-out papers have a word of probability zero; smoothed topics "
        "(smoothing='kl') are below LDA at every p",
    ),
    Entry(
        SCTM,
        "figure 3",
        "held-out perplexity for two penalties",
        (HELD_OUT,),
        (
            stated(
                "more penalty is worse for few topics",
                HELD_OUT,
                (_infinite(10, "0.0001"), _infinite(10, "5e-05")),
                lambda more, less: more > less,
                "{0} against {1} % of documents infinite at p = 10",
            ),
            stated(
                "less difference for many",
                HELD_OUT,
                (
                    _infinite(10, "0.0001"),
                    _infinite(10, "5e-05"),
                    _infinite(150, "0.0001"),
                    _infinite(150, "5e-05"),
                ),
                lambda a, b, c, d: c - d < a - b,
                "{2} against {3} % at p = 150",
            ),
        ),
        "judged by the share of documents with infinite perplexity, because medians are infinite",
    ),
    Entry(
        SCTM,
        "section 4",
        "similar documents and top documents of topics",
        (SIMILAR,),
        (
            stated(
                "two similar documents; judged: among our first ten",
                SIMILAR,
                (
                    "similar documents: rank of 'On the Distribution*",
                    "similar documents: rank of 'Mixture Density*",
                ),
                lambda *ranks: max(ranks) <= 10,
                "ranks {0} and {1} of 1,740",
            ),
            stated(
                "two top documents of the Gaussian topic",
                SIMILAR,
                (
                    "top documents of {distribution*: rank of 'The Rectified*",
                    "top documents of {distribution*: rank of 'Approximating*",
                ),
                lambda *ranks: max(ranks) <= 10,
                "ranks {0} and {1}",
            ),
            stated(
                "two top documents of the speech topic",
                SIMILAR,
                (
                    "top documents of {word*: rank of 'Comparison*",
                    "top documents of {word*: rank of 'Performance*",
                ),
                lambda *ranks: max(ranks) <= 10,
                "ranks {0} and {1}",
            ),
        ),
        "the paper does not state which 1,500 papers it fits; topics depend on the initialisation",
    ),
)
