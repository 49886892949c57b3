"""Headlines of the paper on principal component pursuit."""

from __future__ import annotations

from benchmarks.papers.headlines import Cell, Headline, at_least, at_most, near
from benchmarks.papers.names import PCP

PLANTED, TITLES = "pcp-topic-space", "pcp-titles"
READING = "drawn, random words, 10 % of the length"
NEAREST = "1,000 longest, title in the text"
STORIES = "stories not stated: the 1,000 longest, titles included"

HEADLINES = (
    Headline(
        PCP,
        "figure 1",
        "keywords distinguish a story: title words among our keywords (Chrysler)",
        "coloured words",
        lambda found, of, keywords: 2 * found >= of and keywords <= 20,
        Cell(
            "pcp-stories",
            (
                "title words among keywords, 'CHRYSLER*",
                "title words in the vocabulary, 'CHRYSLER*",
                "keywords, 'CHRYSLER*",
            ),
            "{0} of {1}; but {2} words of the story are keywords",
        ),
        reading="the text of the figure does not show which words are coloured",
        judged="half of the title words, and no more than 20 keywords",
    ),
    Headline(
        PCP,
        "table 1",
        "distance of LSI from the planted topics, no keywords",
        "1.86",
        near(1.86),
        Cell(PLANTED, ("distance, LSI, drawn, no keywords",)),
        reading="words are drawn",
    ),
    Headline(
        PCP,
        "table 1",
        "distance of LSI with keywords",
        "11.16",
        near(11.16),
        Cell(PLANTED, (f"distance, LSI, {READING}",)),
        reading="keywords are random words, 10 % of the length",
    ),
    Headline(
        PCP,
        "table 1",
        "distance of PCP with keywords",
        "3.63",
        near(3.63),
        Cell(PLANTED, (f"distance, exact PCP, {READING}",)),
        Cell(PLANTED, (f"distance, factored PCP, {READING}",)),
        reading="keywords are random words, 10 % of the length",
    ),
    Headline(
        PCP,
        "table 1",
        "non-zeros of S",
        "54,704",
        near(54704),
        Cell(PLANTED, (f"non-zeros of S, exact PCP, {READING}",)),
        reading="keywords are random words, 10 % of the length",
    ),
    Headline(
        PCP,
        "table 1",
        "keywords move LSI away from the topics, and PCP corrects part of it",
        "1.86 < 3.63 < 11.16",
        lambda clean, pcp, lsi: clean < pcp < lsi,
        Cell(
            PLANTED,
            (
                "distance, LSI, drawn, no keywords",
                f"distance, exact PCP, {READING}",
                f"distance, LSI, {READING}",
            ),
            "{0} < {1} < {2}",
        ),
    ),
    Headline(
        PCP,
        "figure 2",
        "singular values of stories fall without a break: largest ratio of neighbours",
        "no break",
        at_most(1.05),
        Cell(
            "pcp-singular-values",
            (
                "largest drop of singular values 20 to 300, first 1,000",
                "largest drop of singular values 20 to 300, 1,000 longest",
            ),
            "{0} and {1}",
        ),
        judged="at most 1.05",
    ),
    Headline(
        PCP,
        "figure 3 (a)",
        "drop after singular value 100 of planted topics",
        "sharp",
        at_least(1.2),
        Cell(PLANTED, ("drop, drawn, no keywords",), "{0} times the next"),
        judged="1.2 times the next singular value",
    ),
    Headline(
        PCP,
        "figure 3 (b)",
        "no drop with keywords",
        "none",
        at_most(1.05),
        Cell(PLANTED, (f"drop, with keywords, {READING}",), "{0} times the next"),
        judged="at most 1.05 times the next singular value",
    ),
    Headline(
        PCP,
        "figure 3 (c)",
        "a drop again after PCP",
        "sharp",
        at_least(1.2),
        Cell(PLANTED, (f"drop, exact PCP, {READING}",), "{0} times the next"),
        judged="1.2 times the next singular value",
    ),
    *(
        Headline(
            PCP,
            "figure 4",
            f"perplexity of LDA on L against LDA on D, {part} part, i = 5",
            f"{theirs} lower",
            at_most(bound),
            Cell(
                "pcp-perplexity",
                (f"perplexity on its own {part} part, LDA on L, i=5, 2,000 longest",),
                "{0} times",
                of="ratio",
            ),
            same="LDA is variational; the paper samples (2,000 iterations). Stories not stated",
        )
        for part, theirs, bound in (("training", "20 to 30 %", 0.8), ("test", "30 to 35 %", 0.7))
    ),
    Headline(
        PCP,
        "figure 5",
        "i at which most keywords are title words",
        "12",
        near(12),
        Cell(TITLES, (f"i at the peak of t2 over all documents, {NEAREST}",)),
        same="i = 4, 8, 12, 16 only",
        reading=STORIES,
    ),
    Headline(
        PCP,
        "figure 5",
        "share of title words among keywords, i = 12",
        "above 0.5",
        at_least(0.5),
        Cell(TITLES, (f"t2, i=12, {NEAREST}",)),
        reading=f"{STORIES}; stories without keywords left out",
    ),
    Headline(
        PCP,
        "figure 5",
        "keywords as a share of all words, i = 12",
        "about 0.05",
        near(0.05),
        Cell(TITLES, (f"mass, i=12, {NEAREST}",)),
        reading=STORIES,
    ),
    Headline(
        PCP,
        "abstract",
        "mean average precision: weighted L and S above tf-idf",
        "above",
        lambda pcp, tfidf: pcp > tfidf,
        Cell(
            "retrieval", ("mAP, mean, a cos(L) + b cos(S), PCP", "mAP, mean, tf-idf"), "{0} and {1}"
        ),
        Cell("retrieval", ("mAP, mean, search, Sparse LSA", "mAP, mean, tf-idf"), "{0} and {1}"),
        same="no: seven classic collections",
    ),
)

DIFFERENT = (
    "Reuters-21578; the paper does not state which stories it takes.",
    "The exact problem is solved by our own solver to a tighter tolerance; the printed algorithm "
    "has a sign error.",
)
