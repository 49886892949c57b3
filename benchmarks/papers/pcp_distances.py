"""Table 1 and figure 3 of the PCP paper by its own algorithm, and table 1 for other corpora.

Table 1 has distances by two definitions.

Equation (13) prints the square root of the sum of the angles; the reference that it cites (Miao and
Ben-Israel) has the square root of the sum of their squares. The paper also states that the
experiment was "repeated with varying numbers of topics, documents and perturbation percentages",
and that the reduction of the distance is "consistent and significant".
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Run, threads
from benchmarks.papers.literal_pcp import inexact_alm
from benchmarks.papers.pcp import (
    PAPER_ALPHA,
    PAPER_DISTANCES,
    PAPER_NONZEROS,
    PRINTED,
    exact,
    known,
)
from benchmarks.papers.pcp_synthetic import MIXING, Planted, Sizes, angles, drop, keywords, plant
from laconic import PCP

N_SEEDS = 2
MIXINGS = (0.02, 0.03, 0.05, MIXING)
LENGTHS = (500, 1300)
KEYWORDS = {"50 keywords": 50, "200 keywords": 200}  # 10 % of the length, or of the vocabulary
# One size differs from the paper's corpus at a time
VARIED = {
    "50 topics": Sizes(n_topics=50),
    "200 topics": Sizes(n_topics=200),
    "500 documents": Sizes(n_documents=500),
}
SHARES = {"5 % keywords": 25, "20 % keywords": 100}
EXACT, FACTORED = "laconic, exact PCP", "laconic, factored PCP"


class Distances(NamedTuple):
    """Distance of two spaces by the printed equation and by its reference."""

    printed: float  # √Σθ
    squared: float  # √Σθ²


NAMES = Distances("√Σθ", "√Σθ²")


def distances(space: np.ndarray, truth: np.ndarray) -> Distances:
    theta = angles(space, truth)
    return Distances(float(np.sqrt(theta.sum())), float(np.sqrt((theta**2).sum())))


def pcp_distances(run: Run) -> None:
    """Table 1 by √Σθ and √Σθ², figure 3, a scan of the corpus' parameters, and other sizes."""
    run.note(
        "Distances from the space of the planted topics: √Σθ as printed in equation (13), and √Σθ² "
        "as in its reference. Spaces are the leading directions, as many as topics. "
        f"'{PRINTED}' is inexact ALM with ρ=1.5 and λ={PAPER_ALPHA}. Counts are drawn word by "
        "word; keywords are random words, whose counts rise by 10. The paper's corpus: α=0.1, 500 "
        f"words per document, 100 topics; {N_SEEDS} seeds are averaged there. The scan of "
        "α, length and keywords looks for the paper's 1.86 and 11.16; its nearest point is chosen "
        "by nearness to these numbers. A drop is the singular value whose number is that of the "
        "topics, divided by the next (figure 3)."
    )
    with threads(1):
        small = Sizes(120, 80, 6, 200) if run.smoke else None
        _paper_rows(run, small or Sizes())
        _scan_rows(run, small or Sizes())
        if not run.smoke:
            _varied_rows(run)


def corrupt(planted: Planted, n_keywords: int, seed: int) -> sp.csr_matrix:
    def reading(row: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
        return random.choice(len(row), min(n_keywords, len(row)), replace=False)

    return sp.csr_matrix(planted.clean + keywords(planted, 0, reading, seed))


def leading_words(X: np.ndarray, rank: int) -> np.ndarray:
    """Return the leading right singular vectors, from the Gram matrix of the shorter side."""
    if X.shape[0] < X.shape[1]:
        _, left = np.linalg.eigh(X @ X.T)
        return X.T @ left[:, -rank:]
    return np.linalg.eigh(X.T @ X)[1][:, -rank:]


def _report(
    run: Run, what: str, found: list[Distances], paper: float | None = None, why: str | None = None
) -> None:
    for name, values in zip(NAMES, zip(*found, strict=True), strict=True):
        run.row(f"distance by {name}, {what}", np.mean(values), "", why=why, **known(run, paper))


# --- the paper's corpus --------------------------------------------------------------------------


def _paper_rows(run: Run, sizes: Sizes) -> None:
    corpora = [plant(sizes, run.seed + n) for n in range(1 if run.smoke else N_SEEDS)]
    r = sizes.n_topics
    clean = [distances(leading_words(one.clean.toarray(), r), one.topics.T) for one in corpora]
    _report(run, "LSI, no keywords", clean, PAPER_DISTANCES["clean"])
    _drop_row(run, "no keywords", [one.clean.toarray() for one in corpora], r)
    for name, n_keywords in KEYWORDS.items():
        lsi, printed, nonzeros = [], [], []
        corrupted, backgrounds = [], []
        for seed, one in enumerate(corpora, run.seed):
            D = corrupt(one, n_keywords, seed)
            lsi.append(distances(leading_words(D.toarray(), r), one.topics.T))
            split = inexact_alm(D.toarray(), PAPER_ALPHA)
            printed.append(distances(leading_words(split.low_rank, r), one.topics.T))
            nonzeros.append(np.count_nonzero(split.sparse))
            corrupted.append(D.toarray())
            backgrounds.append(split.low_rank)
        _report(run, f"LSI, {name}", lsi, PAPER_DISTANCES["keywords"])
        _report(run, f"{PRINTED}, {name}", printed, PAPER_DISTANCES["exact"])
        _drop_row(run, name, corrupted, r)
        _drop_row(run, f"{PRINTED}, {name}", backgrounds, r)
        what = f"non-zeros of S, {PRINTED}, {name}"
        run.row(what, np.mean(nonzeros), "", **known(run, PAPER_NONZEROS))
        if n_keywords != min(KEYWORDS.values()):
            continue  # exact PCP takes minutes, and LSI is no worse here (pcp-topic-space)
        D, truth = corrupt(corpora[0], n_keywords, run.seed), corpora[0].topics.T
        convex, model = exact(D, PAPER_ALPHA), PCP(random_state=run.seed).fit(D)
        for of, one in ((EXACT, convex), (FACTORED, model)):
            found = [distances(one.components_[:r].T, truth)]
            _report(run, f"{of}, {name}, one seed", found, PAPER_DISTANCES["exact"])
        what = f"non-zeros of S, {EXACT}, {name}, one seed"
        run.row(what, convex.keywords_.nnz, "", **known(run, PAPER_NONZEROS))


def _drop_row(run: Run, what: str, matrices: list[np.ndarray], rank: int) -> None:
    """Add the drop of figure 3: singular value `rank` divided by the next one."""
    drops = [drop(np.linalg.svd(X, compute_uv=False), rank) for X in matrices]
    run.row(f"drop, {what}", np.mean(drops), "")


# --- the scan ------------------------------------------------------------------------------------


def _scan_rows(run: Run, sizes: Sizes) -> None:
    r, points = sizes.n_topics, {}
    for mixing, length in product(MIXINGS[-1:] if run.smoke else MIXINGS, LENGTHS):
        planted = plant(sizes._replace(length=length), run.seed, mixing)
        corpus = f"α={mixing:g}, length {length}"
        clean = distances(leading_words(planted.clean.toarray(), r), planted.topics.T)
        _report(run, f"LSI, no keywords, {corpus}", [clean], PAPER_DISTANCES["clean"])
        for name, n_keywords in KEYWORDS.items():
            D = corrupt(planted, n_keywords, run.seed)
            lsi = distances(leading_words(D.toarray(), r), planted.topics.T)
            _report(run, f"LSI, {name}, {corpus}", [lsi], PAPER_DISTANCES["keywords"])
            for number, of in enumerate(NAMES):
                off = np.log([clean[number], lsi[number]])
                off -= np.log([PAPER_DISTANCES["clean"], PAPER_DISTANCES["keywords"]])
                points[of, f"{name}, {corpus}"] = float(np.abs(off).sum()), planted, D
    for of in NAMES:
        nearest = min((key for key in points if key[0] == of), key=lambda key: points[key][0])
        _, planted, D = points[nearest]
        split = inexact_alm(D.toarray(), PAPER_ALPHA)
        found = distances(leading_words(split.low_rank, r), planted.topics.T)
        what = f"{PRINTED}, {nearest[1]}, nearest by {of}"
        _report(run, what, [found], PAPER_DISTANCES["exact"], why="chosen by nearness to the paper")
        what = f"non-zeros of S, {what}"
        run.row(what, np.count_nonzero(split.sparse), "", **known(run, PAPER_NONZEROS))


# --- other sizes ---------------------------------------------------------------------------------


def _varied_rows(run: Run) -> None:
    corpora = {name: (sizes, KEYWORDS["50 keywords"]) for name, sizes in VARIED.items()}
    corpora |= {name: (Sizes(), n) for name, n in SHARES.items()}
    falls = []
    for name, (sizes, n_keywords) in corpora.items():
        planted = plant(sizes, run.seed)
        D = corrupt(planted, n_keywords, run.seed).toarray()
        lsi = distances(leading_words(D, sizes.n_topics), planted.topics.T)
        split = inexact_alm(D, PAPER_ALPHA)
        found = distances(leading_words(split.low_rank, sizes.n_topics), planted.topics.T)
        for number, of in enumerate(NAMES):
            run.row(
                f"distance by {of}, {PRINTED}, {name}",
                found[number],
                "",
                peer="LSI",
                peer_value=lsi[number],
            )
        falls.append(found.printed < lsi.printed)
    run.row(
        "other corpora on which PCP as printed is nearer than LSI",
        np.sum(falls),
        "",
        peer="all",
        peer_value=len(falls),
    )
