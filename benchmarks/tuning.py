"""Recovery of the true number of topics by tuning.

Documents with twenty topics come from two kinds of generator. `make_topics` has topics with few
words, two or three topics per document, and a background. Latent Dirichlet allocation has topics
with many rare words, and any mixture of topics. Tuning gets no hint about the number of topics. For
the documents ``short, mixed``, which have few words and many topics, the number of topics can
barely be recovered.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Goal, Run
from laconic import Corpus, tune
from laconic.datasets import make_topics
from laconic.models import MODELS

PLANTED = 20
NEAR = Goal("18 to 22", lambda value: 18 <= value <= 22, "value")


def draw_lda(
    n_documents: int,
    n_words: int,
    n_topics: int,
    *,
    length: int,
    alpha: float,
    eta: float,
    seed: int,
) -> Corpus:
    """Draw documents from latent Dirichlet allocation; labels are their largest topics."""
    random = np.random.default_rng(seed)
    topics = random.dirichlet(np.full(n_words, eta), n_topics)
    mixtures = random.dirichlet(np.full(n_topics, alpha), n_documents)
    lengths = np.maximum(1, random.poisson(length, n_documents))
    counts = [
        sp.csr_matrix(random.multinomial(n, shares @ topics / (shares @ topics).sum()))
        for n, shares in zip(lengths, mixtures, strict=True)
    ]
    X = sp.vstack(counts, format="csr")
    used = np.flatnonzero(np.asarray(X.sum(axis=0)).ravel())
    return Corpus(X[:, used], [f"w{i:05}" for i in used], labels=mixtures.argmax(axis=1))


PANEL: dict[str, Callable[[int], Corpus]] = {
    "lists of 20 words, 500 documents": lambda k: make_topics(500, 1000, k)[0],
    "lists of 20 words, 1000 documents": lambda k: make_topics(1000, 1000, k, random_state=7)[0],
    "lists that overlap": lambda k: make_topics(1000, 1000, k, overlap=0.3, random_state=1)[0],
    "much background": lambda k: make_topics(
        1000, 1000, k, document_length=50, background=0.3, random_state=3
    )[0],
    "LDA": lambda k: draw_lda(1000, 1000, k, length=100, alpha=0.1, eta=0.05, seed=0),
    "LDA, few words for each topic": lambda k: draw_lda(
        1000, 1000, k, length=100, alpha=0.1, eta=0.01, seed=4
    ),
    "LDA, short, 3000 words": lambda k: draw_lda(
        500, 3000, k, length=50, alpha=0.05, eta=0.1, seed=1
    ),
    "LDA, short, mixed": lambda k: draw_lda(500, 1000, k, length=50, alpha=0.2, eta=0.1, seed=3),
}


def tune_planted(run: Run) -> None:
    """Number of topics that tuning chooses on data with 20 topics, per model and generator."""
    kinds = dict(list(PANEL.items())[:1]) if run.smoke else PANEL
    models = ["slsa"] if run.smoke else list(MODELS)
    planted = 6 if run.smoke else PLANTED
    for kind, draw in kinds.items():
        corpus = draw(planted)
        for name in models:
            started = time.process_time()
            found = tune(
                corpus, name, sparsity=False, refit=False, random_state=run.seed
            ).n_components
            seconds = time.process_time() - started
            run.row(
                f"{name}, {kind}",
                found,
                "topics",
                goal=None if run.smoke else NEAR,
                tolerance=0.1,
            )
            run.row(f"{name}, {kind}, time", seconds, "core-seconds")
    run.note(
        "The search gets no hint about the number of topics. It tries 2 topics up to one topic per "
        "five documents, at most 200. For medstc, the class of a document is its largest topic."
    )
