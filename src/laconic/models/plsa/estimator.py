"""Probabilistic latent semantic analysis: every document a mixture of topics.

Hofmann: Probabilistic Latent Semantic Indexing, SIGIR 1999; with priors, as in Chien, Wu: Adaptive
Bayesian Latent Semantic Analysis, 2008 (MAP-EM). For counts w_dn find θ_d (topics of a document)
and β_k (words of a topic), all on the simplex, that

    minimise  - Σ_dn w_dn ln(θ_d'β_n) - a Σ_kn ln β_kn - b Σ_dk ln θ_dk

=====================  =========================================================================
here                   meaning
=====================  =========================================================================
``smoothing`` a        exponent of the Dirichlet prior of a topic, minus one
``doc_smoothing`` b    the same for the mixture of a document
=====================  =========================================================================

It is expectation maximisation: a pass over the documents, where each document takes a few steps for
its own mixture, and expected counts a_kn = Σ_d w θ_k β_kn / m that make the next topics,
β ∝ a_kn + smoothing. The objective never rises where both exponents are zero or more. A negative
exponent takes that much off every expected count, once topics have formed, and leaves zero where
nothing is left: sparse topics. Every word keeps its strongest topic.

The same problem without `smoothing` is the limit of sparse topical coding for a coupling that goes
to infinity, and a good place to start it.
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.models.base import OnlineModel, draw_seed
from laconic.models.distributions import DistributionModel, LikelihoodMixin
from laconic.models.first_topics import (
    Totals,
    admit_words,
    first_topics,
    given_topics,
    total_counts,
)
from laconic.models.plsa.mixture import (
    TRANSFORM_STEPS,
    TRANSFORM_TOL,
    Mixture,
    maximize,
    mix_chunk,
    mix_codes,
    mix_likelihood,
)


class PLSA(OnlineModel, LikelihoodMixin, DistributionModel):
    """Probabilistic latent semantic analysis with priors.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics.
    smoothing : float, default=0.02
        Added to the expected count of each word in each topic. A negative value above -1 is taken
        off instead and makes topics sparse: -0.05 leaves nine of ten weights zero on news.
    doc_smoothing : float, default=0.05
        The same for the topics of a document.
    max_iter : int, default=100
        Most passes over the documents.
    tol : float, default=3e-4
        Stop when a pass improves the objective by less than this share of it.
    init : array or sparse matrix of shape (n_components, n_words), optional
        Topics to start from, such as ``components_`` of another model; by default those of a quick
        Sparse LSA.
    random_state : int, RandomState or None, default=0
        Seed of the start.
    engine : str, default="threads"
        Where to run: "serial", "threads", "dask" or the address of a Dask scheduler. It does not
        change the result.
    n_jobs : int, optional
        Number of workers; all cores by default.
    sparse_output : bool, default=True
        Whether `transform` returns CSR or an array; frames asked for by ``set_output`` are dense.
    verbose : int, default=0
        1 draws a progress bar on a terminal, 2 also logs each pass.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_words)
        The topics by falling share: P(word | topic).
    topic_shares_ : ndarray of shape (n_components,)
        Share of all words.
    objective_ : ndarray of shape (n_passes,)
        Penalised negative log-likelihood after each pass; with a negative exponent the likelihood
        alone.
    topic_mass_ : ndarray of shape (n_components,)
        Number of words of each topic.
    n_documents_ : int
        Documents seen.
    n_iter_ : int
    converged_ : bool
    statistics_ : tuple
        After `partial_fit`: the decayed counts from which the next batch goes on.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> model = PLSA(n_components=2).fit(X)
    >>> model.transform(X[:1]).toarray().round(1).tolist()
    [[1.0, 0.0]]
    """

    _parameter_constraints = {
        **DistributionModel._parameter_constraints,
        "smoothing": [Interval(Real, -1, None, closed="neither")],
        "doc_smoothing": [Interval(Real, -1, None, closed="neither")],
    }

    WEIGHTING = "counts"
    PIPELINE_DEFAULTS: dict[str, Any] = {}

    def __init__(
        self,
        n_components: int = 50,
        *,
        smoothing: float = 0.02,
        doc_smoothing: float = 0.05,
        max_iter: int = 100,
        tol: float = 3e-4,
        init: Any = None,
        random_state: Any = 0,
        engine: str = "threads",
        n_jobs: int | None = None,
        sparse_output: bool = True,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.smoothing = smoothing
        self.doc_smoothing = doc_smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.sparse_output = sparse_output
        self.verbose = verbose

    # --- fitting ---------------------------------------------------------------------------------

    def _fit_topics(self, engine: Engine, chunks: list[Chunk]) -> np.ndarray:
        """Topics by word, as the start of another model: it need not converge."""
        self._nested = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the other model warns by itself
            self._fit_chunks(engine, chunks)
        return self._words_topics()

    def _fit_chunks(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals = engine.map_reduce(total_counts, None, chunks)
        self._check_size(len(totals.words))
        words = self._start(engine, chunks, totals)
        solver = Mixture(words, self.smoothing, self.doc_smoothing, self.tol, len(chunks))
        self._iterate(solver, engine, chunks)
        order = self._store_topics(solver.words, solver.mass, tidy=True)
        self.topic_mass_ = solver.mass[order]
        self.n_documents_ = totals.n_documents

    def _start(self, engine: Engine, chunks: list[Chunk], totals: Totals) -> np.ndarray:
        if self.init is not None:
            return admit_words(given_topics(self, totals), totals.words)
        seed = draw_seed(self.random_state)
        return first_topics(engine, chunks, totals, self.n_components, seed)

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals = engine.map_reduce(total_counts, None, chunks)
        counts, mass, before = self._past()
        if hasattr(self, "components_"):
            words = admit_words(self._words_topics(), totals.words)
        else:
            self._check_size(len(totals.words))
            words = self._start(engine, chunks, totals)
            self.n_iter_, self.converged_, self.objective_ = 0, False, np.zeros(0)
        solver = Mixture(words, self.smoothing, self.doc_smoothing, self.tol, len(chunks))
        # One pass only, so each document is taken as far as it goes.
        solver.params = (words, self.doc_smoothing, TRANSFORM_STEPS, TRANSFORM_TOL)
        stats = engine.map_reduce(mix_chunk, solver.params, chunks)
        expected = stats.counts * words
        n_batch = totals.n_documents
        decay = before / (before + n_batch)
        counts, mass = decay * counts + expected, decay * mass + stats.mass
        words = maximize(counts.copy(), self.smoothing)
        self.statistics_ = (counts, mass, before + n_batch)
        self.topic_mass_, self.n_documents_ = mass, before + n_batch
        self.n_iter_ += 1
        self.objective_ = np.append(self.objective_, solver.objective_of(stats, words))
        self._store_topics(words, mass, tidy=False)

    def _past(self) -> tuple[Any, Any, int]:
        """Expected counts, mass of topics and documents behind the topics as they are."""
        if hasattr(self, "statistics_"):
            counts, mass, before = self.statistics_
            return counts, mass, before
        if hasattr(self, "components_"):
            mass = self.topic_mass_.astype(self.components_.dtype)
            return self._words_topics() * mass, self.topic_mass_, self.n_documents_
        return 0.0, 0.0, 0

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Mixtures of documents, CSR (or an array with ``sparse_output=False``).

        Each row sums to one; a document without known words has zeros.
        """
        check_is_fitted(self, "components_")
        return self._encode(
            X, mix_codes, (self._words_topics(), self.doc_smoothing, self._sparse_codes())
        )

    def _likelihood(self, X: Any) -> tuple[float, float]:
        parts = self._map(X, mix_likelihood, (self._words_topics(), self.doc_smoothing))
        return float(sum(part[0] for part in parts)), float(sum(part[1] for part in parts))
