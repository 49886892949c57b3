"""Sparse coding: each document is a combination of a few topics.

The model is described in Olshausen and Field, 1996; Hoyer: Non-negative Sparse Coding, 2002; Mairal
et al.: Online Learning for Matrix Factorization and Sparse Coding, JMLR 2010. For weighted
documents x_d, find topics T_k in the unit ball and codes θ_d that

    minimise  1/2 Σ_d |x_d - θ_d T|² + ω Σ_d |θ_d|_1

Topics and codes are non-negative by default. With ω = 0, the model is non-negative matrix
factorisation. The algorithm is described in `laconic.models.sparse_coding.solver`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk, MemoryChunk, by_column_too, chunk_divisor
from laconic.corpus.matrices import dense, effective_number, unit_rows
from laconic.corpus.sampling import batches_of, sample_documents
from laconic.engines import Engine
from laconic.engines.base import Step
from laconic.errors import LaconicError, warn
from laconic.models.base import TOPICS_PER_DOCUMENT, OnlineModel, draw_seed
from laconic.models.few_topics import check_target, target_of
from laconic.models.penalty_search import SAMPLE
from laconic.models.sctm.solver import decay
from laconic.models.seed_priors import Pull, Seeding
from laconic.models.seeded import SeededModel
from laconic.models.sparse_codes import (
    CodeTotals,
    lasso_params,
    lasso_penalty,
    ridge_params,
    sparse_threshold,
    total_codes,
)
from laconic.models.sparse_coding.coding import coding_params, coding_step
from laconic.models.sparse_coding.readable import readable_topics
from laconic.models.sparse_coding.solver import CodeSums, DictionaryLearner, SumParams, code_sums
from laconic.models.sparse_lsa.estimator import SparseLSA
from laconic.models.sparse_lsa.procrustes import ColumnSquares, column_squares
from laconic.wording import plural

ALPHA = 0.01  # default ω, relative to the root mean square length of the documents
LARGEST = 1e12  # maximum value in float32; documents with larger values are converted to float64
INIT_PASSES, INIT_TOL = 30, 1e-4  # max_iter and tol of the Sparse LSA that provides initial topics


class SparseCoding(SeededModel, OnlineModel):
    """Sparse coding of documents by a few topics each; ``components_`` is a dense array.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics.
    alpha : float, optional
        ω, the penalty on codes; larger values give documents fewer topics. With 0, the model is
        non-negative matrix factorisation. The default is a hundredth of the root mean square length
        of the documents.
    topics_per_document : float, "auto" or None, default=None
        Target for the average number of topics per document. With ``codes="lasso"``, the penalty ω
        is chosen to meet the target, so `alpha` cannot be set. With ``codes="sparse"``, the
        threshold below which topics are dropped is chosen to meet the target. If the value is
        "auto" or None, lasso codes use `alpha`, and sparse codes have at most 5.5 topics per
        document on average.
    words_per_topic : int, optional
        Maximum number of words of each topic in ``components_``. These are the words whose weights
        in the documents are most similar (by cosine) to the codes of the topic. Documents are still
        coded with all words, see ``coding_components_``. By default, topics have all words.
    codes : {"lasso", "sparse", "projection"}, default="lasso"
        Codes that `transform` returns. "lasso" minimises the objective. "sparse" solves a ridge
        regression and drops the weakest topics of each document. With the same number of topics per
        document, these codes classify documents better than lasso codes. "projection" returns the
        inner products of documents and ``components_``, which are fast to compute, but dense.
    support : int, "auto" or None, default=None
        Number of documents that should share a topic. When topics are updated, the codes of each
        topic are limited to the `support`-th largest code of the topic, so that a few documents
        cannot dominate the topic. "auto" means the number of documents divided by the number of
        topics. With None, codes are not limited, and the fit minimises the objective.
    positive : bool, default=True
        Whether topics and codes are non-negative; the documents must then be non-negative too.
    batch_size : int, optional
        Number of documents after which the topics are updated. By default, topics are updated once
        per pass.
    forgetting : float, default=1
        How fast `partial_fit` and `batch_size` reduce the weight of earlier documents. With 0, all
        documents keep the same weight.
    max_iter : int, default=30
        Maximum number of passes over the documents.
    tol : float, default=1e-3
        The fit stops when a pass changes the objective by at most this share of its value.
    init : array or sparse matrix of shape (n_components, n_words), optional
        Initial topics, such as ``components_`` of another model. By default, the topics of a short
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
        Seed of the initialisation.
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
        The topics: first those of the seeds, then the others in order of decreasing share. Each
        topic has a length of one or less.
    coding_components_ : ndarray of shape (n_components, n_words)
        Only with `words_per_topic`: the topics with all words, which are used to code documents.
        Assigning ``components_`` deletes this attribute.
    topic_shares_ : ndarray of shape (n_components,)
        Share of each topic in the sum of all absolute codes.
    topic_support_ : ndarray of shape (n_components,)
        Effective number of documents that share each topic, (Σ|θ|)² / Σθ².
    alpha_ : float
        ω: the value of `alpha`, or the value chosen by the fit.
    code_threshold_ : float
        Only with ``codes="sparse"``: minimum share of a topic in the code of a document.
    objective_ : ndarray of shape (n_passes,)
        Objective of each pass. Without `support` and `batch_size`, it never increases.
    topic_mass_, topic_moments_, word_squares_ : ndarray
        Sums over documents that `partial_fit` updates: the sums of the absolute codes, of the
        products of codes, and of the squared word weights.
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
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]], dtype=float)
    >>> model = SparseCoding(n_components=2).fit(X)
    >>> (model.transform(X).toarray() > 0.5).astype(int).tolist()
    [[1, 0], [1, 0], [0, 1], [0, 1]]
    """

    _parameter_constraints = {
        **SeededModel._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "topics_per_document": TOPICS_PER_DOCUMENT,
        "words_per_topic": [Interval(Integral, 1, None, closed="left"), None],
        "codes": [StrOptions({"lasso", "sparse", "projection"})],
        "support": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "positive": ["boolean"],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "forgetting": [Interval(Real, 0, None, closed="left")],
    }

    WEIGHTING = "tfidf-distinct"
    PIPELINE_DEFAULTS: dict[str, Any] = {
        "codes": "sparse",
        "support": "auto",
        "words_per_topic": 30,
    }
    RESET_BY_FIT = ("statistics_", "code_threshold_")

    components_: np.ndarray

    def __init__(
        self,
        n_components: int = 50,
        *,
        alpha: float | None = None,
        topics_per_document: float | str | None = None,
        words_per_topic: int | None = None,
        codes: str = "lasso",
        support: int | str | None = None,
        positive: bool = True,
        batch_size: int | None = None,
        forgetting: float = 1.0,
        max_iter: int = 30,
        tol: float = 1e-3,
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
        self.words_per_topic = words_per_topic
        self.codes = codes
        self.support = support
        self.positive = positive
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
        totals: ColumnSquares = engine.map_reduce(column_squares, None, chunks)
        topics = self._initial_topics(engine, chunks, totals)
        chunks = engine.run_tasks(by_column_too, chunks)
        batches, pieces = None, chunks
        if self.batch_size is not None and self.batch_size < totals.n_documents:
            pieces, batches = batches_of(chunks, self.batch_size)
            pieces = engine.run_tasks(by_column_too, pieces)
        solver = self._solver(engine, chunks, topics, totals, len(batches or [None]))
        self._iterate(solver, engine, pieces, batches)
        if solver.find_alpha is not None:  # Search again, because the topics have changed.
            solver.alpha = solver.find_alpha(solver.topics)
        params = SumParams(
            lasso_params(solver.topics, solver.alpha, self.positive, engine.run_tasks)
        )
        codes: dict[str, Any] = {"lasso": None, "sparse": None, "projection": None}
        if self._collects_codes:
            codes[self.codes] = [None] * len(chunks)
        sums: CodeSums = engine.map_reduce(code_sums, params, chunks, codes["lasso"])
        self.alpha_, self.n_documents_ = float(solver.alpha), totals.n_documents
        self.word_squares_ = totals.squares
        code_totals = CodeTotals(sums.mass, np.diag(sums.moments))
        if self.codes == "sparse":
            self._set_threshold(engine, chunks, solver.topics)
            ridge = ridge_params(
                unit_rows(solver.topics), self.positive, self.code_threshold_, engine.run_tasks
            )
            code_totals = engine.map_reduce(total_codes, ridge, chunks, codes["sparse"])
        order = self._store(solver.topics, sums, code_totals, tidy=True)
        if self.codes != "projection":
            self._collect_codes(engine, chunks, codes[self.codes], order)
        self._count_seed_documents(engine, chunks)

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals: ColumnSquares = engine.map_reduce(column_squares, None, chunks)
        if not hasattr(self, "components_"):
            self._start_stream(engine, chunks, totals)
        topics = np.array(self._coding_topics())
        factor = decay(self.n_documents_, totals.n_documents, self.forgetting)
        pull = self._pull(totals, len(topics), factor if self.n_iter_ else 0.0)
        solver = DictionaryLearner(
            topics, self.alpha_, self.tol, positive=self.positive, run=engine.run_tasks, pull=pull
        )
        sums: CodeSums = engine.map_reduce(code_sums, solver.params, chunks)
        self.objective_ = np.append(self.objective_, solver.objective_of(sums))
        sums = self._past().scaled(factor).merge(sums)
        solver.advance(sums)
        self.n_iter_ += 1
        self.n_documents_ += totals.n_documents
        self.word_squares_ = factor * self.word_squares_ + totals.squares
        self._store(solver.topics, sums, CodeTotals(sums.mass, np.diag(sums.moments)), tidy=False)
        self.statistics_ = (sums.products, sums.mass)
        self._count_seed_documents(engine, chunks)

    def _pull(self, totals: ColumnSquares, n_topics: int, decay: float = 0.0) -> Pull | None:
        """Return the prior of the seeds; `decay` is the weight of earlier batches."""
        seeding = self._seeding(n_topics)
        if seeding is None:
            return None
        past = decay * self.seed_totals_ if decay else 0.0
        self.seed_totals_ = seeding.of_words(totals.squares) + past
        return seeding.pull(self.seed_totals_, 2)

    def _start_stream(self, engine: Engine, chunks: list[Chunk], totals: ColumnSquares) -> None:
        topics = self._initial_topics(engine, chunks, totals)
        self.alpha_ = float(self._solver(engine, chunks, topics, totals).alpha)
        self.n_iter_, self.converged_, self.objective_ = 0, False, np.zeros(0)
        self.n_documents_ = 0
        if self.codes == "sparse":
            self._set_threshold(engine, chunks, topics)
        self.components_ = topics
        self.word_squares_ = np.zeros(topics.shape[1])
        self.topic_moments_ = np.zeros((len(topics), len(topics)))
        self.statistics_ = (np.zeros_like(topics.T), np.zeros(len(topics)))

    def _past(self) -> CodeSums:
        """Return the sums over earlier documents."""
        moments = np.asarray(self.topic_moments_)
        if hasattr(self, "statistics_"):
            products, mass = self.statistics_
        else:  # after fit: products for which the current topics are optimal
            topics = self._coding_topics()
            products = (topics.T @ moments).astype(topics.dtype)
            mass = np.asarray(self.topic_mass_)
        return CodeSums(products, moments, mass, 0.0, 0, 0)

    def _initial_topics(
        self, engine: Engine, chunks: list[Chunk], totals: ColumnSquares
    ) -> np.ndarray:
        dtype = np.dtype(f"f{totals.itemsize}")
        if self.init is not None:
            topics = dense(self._init_topics()).astype(dtype)
            if self.positive and topics.min(initial=0) < 0:
                raise LaconicError(
                    "init of SparseCoding contains negative weights; set positive=False to allow "
                    "negative weights."
                )
            return unit_rows(topics)
        seed = draw_seed(self.random_state)
        n_topics = min(self.n_components, totals.n_documents, len(totals.squares))
        if n_topics < self.n_components:
            warn(
                f"{self.n_components} topics were requested, but "
                f"{plural(totals.n_documents, 'document')} with "
                f"{plural(len(totals.squares), 'word')} can have at most "
                f"{plural(n_topics, 'topic')}; lower n_components.",
            )
        model = SparseLSA(
            max(n_topics, 1),
            alpha=0.0,
            positive=self.positive,
            max_iter=INIT_PASSES,
            tol=INIT_TOL,
            random_state=seed,
        )
        model._nested = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Here, unconverged fits and missing topics do no harm.
            model._fit_chunks(engine, chunks)
        topics = model.components_.toarray()
        missing = n_topics - len(topics)
        if missing > 0:
            documents = dense(sample_documents(engine, chunks, missing, seed))
            drawn = np.zeros((missing, topics.shape[1]), topics.dtype)
            drawn[: len(documents)] = np.maximum(documents, 0) if self.positive else documents
            topics = np.vstack([topics, drawn])
        topics = unit_rows(topics.astype(dtype))
        seeding = self._seeding(len(topics))
        return (
            topics
            if seeding is None
            else self._begin_with_seeds(engine, chunks, seeding, totals, topics)
        )

    def _begin_with_seeds(
        self,
        engine: Engine,
        chunks: list[Chunk],
        seeding: Seeding,
        totals: ColumnSquares,
        topics: np.ndarray,
    ) -> np.ndarray:
        contexts = seeding.contexts(engine, chunks, np.sqrt(totals.squares))
        return unit_rows(np.ascontiguousarray(seeding.place(topics.T, contexts).T))

    def _solver(
        self,
        engine: Engine,
        chunks: list[Chunk],
        topics: np.ndarray,
        totals: ColumnSquares,
        n_batches: int = 1,
    ) -> DictionaryLearner:
        find_alpha, alpha = None, self.alpha
        target = target_of(self.topics_per_document)
        if alpha is None and self.codes == "lasso" and target is not None:
            sample = sample_documents(engine, chunks, SAMPLE, draw_seed(self.random_state))
            find_alpha = partial(lasso_penalty, sample, target, self.positive)
            alpha = find_alpha(topics)
        elif alpha is None:
            mean_square = float(totals.squares.sum()) / max(totals.n_documents, 1)
            alpha = ALPHA * float(np.sqrt(mean_square))
        return DictionaryLearner(
            topics,
            float(alpha),
            self.tol,
            positive=self.positive,
            support=self._support(totals.n_documents) // n_batches,
            find_alpha=find_alpha,
            n_batches=n_batches,
            forgetting=self.forgetting,
            run=engine.run_tasks,
            pull=self._pull(totals, len(topics)),
        )

    def _support(self, n_documents: int) -> int:
        if self.support is None:
            return 0
        wanted = n_documents // self.n_components if self.support == "auto" else self.support
        return max(int(wanted), 1)

    def _set_threshold(self, engine: Engine, chunks: list[Chunk], topics: np.ndarray) -> None:
        seed, target = draw_seed(self.random_state), self.topics_per_document
        self.code_threshold_ = sparse_threshold(engine, chunks, seed, topics, self.positive, target)

    def _store(
        self, topics: np.ndarray, sums: CodeSums, codes: CodeTotals, *, tidy: bool
    ) -> np.ndarray:
        """Set the fitted attributes and return the order in which topics are stored.

        If `tidy` is true, the topics of seeds come first, other topics are sorted by decreasing
        share, and signs are fixed.
        """
        order = self._topic_order(codes.mass) if tidy else np.arange(len(topics))
        unused = int(np.count_nonzero(codes.mass == 0))
        if tidy and unused and codes.mass.any():
            warn(
                f"{unused} of {len(topics)} topics have no documents; lower alpha or n_components.",
            )
        components = np.ascontiguousarray(topics[order])
        if tidy and not self.positive:
            signs = _signs(components)
            signs[: self._n_seeds()] = 1  # Seed words have positive weights.
            components = components * signs[:, None]
        moments = sums.moments[np.ix_(order, order)]
        self.topic_mass_, self.topic_moments_ = sums.mass[order], moments
        self.topic_shares_ = codes.mass[order] / (codes.mass.sum() or 1.0)
        self.topic_support_ = effective_number(codes.mass, codes.squares)[order]
        components.flags.writeable = False
        if self.words_per_topic is None:
            self.components_ = components
        else:
            lengths = np.sqrt(np.outer(self.word_squares_, np.diag(sums.moments)))
            products = self._with_prior(sums)
            self.components_ = readable_topics(
                products[:, order], lengths[:, order], self.words_per_topic
            )
            self.coding_components_ = components
        coding_params(self)  # Fill the cache now, so that using the model does not change it.
        return order

    def _with_prior(self, sums: CodeSums) -> np.ndarray:
        """Return the products of words and codes (words x topics), with the prior of the seeds."""
        seeding = self._seeding(len(sums.moments))
        if seeding is None:
            return sums.products
        pull = seeding.pull(self.seed_totals_, 2)
        products = sums.products.T.copy()
        pull.add_forces(products, np.ones(len(products)))
        pull.exclude(products)
        return products.T

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Return the codes of documents as CSR, or as an array with ``sparse_output=False``."""
        check_is_fitted(self, "components_")
        step, params = self._coder()
        return self._encode(X, step, (*params, self._sparse_codes()))

    def _coder(self) -> tuple[Step, tuple[Any, ...]]:
        return coding_step(self._unedited())

    def _chunk_divisor(self, n_words: int) -> float:
        return chunk_divisor(n_words, self._n_topics(), much_work=True)

    def _chunks(self, X: Any, *, reset: bool) -> list[Chunk]:
        chunks = super()._chunks(X, reset=reset)
        for number, chunk in enumerate(chunks):
            if self.positive and isinstance(chunk, MemoryChunk) and chunk.X.data.min(initial=0) < 0:
                raise LaconicError(
                    "Negative values in data passed to SparseCoding; set positive=False to allow "
                    "them."
                )
            # In float32, computations with larger values could overflow.
            if isinstance(chunk, MemoryChunk) and np.abs(chunk.X.data).max(initial=0) > LARGEST:
                exact = chunk.X.astype(np.float64)
                chunks[number] = MemoryChunk(exact, chunk.start, chunk.stop)
        return chunks

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.positive
        return tags

    # --- checking --------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        super().check_parameters()
        target = target_of(self.topics_per_document)
        if self.codes == "projection" and target is not None:
            raise LaconicError(
                "'topics_per_document' of SparseCoding requires sparse codes; leave out "
                "codes='projection'."
            )
        if self.alpha is not None and target is not None and self.codes == "lasso":
            raise LaconicError(
                "Set either 'alpha' or 'topics_per_document' of SparseCoding, not both."
            )
        check_target(self)


def _signs(topics: np.ndarray) -> np.ndarray:
    """Return the sign of the strongest word of each topic."""
    strongest = topics[np.arange(len(topics)), np.abs(topics).argmax(axis=1)]
    return np.where(strongest < 0, -1, 1).astype(topics.dtype)
