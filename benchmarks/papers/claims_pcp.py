"""Claims in the tables and figures of the PCP paper, and the rows that they are compared with."""

from __future__ import annotations

from benchmarks.papers.claims import Entry, printed, stated
from benchmarks.papers.names import PCP

PLANTED, VALUES, TITLES = "pcp-topic-space", "pcp-singular-values", "pcp-titles"
READING = "drawn, random words, 10 % of the length"
NEAREST = "1,000 longest, title in the text"

PCP_ENTRIES = (
    Entry(
        PCP,
        "figure 1",
        "keywords of two stories",
        ("pcp-stories",),
        (
            stated(
                "the coloured words distinguish a story; judged: at least half of the title words "
                "are among our keywords",
                "pcp-stories",
                (
                    "title words among keywords, 'CHRYSLER*",
                    "title words in the vocabulary, 'CHRYSLER*",
                    "title words among keywords, 'U.S. COMMERCE*",
                    "title words in the vocabulary, 'U.S. COMMERCE*",
                ),
                lambda one, of_one, two, of_two: 2 * one >= of_one and 2 * two >= of_two,
                "{0} of {1} and {2} of {3} title words",
            ),
        ),
        "the text of the figure does not show which words are coloured, so only the titles can be "
        "compared",
    ),
    Entry(
        PCP,
        "table 1",
        "distance to the space of planted topics",
        (PLANTED,),
        (
            printed(
                PLANTED,
                {
                    "distance, LSI, drawn, no keywords": 1.86,
                    f"distance, LSI, {READING}": 11.16,
                    f"distance, exact PCP, {READING}": 3.63,
                },
                label="LSI without keywords, LSI with keywords, PCP with keywords:",
                good=None,
            ),
            printed(PLANTED, {f"non-zeros of S, exact PCP, {READING}": 54704}, label="non-zeros:"),
            stated(
                "keywords move LSI away from the topics, and PCP corrects this",
                PLANTED,
                (
                    "distance, LSI, drawn, no keywords",
                    f"distance, exact PCP, {READING}",
                    f"distance, LSI, {READING}",
                ),
                lambda clean, pcp, lsi: clean < pcp < lsi,
                "{0} < {1} < {2}",
            ),
        ),
        "counts of words drawn one by one are noisy, and L + S = D does not model noise; the "
        "paper's numbers are between our numbers for expected counts and for rounded expected "
        "counts",
    ),
    Entry(
        PCP,
        "figure 2",
        "singular values of 1,000 Reuters stories",
        (VALUES,),
        (
            stated(
                "the singular values fall smoothly, without a clear break point",
                VALUES,
                (
                    "largest drop of singular values 20 to 300, first 1,000",
                    "largest drop of singular values 20 to 300, 1,000 longest",
                ),
                lambda *drops: max(drops) <= 1.05,
                "the largest ratio of neighbours is {0} (first stories) and {1} (longest stories)",
            ),
        ),
    ),
    Entry(
        PCP,
        "figure 3",
        "singular values of planted topics",
        (PLANTED,),
        (
            stated(
                "(a) a sharp drop after singular value 100",
                PLANTED,
                ("drop, drawn, no keywords",),
                lambda drop: drop >= 1.2,
                "{0} times the next singular value",
            ),
            stated(
                "(b) no sharp drop with keywords",
                PLANTED,
                (f"drop, with keywords, {READING}",),
                lambda drop: drop <= 1.05,
                "{0} times the next singular value",
            ),
            stated(
                "(c) again a sharp drop after PCP",
                PLANTED,
                (f"drop, exact PCP, {READING}",),
                lambda drop: drop >= 1.2,
                "{0} times the next singular value",
            ),
        ),
        "counts of drawn words are noisy (see table 1); with expected counts, the drop reappears",
    ),
    Entry(
        PCP,
        "figure 4",
        "perplexity of LDA on the background L and on D",
        ("pcp-perplexity",),
        tuple(
            stated(
                f"{side} part: {less} lower at i = 5",
                "pcp-perplexity",
                (f"perplexity on its own {part} part, LDA on L, i=5, 2,000 longest",),
                lambda ratio, bound=bound: ratio <= bound,
                "{0} times the perplexity of LDA on D",
                of="ratio",
            )
            for side, part, less, bound in (
                ("training", "training", "20 to 30 %", 0.8),
                ("test", "test", "30 to 35 %", 0.7),
            )
        ),
        "keywords are repeated words, which LDA predicts best, so the text without them is harder "
        "to predict; the paper states neither its stories nor the number of sampling iterations",
    ),
    Entry(
        PCP,
        "figure 5",
        "keywords compared with title words, by λ = i/√m",
        (TITLES,),
        (
            printed(
                TITLES,
                {f"i at the peak of t2 over all documents, {NEAREST}": 12},
                label="t2 is largest at i =",
                margin=1 / 6,
            ),
            stated(
                "t2 is more than 0.5 at i = 12",
                TITLES,
                (f"t2 over all documents, i=12, {NEAREST}",),
                lambda share: share > 0.5,
                "{0}",
            ),
            printed(
                TITLES,
                {f"mass, i=12, {NEAREST}": 0.05},
                label="keywords as a share of all words:",
                about="about ",
                margin=0.5,
            ),
        ),
        "the paper states neither its stories nor how it counts documents without keywords",
    ),
)
