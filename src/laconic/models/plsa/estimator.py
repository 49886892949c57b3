"""Probabilistic latent semantic analysis (PLSA): each document is a mixture of topics.

The model is described in Hofmann: Probabilistic Latent Semantic Indexing, SIGIR 1999; the priors
are described in Chien, Wu: Adaptive Bayesian Latent Semantic Analysis, 2008 (MAP-EM). For counts
w_dn, find the mixture θ_d of topics in each document and the word distribution β_k of each topic,
both on the simplex, that

    minimise  - Σ_dn w_dn ln(θ_d'β_n) - a Σ_kn ln β_kn - b Σ_dk ln θ_dk

=====================  =========================================================================
here                   meaning
=====================  =========================================================================
``smoothing`` a        exponent of the Dirichlet prior of a topic (Dirichlet parameter minus one)
``doc_smoothing`` b    exponent of the Dirichlet prior of the mixture of a document
=====================  =========================================================================

The problem is solved by expectation maximisation. Each pass updates the mixture of each document a
few times and sums the expected counts a_kn = Σ_d w θ_k β_kn / m, where m = θ_d'β_n. The next topics
are β ∝ a_kn + smoothing. The objective never rises if both exponents are non-negative. If
`smoothing` is negative, it lowers every expected count as soon as the topics have formed. Negative
results are set to zero, which makes topics sparse, but every word keeps some weight in its
strongest topic.

Without `smoothing`, PLSA is the limit of sparse topical coding (STC) as the coupling of STC goes to
infinity, and therefore a good initialisation of STC.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk, by_column_too
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.models.base import TOPICS_PER_DOCUMENT, OnlineModel, draw_seed
from laconic.models.distributions import DistributionModel, LikelihoodMixin
from laconic.models.few_topics import check_target, model_threshold
from laconic.models.first_topics import (
    Totals,
    admit_words,
    first_topics,
    given_topics,
    seeded_topics,
    total_counts,
)
from laconic.models.plsa.mixture import (
    TRANSFORM_STEPS,
    TRANSFORM_TOL,
    Mixture,
    coding_step,
    drop_weak_shares,
    maximize,
    mix_chunk,
    mix_codes,
    mix_likelihood,
)


class PLSA(OnlineModel, LikelihoodMixin, DistributionModel):
    """Probabilistic latent semantic analysis; ``components_`` is a dense array of P(word | topic).

    The topics, and the topic mixtures of documents, have Dirichlet priors.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics.
    smoothing : float, default=0.02
        Value added to the expected count of each word in each topic. A negative value (above -1)
        makes topics sparse; for example, -0.05 sets nine out of ten weights to zero on news texts.
    doc_smoothing : float, default=0.05
        Value added to the expected count of each topic in each document.
    topics_per_document : float, "auto" or None, default=None
        Target for the average number of topics per document. To meet the target, `transform` drops
        the topics with the smallest shares, see `laconic.models.few_topics`. With "auto", documents
        have at most 5.5 topics on average. With None, no topic is dropped.
    max_iter : int, default=100
        Maximum number of passes over the documents.
    tol : float, default=3e-4
        The fit stops when a pass improves the objective by less than this share of its value.
    init : array or sparse matrix of shape (n_components, n_words), optional
        Initial topics, such as ``components_`` of another model. By default, the topics of a quick
        Sparse LSA fit are used.
    seeds : mapping of str to list of str, optional
        Names of topics, and words that belong to them, such as ``{"space": ["nasa", "orbit"]}``.
        The first topics are the topics of the seeds, in the given order. ``"nasa!"`` keeps the word
        out of all other topics, and ``"-car"`` keeps the word out of this topic: these weights are
        exactly zero. If the columns have no names, use column numbers instead of words.
    seed_strength : float, default=1
        Strength of the prior that holds the topics of the seeds during the whole fit, see
        `laconic.models.seed_priors`. With 0, the seeds only determine the initial topics.
    random_state : int, RandomState or None, default=0
        Seed of the initialisation. The default seed is fixed, so that fits are reproducible.
    engine : str, default="threads"
        Where to run the fit: "serial", "threads", "dask" or the address of a Dask scheduler. The
        engine does not change the result.
    n_jobs : int or None, default=None
        Number of workers. None means all cores (unlike scikit-learn, where it means 1).
    checkpoint : str or Path, optional
        Folder for the state of the fit after each pass. If a fit is interrupted, for example
        because the process was killed, the same fit continues where it stopped, and the result is
        the same. The state is deleted when the fit has finished.
    sparse_output : bool, default=True
        Whether `transform` returns CSR instead of a dense array. Data frames requested by
        ``set_output`` are always dense.
    verbose : int, default=0
        1 shows a progress bar on a terminal, 2 also logs each pass.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_words)
        The topics P(word | topic): first those of the seeds, then the others in order of decreasing
        share.
    topic_shares_ : ndarray of shape (n_components,)
        Share of all word occurrences that belongs to each topic.
    objective_ : ndarray of shape (n_passes,)
        Penalised negative log-likelihood of each pass. Prior terms with a negative exponent are
        left out.
    topic_mass_ : ndarray of shape (n_components,)
        Number of word occurrences of each topic.
    code_threshold_ : float
        Minimum share of a topic in a document; `transform` drops topics with smaller shares.
    n_documents_ : int
        Number of documents fitted so far.
    seed_names_ : ndarray of str of shape (n_seeds,)
        Only with `seeds`, like the following attributes: names of the first topics.
    seed_documents_ : ndarray of int of shape (n_seeds,)
        Number of fitted documents in which the topic of the seed is the strongest topic.
    seed_words_ : csr_matrix of shape (n_seeds, n_words)
        Words of the seeds: 1 for a word, 2 for an exclusive word, and -1 for an excluded word.
    seed_totals_ : ndarray
        Weight of each seed word in the documents, which `partial_fit` updates.
    n_iter_ : int
    converged_ : bool
    statistics_ : tuple
        Set by `partial_fit`: counts that the next batch updates; older batches have less weight.

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
        "topics_per_document": TOPICS_PER_DOCUMENT,
    }

    WEIGHTING = "counts"
    PIPELINE_DEFAULTS: dict[str, Any] = {"topics_per_document": "auto"}

    def __init__(
        self,
        n_components: int = 50,
        *,
        smoothing: float = 0.02,
        doc_smoothing: float = 0.05,
        topics_per_document: float | str | None = None,
        max_iter: int = 100,
        tol: float = 3e-4,
        init: Any = None,
        seeds: Mapping[str, Any] | None = None,
        seed_strength: float = 1.0,
        random_state: Any = 0,
        engine: str = "threads",
        n_jobs: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        sparse_output: bool = True,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.smoothing = smoothing
        self.doc_smoothing = doc_smoothing
        self.topics_per_document = topics_per_document
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.seeds = seeds
        self.seed_strength = seed_strength
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.sparse_output = sparse_output
        self.verbose = verbose

    # --- fitting ---------------------------------------------------------------------------------

    def _fit_topics(self, engine: Engine, chunks: list[Chunk]) -> np.ndarray:
        """Fit this model, even without convergence, to get initial topics for another model.

        The topics are returned as words x topics.
        """
        self._nested = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # The other model issues its own warnings.
            self._fit_chunks(engine, chunks)
        return self._words_topics()

    def _fit_chunks(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals = engine.map_reduce(total_counts, None, chunks)
        self._check_size(len(totals.words))
        topics = self._initial_topics(engine, chunks, totals)
        penalties = self.smoothing, self.doc_smoothing, self.tol
        prior = self._seed_prior(totals.words)
        solver = Mixture(topics, *penalties, len(chunks), run=engine.run_tasks, prior=prior)
        self._iterate(solver, engine, engine.run_tasks(by_column_too, chunks))
        order = self._store_topics(solver.word_topics, solver.mass, tidy=True, run=engine.run_tasks)
        self.topic_mass_ = solver.mass[order]
        self.n_documents_ = totals.n_documents
        self._limit_topics(engine, chunks)
        self._count_seed_documents(engine, chunks)

    def _limit_topics(self, engine: Engine, chunks: list[Chunk]) -> None:
        params = self._words_topics(), self.doc_smoothing, 0.0, False
        self.code_threshold_ = model_threshold(
            self, engine, chunks, draw_seed(self.random_state), mix_codes, params
        )

    def _initial_topics(self, engine: Engine, chunks: list[Chunk], totals: Totals) -> np.ndarray:
        """Return the initial topics (words x topics)."""
        if self.init is not None:
            return admit_words(given_topics(self, totals), totals.words)
        seed = draw_seed(self.random_state)
        topics = first_topics(engine, chunks, totals, self.n_components, seed)
        return seeded_topics(self._seeding(), engine, chunks, totals, topics)

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals = engine.map_reduce(total_counts, None, chunks)
        counts, mass, n_before = self._past()
        if hasattr(self, "components_"):
            topics = admit_words(self._words_topics(), totals.words)
        else:
            self._check_size(len(totals.words))
            topics = self._initial_topics(engine, chunks, totals)
            self.n_iter_, self.converged_, self.objective_ = 0, False, np.zeros(0)
        n_batch = totals.n_documents
        decay = n_before / (n_before + n_batch)
        prior = self._seed_prior(totals.words, decay)
        penalties = self.smoothing, self.doc_smoothing, self.tol
        solver = Mixture(topics, *penalties, len(chunks), run=engine.run_tasks, prior=prior)
        # A batch gets only one pass, so the mixture of each document is updated until it converges.
        solver.params = (topics, self.doc_smoothing, TRANSFORM_STEPS, TRANSFORM_TOL)
        stats = engine.map_reduce(mix_chunk, solver.params, chunks)
        expected = stats.counts * topics
        counts, mass = decay * counts + expected, decay * mass + stats.mass
        topics = maximize(counts.copy(), self.smoothing, run=engine.run_tasks, prior=prior)
        self.statistics_ = (counts, mass, n_before + n_batch)
        self.topic_mass_, self.n_documents_ = mass, n_before + n_batch
        self.n_iter_ += 1
        self.objective_ = np.append(self.objective_, solver.objective_of(stats, topics))
        self._store_topics(topics, mass, tidy=False)
        if n_before == 0:
            self._limit_topics(engine, chunks)
        self._count_seed_documents(engine, chunks)

    def _past(self) -> tuple[Any, Any, int]:
        """Return the expected counts, topic masses and number of documents of earlier batches."""
        if hasattr(self, "statistics_"):
            counts, mass, n_documents = self.statistics_
            return counts, mass, n_documents
        if hasattr(self, "components_"):
            mass = self.topic_mass_.astype(self.components_.dtype)
            return self._words_topics() * mass, self.topic_mass_, self.n_documents_
        return 0.0, 0.0, 0

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Return the topic mixtures of documents as CSR, or an array with ``sparse_output=False``.

        The mixture of each document sums to one. Documents without any word of the vocabulary get
        zeros.
        """
        check_is_fitted(self, "components_")
        step, params = self._coder()
        return self._encode(X, step, (*params, self._sparse_codes()))

    def _coder(self) -> tuple[Step, tuple[Any, ...]]:
        return coding_step(self._unedited())

    def drop_weak(self, codes: np.ndarray, threshold: float) -> None:
        drop_weak_shares(codes, threshold)

    def check_parameters(self) -> None:
        super().check_parameters()
        check_target(self)

    def _likelihood(self, X: Any) -> tuple[float, float]:
        topics = self._unedited()._words_topics()
        parts = self._map(X, mix_likelihood, (topics, self.doc_smoothing))
        return float(sum(part[0] for part in parts)), float(sum(part[1] for part in parts))
