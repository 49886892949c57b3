"""Section 4.1 of the SCTM paper: similar documents, and top documents of topics, by title.

The 1,500 papers of the UCI file, which the paper uses, get their titles from another file
(`benchmarks.nips.matched_nips`).
"""

from __future__ import annotations

from itertools import islice

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.harness import Run, threads
from benchmarks.nips import UNTITLED, matched_nips
from benchmarks.papers import literal_sctm
from benchmarks.papers.sctm import (
    OMEGA,
    PAPER,
    QUERY,
    SIMILAR,
    TOP_DOCUMENTS,
    P,
    top_words,
    topic_of,
)
from laconic import SCTM, Corpus

N_FITS = 10
STEPS = 20  # outer steps of the paper's algorithm; the paper does not state their number
PRINTED, OURS = "SCTM as printed", "laconic"
NEAR = 10


def sctm_documents(run: Run) -> None:
    """Ranks of the papers that the SCTM paper names, over ten seeds, by both algorithms."""
    corpus = matched_nips(run)
    titles = [str(title) for title in corpus.titles]
    n_fits, p = (2, 6) if run.smoke else (N_FITS, P)
    run.note(
        f"{len(corpus):,} papers, of which {len(titles) - titles.count(UNTITLED):,} have a title; "
        f"{p} topics, ω=2^-12, seeds 0 to {n_fits - 1}. A rank is the position of a paper that is "
        "named in the text, in the list of all papers by Hellinger distance to the paper "
        f"'{QUERY}', or by the share of the topic in which the printed words rank highest. The "
        f"printed algorithm starts from {literal_sctm.N_SEEDS} seed documents per topic with a "
        f"Dirichlet draw, and stops after {STEPS} outer steps; laconic fits until it converges."
    )
    found: dict[str, list[dict[str, int]]] = {PRINTED: [], OURS: []}
    with threads(1):
        for seed in range(run.seed, run.seed + n_fits):
            found[PRINTED].append(
                ranks(corpus, *_printed(corpus.counts, p, seed, run.smoke), titles)
            )
            model = SCTM(p, alpha=OMEGA, smoothing=None, random_state=seed, n_jobs=1)
            codes = model.fit_transform(corpus.counts.astype(np.float32)).toarray()
            found[OURS].append(ranks(corpus, model.components_, codes, titles))
    for name, fits in found.items():
        _rank_rows(run, name, fits)


def _printed(
    counts: csr_matrix, p: int, seed: int, is_short: bool
) -> tuple[np.ndarray, np.ndarray]:
    n_steps = 2 if is_short else STEPS
    topics, codes = next(islice(literal_sctm.steps(counts, p, OMEGA, seed), n_steps - 1, None))
    return topics, literal_sctm.code(literal_sctm.frequencies(counts), topics, OMEGA, codes)


def ranks(
    corpus: Corpus, topics: np.ndarray, codes: np.ndarray, titles: list[str]
) -> dict[str, int]:
    """Return the rank of each paper that is named in the text; titles of smoke runs are made up."""
    is_real = any(title.startswith(QUERY) for title in titles)
    query, similar = (QUERY, SIMILAR) if is_real else (titles[0], tuple(titles[1:3]))
    examples = TOP_DOCUMENTS
    if not is_real:
        examples = {tuple(top_words(topics[:1], corpus.vocabulary)[0][:3]): (titles[3],)}
    shares = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-12)
    row = _row(titles, query)
    distances = hellinger(shares, shares[row])
    distances[row] = -1  # the query itself, which is rank 0
    order = np.argsort(distances, kind="stable").tolist()
    found = {f"similar documents: '{title}'": order.index(_row(titles, title)) for title in similar}
    for words, named in examples.items():
        topic = topic_of(topics, corpus.vocabulary, words)
        order = np.argsort(-shares[:, topic], kind="stable").tolist()
        for title in named:
            what = f"top documents of {{{', '.join(words) if is_real else 'words'}}}: '{title}'"
            found[what] = order.index(_row(titles, title)) + 1
    return found


def hellinger(shares: np.ndarray, one: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance of each row from one distribution."""
    return np.linalg.norm(np.sqrt(shares) - np.sqrt(one), axis=1) / np.sqrt(2)


def _row(titles: list[str], title: str) -> int:
    return next(row for row, known in enumerate(titles) if known.startswith(title))


def _rank_rows(run: Run, name: str, fits: list[dict[str, int]]) -> None:
    kinds: dict[str, list[list[int]]] = {}
    for what in fits[0]:
        each = [fit[what] for fit in fits]
        kind = what.split(":")[0]
        kinds.setdefault(kind, []).append(each)
        paper = {} if run.smoke else {"peer": PAPER, "peer_value": float(len(kinds[kind]))}
        for measure, of in (("best rank", np.min), ("median rank", np.median)):
            run.row(f"{measure}, {name}, {what}", of(each), "", **paper)
        run.note(f"Ranks, {name}, {what}: {', '.join(map(str, each))}.")
    for kind, two in kinds.items():
        both = np.sum(np.max(two, axis=0) <= NEAR)
        run.row(f"seeds with both papers among the first {NEAR}, {name}, {kind}", both, "")
