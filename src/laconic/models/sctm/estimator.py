"""Sparse coding topic model (SCTM): documents have few topics; topics are word distributions.

The model is described in Wang: Sparse coding topic models. For the word frequencies x_i of each
document, which sum to one, find topics b_j on the simplex and codes θ_i ≥ 0 that

    minimise  Σ_i { 1/2 |x_i - B θ_i|² + ω Σ_j θ_ij }

=====================  =========================================================================
paper                  here
=====================  =========================================================================
b_j                    rows of ``components_``
θ                      the result of ``transform``
ω                      ``alpha``, or a value chosen to meet ``topics_per_document``
=====================  =========================================================================

Differences from the paper:

- Codes are computed by a non-negative lasso on the Gram matrix (`laconic.kernels.lasso`). Topics
  are computed from sums over documents, by exact steps on the simplex
  (`laconic.models.sctm.dictionary`).
- Topics are initialised with documents and extrapolated between passes, which halves the number of
  passes.
- Least squares gives words outside a topic's list zero probability; `smoothing` computes
  probabilities that can predict held-out words, see `laconic.models.sctm.probabilities`.
- `noise` weighs the squared errors, because counts of short documents and of frequent words vary
  most, see `laconic.models.sctm.noise`.
- The paper's objective with correlated topics diverges. The objective used here decreases at every
  step and is bounded below, see `laconic.models.sctm.graph_prior`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from laconic.corpus.chunks import Chunk, by_column_too
from laconic.corpus.sampling import batches_of
from laconic.engines import Engine
from laconic.engines.blocks import RunTasks, run_here
from laconic.errors import LaconicError, warn
from laconic.models.base import TOPICS_PER_DOCUMENT, OnlineModel, draw_seed
from laconic.models.distributions import DistributionModel, LikelihoodMixin
from laconic.models.few_topics import (
    check_target,
    target_of,
)
from laconic.models.first_topics import (
    Totals,
    given_topics,
    lsa_topics,
    seed_topics,
    seeded_topics,
    total_counts,
)
from laconic.models.passes import Passes, run_passes
from laconic.models.plsa.mixture import maximize
from laconic.models.sctm.codes import LEARNED_PRIOR, CodesMixin
from laconic.models.sctm.graph_prior import GraphPrior
from laconic.models.sctm.noise import EXPONENT, to_simplex, to_unit
from laconic.models.sctm.probabilities import (
    PASSES,
    Likelihood,
    Refit,
    admit_unseen,
    expected_counts,
    initial_probabilities,
    log_likelihood,
    smoothing_for,
    word_shares,
)
from laconic.models.sctm.solver import (
    SEARCH_PASSES,
    CodeSums,
    Prior,
    SparseCoder,
    WordSquares,
    code_storage,
    code_sums,
    decay,
    final_sums,
    sum_squares,
    zero_codes_error,
)
from laconic.models.seed_priors import Pull
from laconic.wording import plural

NOISE_SEARCH_PASSES = 2


class SCTM(CodesMixin, OnlineModel, LikelihoodMixin, DistributionModel):
    """Sparse coding topic model; ``components_`` is a dense array of word distributions.

    The counts of each document are first divided by their sum, so counts and frequencies give the
    same result.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics.
    alpha : float, optional
        ω, the penalty on codes; larger values give documents fewer topics. The default is a
        hundredth of the mean squared norm of the documents' word frequencies, about 0.0001 for
        articles of a thousand words. With `noise`, the default is chosen to meet a target, see
        `topics_per_document`.
    topics_per_document : float, "auto" or None, default=None
        Target for the average number of topics per document, instead of `alpha`. "auto" and None
        have the same meaning. Without `noise`, they use `alpha` or its default. With `noise`, they
        set a target for the fit unless `alpha` is set: 5 topics if documents have up to 100 words
        on average, and more if documents are longer (9 topics for 1,000 words). This target is at
        most half the number of topics. `transform` then drops the weakest topics of each document,
        so that documents have at most 5.5 topics on average; word probabilities do not change.
    smoothing : "kl", float or None, default="kl"
        How `score` and `perplexity` compute word probabilities from the sparse topics: "kl" refits
        the topics by maximum likelihood, a number mixes in that share of the overall word
        distribution, None uses the topics as they are (then a word may have zero probability).
    noise : {"counts"} or None, default=None
        With "counts", squared errors of frequent words and of short documents have less weight,
        because their counts are noisy, and Sparse LSA supplies the initial topics. The model is
        then suitable for documents of any length. Pass counts, because frequencies do not show how
        long a document is. None solves the paper's objective. `laconic.pipeline` sets "counts". See
        `laconic.models.sctm.noise`.
    correlated : bool, default=False
        Whether to also learn a graph of correlated topics, stored as ``topic_precision_``; see
        `laconic.topic_graph`.
    graph_alpha : float, default=0.08
        Penalty on the edges of the graph of correlated topics; larger values give fewer edges.
    batch_size : int, optional
        Number of documents after which the topics are updated. By default, topics are updated once
        per pass.
    forgetting : float, default=1
        How fast `partial_fit` and `batch_size` reduce the weight of earlier documents. With 0, all
        documents keep the same weight.
    max_iter : int, default=100
        Maximum number of passes over the documents.
    tol : float, default=3e-4
        The fit stops when a pass improves the objective by less than this share of its value.
    init : array or sparse matrix of shape (n_components, n_words), optional
        Initial topics, such as ``components_`` of another model. By default, the initial topics are
        averages of a few similar documents or, with `noise`, the topics of Sparse LSA.
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
        The topics: first those of the seeds, then the others in order of decreasing share. Each row
        is on the simplex, and most entries are zero.
    topic_shares_ : ndarray of shape (n_components,)
        Share of each topic in the sum of all codes; with `noise`, long documents count more.
    alpha_ : float
        ω: the value of `alpha`, or the value chosen by the fit.
    objective_ : ndarray of shape (n_passes,)
        Objective of each pass; it never rises unless `batch_size` is set.
    probabilities_ : ndarray of shape (n_components, n_words)
        With ``smoothing="kl"``: the refitted P(word | topic), which is never zero.
    word_counts_ : ndarray of shape (n_words,)
        Number of occurrences of each word.
    word_weights_ : ndarray of shape (n_words,)
        With `noise`: weight of the error of each word.
    code_threshold_ : float
        With `noise`, if neither `alpha` nor `topics_per_document` sets a number: minimum share of a
        topic in the code of a document.
    topic_mass_, topic_moments_ : ndarray
        Sums of the codes, and sums of the products of codes (Σθ and Σθθ'), used by `partial_fit`.
    topic_counts_ : ndarray of shape (n_components,)
        With ``smoothing="kl"``: expected number of word occurrences of each topic.
    topic_precision_ : ndarray of shape (n_components, n_components)
        With ``correlated=True``: inverse covariance of the scaled codes.
    topic_means_, topic_scales_ : ndarray of shape (n_components,)
        With ``correlated=True``: means of the scaled codes, and the scales by which codes are
        divided.
    residual_variance_ : float
        With ``correlated=True``: variance of the residuals, which determines the weight of the
        squared error relative to the graph prior.
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
        Set by `partial_fit`: sums that the next batch updates; older batches have less weight.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [1, 1, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> model = SCTM(n_components=2).fit(X)
    >>> (model.transform(X).toarray() > 0.5).astype(int).tolist()
    [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    """

    _parameter_constraints = {
        **DistributionModel._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "topics_per_document": TOPICS_PER_DOCUMENT,
        "smoothing": [StrOptions({"kl"}), Interval(Real, 0, 1, closed="neither"), None],
        "noise": [StrOptions({"counts"}), None],
        "correlated": ["boolean"],
        "graph_alpha": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "forgetting": [Interval(Real, 0, None, closed="left")],
    }

    RESET_BY_FIT = (
        "probabilities_",
        "topic_counts_",
        *LEARNED_PRIOR,
        "statistics_",
        "word_weights_",
        "code_threshold_",
    )
    WEIGHTING = "counts"
    # On newsgroup posts, plain least squares finds topics of the shortest posts. The accuracy of a
    # classifier on the codes is 41 % with plain least squares, and 73 % with noise="counts".
    PIPELINE_DEFAULTS: dict[str, Any] = {"noise": "counts"}

    def __init__(
        self,
        n_components: int = 50,
        *,
        alpha: float | None = None,
        topics_per_document: float | str | None = None,
        smoothing: str | float | None = "kl",
        noise: str | None = None,
        correlated: bool = False,
        graph_alpha: float = 0.08,
        batch_size: int | None = None,
        forgetting: float = 1.0,
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
        self.alpha = alpha
        self.topics_per_document = topics_per_document
        self.smoothing = smoothing
        self.noise = noise
        self.correlated = correlated
        self.graph_alpha = graph_alpha
        self.batch_size = batch_size
        self.forgetting = forgetting
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

    def _fit_chunks(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals = engine.map_reduce(total_counts, None, chunks)
        self._check_size(len(totals.words))
        self._check_documents(totals.n_documents)
        self._weigh_words(totals)
        prepared = engine.run_tasks(by_column_too, chunks)
        batches, pass_chunks = None, prepared
        if self.batch_size is not None and self.batch_size < totals.n_documents:
            pass_chunks, batches = batches_of(prepared, self.batch_size)
            pass_chunks = engine.run_tasks(by_column_too, pass_chunks)
        solver = self._plain_solver(engine, pass_chunks, totals, len(batches or [None]))
        self._iterate(solver, engine, pass_chunks, batches)
        if solver.find_alpha:  # Search again, because topics have changed since the last search.
            solver.prior.alpha = solver.find_alpha(np.ascontiguousarray(solver.topics.T))
        word_topics, params = self._final_params(solver)
        codes = [None] * len(prepared) if self._collects_codes else None
        sums: CodeSums = engine.map_reduce(final_sums, params, prepared, codes)
        if self.correlated:
            solver.prior = GraphPrior.after(solver.prior, params, sums, self.graph_alpha)
            solver.prior.improve(sums)
            if self.converged_ and self.n_iter_ < self.max_iter:
                solver = SparseCoder(
                    solver.topics,
                    solver.prior,
                    self.tol,
                    code_storage(prepared),
                    weights=solver.weights,
                    run=engine.run_tasks,
                    pull=solver.pull,
                )
                self._iterate(solver, engine, prepared, passes_before=self.n_iter_)
            word_topics, params = self._final_params(solver)
            sums = engine.map_reduce(final_sums, params, prepared, codes)
        order = self._store_topics(word_topics, sums.mass, tidy=True, run=engine.run_tasks)
        self._set_threshold(engine, chunks, params)
        self._collect_codes(engine, prepared, codes, order)
        self.topic_moments_ = sums.moments[np.ix_(order, order)]
        self.alpha_ = float(solver.prior.alpha)
        solver.prior.store(self, order)
        self._coding()
        self.n_documents_ = totals.n_documents
        self.word_counts_ = totals.words
        self._count_seed_documents(engine, chunks)
        if self.smoothing == "kl":
            self._refit(engine, chunks)

    def _refit(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Refit the word probabilities; after Ctrl-C, keep the result of the last complete pass."""
        was_stopped = not self.converged_ and self.n_iter_ < self.max_iter
        coding = None if self._weights() is None else self._coding()
        solver = Refit(
            self._words_topics(), self.word_counts_, len(chunks), coding, engine.run_tasks
        )
        last = 1 if was_stopped else PASSES
        passes = run_passes(self, "probabilities", solver, engine, chunks, Passes(0, []), last)
        if not passes.finished:
            warn(
                f"SCTM was interrupted in pass {solver.n_updates + 1} of refitting the word "
                "probabilities; the model can be used, but has not "
                f"converged.{self._how_to_continue()}",
                ConvergenceWarning,
            )
        self.topic_counts_ = solver.mass.astype(np.float64)
        refitted = admit_unseen(solver.word_topics, self.word_counts_)
        self.probabilities_ = np.ascontiguousarray(refitted.T)

    def _plain_solver(
        self, engine: Engine, chunks: list[Chunk], totals: Totals, n_batches: int
    ) -> SparseCoder:
        """Return the solver of the model without a graph."""
        weights = self._weights()
        topics = to_unit(self._initial_topics(engine, chunks, totals), weights)
        find_alpha = self._alpha_search(engine, chunks, totals)
        if find_alpha:
            alpha = find_alpha(np.ascontiguousarray(topics.T))
        else:
            alpha = self._alpha(engine, chunks)
        seed = draw_seed(self.random_state)
        return SparseCoder(
            topics,
            Prior(alpha),
            self.tol,
            code_storage(chunks),
            refill=lambda n, number: to_unit(
                seed_topics(engine, chunks, n, seed + number, topics.dtype), weights
            ),
            find_alpha=find_alpha,
            is_fixed=self.alpha is not None,
            n_batches=n_batches,
            forgetting=self.forgetting,
            weights=weights,
            search_passes=SEARCH_PASSES if weights is None else NOISE_SEARCH_PASSES,
            run=engine.run_tasks,
            pull=self._pull(engine, chunks),
        )

    def _pull(self, engine: Engine, chunks: list[Chunk], decay: float = 0.0) -> Pull | None:
        """Return the prior of the seeds; `decay` is the weight of earlier batches."""
        seeding, weights = self._seeding(), self._weights()
        if seeding is None:
            return None
        past = decay * self.seed_totals_ if decay else 0.0
        sums: WordSquares = engine.map_reduce(sum_squares, weights, chunks)
        self.seed_totals_ = seeding.of_words(sums.words) + past
        return seeding.pull(self.seed_totals_, 1 if weights is None else 2)

    def _initial_topics(self, engine: Engine, chunks: list[Chunk], totals: Totals) -> np.ndarray:
        """Return the initial topics (topics x words)."""
        if self.init is not None:
            return np.ascontiguousarray(given_topics(self, totals).T)
        seed, dtype = draw_seed(self.random_state), f"f{totals.itemsize}"
        if self.noise is not None:
            topics = lsa_topics(engine, chunks, totals, self.n_components, seed, EXPONENT)
        else:
            topics = seed_topics(engine, chunks, self.n_components, seed, dtype)
        seeded = seeded_topics(self._seeding(), engine, chunks, totals, topics.T)
        return np.ascontiguousarray(seeded.T)

    # --- partial_fit -----------------------------------------------------------------------------

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals = engine.map_reduce(total_counts, None, chunks)
        if not hasattr(self, "components_"):
            self._start_partial_fit(engine, chunks, totals)
        prior = self._prior()
        weights = self._weights()
        topics = to_unit(np.array(self.components_), weights)
        weight = decay(self.n_documents_, totals.n_documents, self.forgetting)
        pull = self._pull(engine, chunks, weight if self.n_iter_ else 0.0)
        solver = SparseCoder(topics, prior, self.tol, weights=weights, pull=pull)
        sums: CodeSums = engine.map_reduce(code_sums, solver.params, chunks)
        if not self.n_iter_ and self.alpha is not None and sums.largest and not sums.n_codes:
            error = zero_codes_error(self.alpha_, sums.largest)
            self._reset()
            raise error
        objective = prior.objective(solver.params.gram, sums)
        all_sums = self._past().scaled(weight).merge(sums)
        solver.advance(all_sums)
        word_topics = np.ascontiguousarray(to_simplex(solver.topics, weights).T)
        if self.correlated and not isinstance(prior, GraphPrior):
            solver.prior = GraphPrior.after(prior, solver.params, sums, self.graph_alpha)
        solver.prior.store(self, np.arange(len(topics)))
        self.objective_ = np.append(self.objective_, objective)
        self.n_iter_ += 1
        self.n_documents_ += totals.n_documents
        self.word_counts_ = totals.words + weight * self.word_counts_
        if self.smoothing == "kl":
            self._refit_batch(engine, chunks, word_topics, weight)
        self._store_topics(word_topics, all_sums.mass, tidy=False)
        self.topic_moments_ = all_sums.moments
        self.statistics_ = (all_sums.products, all_sums.mass, all_sums.n_documents)
        self._coding()
        self._count_seed_documents(engine, chunks)

    def _start_partial_fit(self, engine: Engine, chunks: list[Chunk], totals: Totals) -> None:
        """Initialise the attributes that each batch updates."""
        self._check_size(len(totals.words))
        self._check_documents(totals.n_documents)
        self._weigh_words(totals)
        word_topics = np.ascontiguousarray(self._initial_topics(engine, chunks, totals).T)
        find_alpha = self._alpha_search(engine, chunks, totals)
        unit_topics = np.ascontiguousarray(to_unit(word_topics.T, self._weights()).T)
        self.alpha_ = find_alpha(unit_topics) if find_alpha else self._alpha(engine, chunks)
        self.n_iter_, self.converged_, self.objective_ = 0, False, np.zeros(0)
        self.n_documents_, self.word_counts_ = 0, np.zeros(len(word_topics))
        self._store_topics(word_topics, np.ones(self.n_components), tidy=False)
        self.topic_moments_ = np.zeros((self.n_components, self.n_components))
        self.statistics_ = (np.zeros_like(word_topics), np.zeros(self.n_components), 0.0)

    def _past(self) -> CodeSums:
        """Return the sums over earlier documents."""
        moments = np.asarray(self.topic_moments_)
        if hasattr(self, "statistics_"):
            products, mass, n_documents = self.statistics_
        else:  # after fit: products for which the current topics are optimal
            word_topics, weights = self._words_topics(), self._weights()
            if weights is not None:
                word_topics = to_unit(word_topics.T, weights).T / weights[:, None]
            products = (word_topics @ moments).astype(self.components_.dtype)
            mass, n_documents = self.topic_mass_, float(self.n_documents_)
        return CodeSums(products, moments, mass, 0.0, 0.0, n_documents, 0, 0.0)

    def _refit_batch(
        self, engine: Engine, chunks: list[Chunk], word_topics: np.ndarray, weight: float
    ) -> None:
        """Update the word probabilities with a batch; `weight` is the weight of earlier batches."""
        shares = word_shares(self.word_counts_)
        start = initial_probabilities(word_topics, shares, engine.run_tasks)
        expected = expected_counts(engine, chunks, start)
        if hasattr(self, "probabilities_"):
            past = self.probabilities_.T * (weight * self.topic_counts_)
            past[self.word_counts_ <= 0] = 0  # Words that never occurred must keep zero counts.
            expected += past.astype(expected.dtype)
        self.topic_counts_ = expected.sum(axis=0, dtype=np.float64)
        smoothing = smoothing_for(self.word_counts_, self.n_components)
        refitted = admit_unseen(maximize(expected, smoothing), self.word_counts_)
        self.probabilities_ = np.ascontiguousarray(refitted.T)

    # --- using -----------------------------------------------------------------------------------

    def _likelihood(self, X: Any) -> tuple[float, float]:
        parts = self._map(X, log_likelihood, self._unedited()._word_probabilities())
        if not parts:
            return 0.0, 0.0
        likelihoods, lengths = map(np.concatenate, zip(*parts, strict=True))
        return float(likelihoods.sum()), float(lengths.sum())

    def _word_probabilities(self) -> Likelihood:
        """Return the parameters from which `smoothing` computes word probabilities."""
        if self.smoothing == "kl":
            if not hasattr(self, "probabilities_"):
                raise LaconicError(
                    "SCTM has smoothing='kl', but was fitted with another value of smoothing and "
                    "has no probabilities_; fit the model again with smoothing='kl'."
                )
            return Likelihood(np.ascontiguousarray(self.probabilities_.T), None)
        topics, coding = self._words_topics(), self._coding()
        if self.smoothing is None:
            return Likelihood(topics, coding)
        return Likelihood(topics, coding, word_shares(self.word_counts_), float(self.smoothing))

    # --- checking --------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.alpha is not None and target_of(self.topics_per_document) is not None:
            raise LaconicError("Set either 'alpha' or 'topics_per_document' of SCTM, not both.")
        check_target(self)

    def _check_documents(self, n_documents: int) -> None:
        if self.n_components > n_documents:
            warn(
                f"{self.n_components} topics were requested for only "
                f"{plural(n_documents, 'document')}, so some topics will be nearly identical; "
                "lower n_components.",
            )

    def _reset(self) -> None:
        """Delete all fitted attributes, as if no batch had been fitted."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _store_topics(
        self, word_topics: np.ndarray, mass: np.ndarray, *, tidy: bool, run: RunTasks = run_here
    ) -> np.ndarray:
        weights = self._weights()
        scaled = mass  # on the scale of frequencies
        if weights is not None:
            scaled = mass / np.linalg.norm(word_topics * weights[:, None], axis=0)
        order = super()._store_topics(word_topics, scaled, tidy=tidy, run=run)
        self.topic_mass_ = mass[order]
        return order
