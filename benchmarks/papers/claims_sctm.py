"""Claims in the tables and figures of the SCTM paper, and the rows that they are compared with."""

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
        "five words of each of fifteen topics",
        ("sctm-topics",),
        (
            printed(
                "sctm-topics",
                {"of the paper's topics with at least two words shared*": 15},
                label="topics with at least two words in common:",
                margin=0,
            ),
            stated(
                "five words per topic; judged: on average more than half of them in common",
                "sctm-topics",
                ("words of five that the nearest topic shares, mean",),
                lambda mean: mean > 2.5,
                "{0} of 5 on average",
            ),
        ),
        "we use the 1,500 papers of the UCI file; the paper does not state which papers it uses",
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
                "{0} at p = 10 and {1} at p = 150, for documents with finite perplexity",
            ),
            below(
                "SCTM is below LDA for many topics",
                HELD_OUT,
                _median(150, "5e-05"),
                "median perplexity of documents, p=150, LDA",
            ),
        ),
        "half of the held-out papers have a word with probability zero; with smoothed topics "
        "(smoothing='kl'), SCTM is below LDA at every p",
    ),
    Entry(
        SCTM,
        "figure 3",
        "held-out perplexity for two penalties",
        (HELD_OUT,),
        (
            stated(
                "with few topics, the larger penalty is worse",
                HELD_OUT,
                (_infinite(10, "0.0001"), _infinite(10, "5e-05")),
                lambda more, less: more > less,
                "{0} against {1} % of documents with infinite perplexity at p = 10",
            ),
            stated(
                "with many topics, the difference is smaller",
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
                "two similar documents; judged: both are among our first ten",
                SIMILAR,
                (
                    "similar documents: rank of 'On the Distribution*",
                    "similar documents: rank of 'Mixture Density*",
                ),
                lambda *ranks: max(ranks) <= 10,
                "ranks {0} and {1} of 1,740",
            ),
            stated(
                "two top documents of the topic on Gaussian distributions",
                SIMILAR,
                (
                    "top documents of {distribution*: rank of 'The Rectified*",
                    "top documents of {distribution*: rank of 'Approximating*",
                ),
                lambda *ranks: max(ranks) <= 10,
                "ranks {0} and {1}",
            ),
            stated(
                "two top documents of the topic on speech",
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
