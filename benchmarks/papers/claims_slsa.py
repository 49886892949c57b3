"""Claims in the tables and figures of the Sparse LSA paper, and rows to compare them with."""

from __future__ import annotations

from itertools import pairwise

from benchmarks.papers.claims import Entry, above, printed, stated
from benchmarks.papers.names import DRAWING, SPARSE_LSA

DENSITY, OVER, EFFECTIVE = "slsa-density", "slsa-over-dimension", "slsa-effective-dimension"
PROJECTION, TOPICS = "slsa-projection", "slsa-topics"
DISJOINT = "272 tumours, disjoint, standardised"
LONGER = "projection, how much longer than Sparse LSA, "


def _densities(kind: str, values: dict[int, float]) -> dict[str, float]:
    return {f"density of A, D={size}, {kind} (*": value for size, value in values.items()}


SPARSE_LSA_ENTRIES = (
    Entry(SPARSE_LSA, "figure 1", "matrix factorisation, and a topic with its words", said=DRAWING),
    Entry(
        SPARSE_LSA,
        "table 1",
        "size of the data",
        (DENSITY,),
        (
            printed(
                DENSITY,
                {"documents of the authors' matrix": 1425, "words of the authors' matrix": 17390},
                label="documents and words of 20 Newsgroups:",
            ),
        ),
        "the authors' file has two more documents; the RCV1 file is not available",
    ),
    Entry(
        SPARSE_LSA,
        "table 2 (a)",
        "density of A for D = 10, 50, 100, 500, 1000, in %",
        (DENSITY,),
        (
            printed(
                DENSITY,
                _densities("l1", {10: 1.48, 50: 0.80, 100: 0.74, 500: 0.32, 1000: 0.18}),
                label="l1:",
            ),
            printed(
                DENSITY,
                _densities("non-negative", {10: 1.44, 50: 0.72, 100: 0.55, 500: 0.31, 1000: 0.17}),
                label="non-negative:",
            ),
        ),
        "we use the paper's λ, initialisation and stopping rule; up to D = 500, the printed "
        "algorithm gives our values to two digits on this file; at D = 1000, all our topics are "
        "non-empty, and the paper does not state how it treats empty topics",
    ),
    Entry(
        SPARSE_LSA,
        "table 2 (b)",
        "density of A on RCV1",
        ("slsa-reuters",),
        (
            stated(
                "l1: 13.52, 7.46, 7.40, 2.71, 1.13; judged: the density falls with D",
                "slsa-reuters",
                [f"density of A, D={size}, l1" for size in (10, 50, 100, 500, 1000)],
                lambda *values: all(a > b for a, b in pairwise(values)),
                "l1: {0}, {1}, {2}, {3}, {4}",
            ),
        ),
        "the RCV1 file is not available; Reuters-21578 stories with one topic replace it, so only "
        "the shape of the curve is judged",
    ),
    Entry(
        SPARSE_LSA,
        "table 3 (a)",
        "projecting a document, D = 1000: time, storage, density of codes",
        (PROJECTION, EFFECTIVE),
        (
            printed(
                PROJECTION,
                {
                    "projection of a document, Sparse LSA": 0.25,
                    "projection of a document, Sparse LSA, non-negative": 0.22,
                },
                label="time of Sparse LSA without and with non-negativity:",
                unit=" ms",
                good="lower",
            ),
            stated(
                "LSA takes 126 times as long (31.6 ms)",
                PROJECTION,
                (f"{LONGER}LSA",),
                lambda times: times >= 100,
                "{0} times as long",
            ),
            stated(
                "sparse coding takes 6,844 times as long (1,711 ms)",
                PROJECTION,
                (f"{LONGER}sparse coding",),
                lambda times: times >= 1000,
                "{0} times as long",
            ),
            printed(
                PROJECTION,
                {
                    "storage of A as in MATLAB, Sparse LSA": 0.6314,
                    "storage of A as in MATLAB, Sparse LSA, non-negative": 0.6041,
                    "storage of A as in MATLAB, LSA": 132.68,
                },
                label="storage of Sparse LSA without and with non-negativity, and of LSA:",
                unit=" MB",
                good="lower",
            ),
            printed(
                PROJECTION,
                {
                    "density of projected documents, Sparse LSA": 35.81,
                    "density of projected documents, Sparse LSA, non-negative": 35.44,
                },
                label="density of codes without and with non-negativity:",
                unit=" %",
                good="lower",
            ),
            printed(
                EFFECTIVE,
                {
                    "accuracy, λ=0.05, Sparse LSA": 93.01,
                    "accuracy, λ=0.05, Sparse LSA, non-negative": 93.00,
                },
                label="accuracy of Sparse LSA without and with non-negativity:",
                unit=" %",
                margin=0.01,
                good="higher",
            ),
        ),
        "our machine is different and our kernel is compiled, so that ratios are comparable, but "
        "milliseconds are not; storage and density of codes follow from table 2 at D = 1000, where "
        "the paper has about three quarters of our non-zeros, as if a quarter of its topics were "
        "empty",
    ),
    Entry(
        SPARSE_LSA,
        "table 3 (b)",
        "accuracy on RCV1, D = 1000",
        ("slsa-reuters",),
        (
            stated(
                "at most 1 point less accurate than LSA (88.88 and 88.97 % against 89.38 %)",
                "slsa-reuters",
                (
                    "accuracy, D=1000, Sparse LSA",
                    "accuracy, D=1000, Sparse LSA, non-negative",
                    "accuracy, D=1000, LSA",
                ),
                lambda plain, positive, lsa: min(plain, positive) >= lsa - 1,
                "{0} and {1} % against {2} %",
            ),
        ),
        "Reuters-21578 replaces RCV1",
    ),
    Entry(
        SPARSE_LSA,
        "table 4",
        "words of ten non-negative topics of NIPS papers",
        (TOPICS,),
        (
            stated(
                "seven topics of ten words; judged: at least two thirds of the words in common",
                TOPICS,
                ("words shared, frequencies, init='identity'",),
                lambda share: share >= 200 / 3,
                "{0} % of the words",
            ),
            stated(
                "every topic keeps at least ten words",
                TOPICS,
                ("words of the shortest topic",),
                lambda words: words >= 10,
                "{0} words in the shortest topic",
            ),
        ),
        "we use 1,740 papers instead of 1,714, and the paper states neither λ nor the weighting",
    ),
    Entry(
        SPARSE_LSA,
        "table 5",
        "words of ten LDA topics of NIPS papers",
        ("slsa-lda-topics",),
        (
            stated(
                "seven topics of ten words; judged: at least two thirds of the words in common",
                "slsa-lda-topics",
                ("words shared, LDA",),
                lambda share: share >= 200 / 3,
                "{0} % of the words",
            ),
        ),
        "the paper's LDA has not converged; its words (such as single, general, sets, maximum and "
        "paper) belong to no subject, while converged LDA finds subjects",
    ),
    Entry(
        SPARSE_LSA,
        "figure 2 (a)",
        "accuracy of an SVM on codes, by D",
        (OVER,),
        (
            above(
                "with few dimensions, LSA is above Sparse LSA",
                OVER,
                "accuracy, D=10, LSA",
                "accuracy, D=10, Sparse LSA",
                " %",
            ),
            stated(
                "with many dimensions, Sparse LSA is within 1 point of LSA",
                OVER,
                ("accuracy, D=1000, Sparse LSA", "accuracy, D=1000, LSA"),
                lambda ours, lsa: ours >= lsa - 1,
                "{0} against {1} %",
            ),
            printed(
                OVER,
                {"accuracy, D=1000, LSA": 93.89, "accuracy, D=1000, sparse coding": 90.54},
                label="LSA and sparse coding, D = 1000:",
                unit=" %",
                margin=0.01,
                good="higher",
            ),
            stated(
                "the non-negative form is equally good",
                OVER,
                ("accuracy, D=1000, Sparse LSA, non-negative", "accuracy, D=1000, Sparse LSA"),
                lambda positive, plain: positive >= plain - 1,
                "{0} against {1} %",
            ),
            above(
                "sparse coding is below Sparse LSA",
                OVER,
                "accuracy, D=1000, Sparse LSA",
                "accuracy, D=1000, sparse coding",
                " %",
            ),
            stated(
                "LDA is far below all other methods",
                OVER,
                ("accuracy, D=1000, LDA", "accuracy, D=1000, sparse coding"),
                lambda lda, other: lda <= other - 3,
                "{0} against {1} % of the next method",
            ),
        ),
        "the paper does not print the numbers of the curve; our LDA is sampled and improves with "
        "D, while the paper's LDA is variational",
    ),
    Entry(
        SPARSE_LSA,
        "figure 2 (b)",
        "accuracy of an SVM on codes, by D, on RCV1",
        ("slsa-reuters",),
        (
            above(
                "with few dimensions, LSA is above Sparse LSA",
                "slsa-reuters",
                "accuracy, D=10, LSA",
                "accuracy, D=10, Sparse LSA",
                " %",
            ),
            stated(
                "with many dimensions, Sparse LSA is within 1 point of LSA",
                "slsa-reuters",
                ("accuracy, D=1000, Sparse LSA", "accuracy, D=1000, LSA"),
                lambda ours, lsa: ours >= lsa - 1,
                "{0} against {1} %",
            ),
        ),
        "Reuters-21578 replaces RCV1",
    ),
    Entry(
        SPARSE_LSA,
        "figure 3",
        "accuracy by effective dimension, λ from 0.5 to 0",
        (EFFECTIVE,),
        (
            stated(
                "Sparse LSA is far above LSA with equally many parameters",
                EFFECTIVE,
                ("accuracy, λ=0.1, Sparse LSA", "accuracy, λ=0.05, Sparse LSA"),
                lambda *times: min(times) >= 1.2,
                "{0} and {1} times as accurate (λ = 0.1 and 0.05)",
                of="ratio",
            ),
            stated(
                "even highly sparse models are accurate",
                EFFECTIVE,
                ("effective dimension, λ=0.2, Sparse LSA", "accuracy, λ=0.2, Sparse LSA"),
                lambda dimension, accuracy: dimension < 1 and accuracy > 90,
                "{1} % with an effective dimension of {0}",
            ),
            stated(
                "highly sparse non-negative models are also accurate",
                EFFECTIVE,
                (
                    "effective dimension, λ=0.2, Sparse LSA, non-negative",
                    "accuracy, λ=0.2, Sparse LSA, non-negative",
                ),
                lambda dimension, accuracy: dimension < 1 and accuracy > 90,
                "{1} % with an effective dimension of {0}",
            ),
        ),
        "the paper does not print the numbers of the curve",
    ),
    Entry(
        SPARSE_LSA,
        "section 5.4",
        "gene groups of breast cancer",
        ("genes",),
        (
            printed(
                "genes",
                {f"groups in three components, {DISJOINT}": 45},
                label="groups in three components:",
            ),
            stated(
                "the cell cycle is among the themes of the groups",
                "genes",
                (f"over-representation of cell cycle, {DISJOINT}",),
                lambda times: times >= 2,
                "its genes are {0} times as frequent as with random groups",
                of="ratio",
            ),
            stated(
                "the immune system and the extracellular matrix are among the themes",
                "genes",
                (
                    f"over-representation of immune system, {DISJOINT}",
                    f"over-representation of extracellular matrix, {DISJOINT}",
                ),
                lambda *times: min(times) >= 2,
                "their genes are {0} and {1} times as frequent as with random groups",
                of="ratio",
            ),
            stated(
                "the immune system and the extracellular matrix are among the themes; judged with "
                "overlapping sets and with genes that are not standardised",
                "genes",
                (
                    "over-representation of immune system, 272 tumours, copied, as measured",
                    "over-representation of extracellular matrix, 272 tumours, copied, as measured",
                ),
                lambda *times: min(times) >= 2,
                "their genes are {0} and {1} times as frequent as with random groups",
                of="ratio",
            ),
            stated(
                "without groups, a component has more than 100 genes",
                "genes",
                ("genes of a component without groups, 272 tumours, disjoint, as measured",),
                lambda genes: genes > 100,
                "{0} genes at an equally good fit",
            ),
        ),
        "the paper's matrix is not available, so we use 272 of its 295 tumours and 546 of its "
        "8,141 genes; each gene is in the smallest of its sets, and genes are standardised",
    ),
)
