"""Sparse latent semantic analysis: each topic a short list of words.

Chen, Qi, Bai, Lin, Carbonell: Sparse Latent Semantic Analysis, SDM 2011. For X (documents x
words), find U and a sparse A (topics x words) that

    minimise  1/2 |X - U A|^2 + alpha Ω(A)   subject to   U'U = I                      (eq. 2.4)

=====================  =========================================================================
paper                  here
=====================  =========================================================================
A                      ``components_``
λ                      ``alpha``, or ``words_per_topic`` in its place
Ω l1 (2.4)             the default
Ω group (3.9)          ``groups``, ``group_weights`` (default: square root of the group's size)
non-negative           ``positive=True``
A q (2.3)              ``transform``
U = [I; 0] (2.8)       ``init="identity"``
max change < τ         ``stop="paper"``
=====================  =========================================================================

What differs, and why:

- The lasso problems (2.5) are not solved by coordinate descent: since U'U = I they separate, and
  A = prox(U'X) is exact for each Ω.
- U is never formed, see `laconic.models.sparse_lsa.procrustes`; momentum and a better start save
  passes.
- The paper's stopping rule is absolute while the entries of U shrink with the number of documents;
  the default rule is a share of 1/2 |X|^2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk, MemoryChunk, by_column_too, map_chunk
from laconic.corpus.matrices import ColumnMap, csr
from laconic.engines import Engine
from laconic.errors import LaconicError, warn
from laconic.kernels.projection import project_dense, project_sparse
from laconic.models.base import OnlineModel, TopicModel, draw_seed
from laconic.models.penalties import L1, Group, NonNegative, Penalty
from laconic.models.sparse_lsa.procrustes import (
    ColumnSquares,
    PaperProcrustes,
    Procrustes,
    Sums,
    column_squares,
    sum_products,
)
from laconic.models.sparse_lsa.starts import STARTS
from laconic.models.sparse_lsa.word_groups import number_groups
from laconic.models.sparse_lsa.word_target import WordTarget

# λ = ALPHA_SCALE sqrt(N): repeating every document multiplies U'X by sqrt(2), so a λ that does not
# grow with N would keep more and more words. The constant was chosen on several corpora.
ALPHA_SCALE = 1e-4


class SparseLSA(OnlineModel):
    """Sparse latent semantic analysis.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics.
    alpha : float, optional
        Strength of the penalty (the paper's λ). By default it grows with the square root of the
        number of documents, so that topics keep their length when a corpus grows.
    words_per_topic : int, optional
        How many words each topic may keep, instead of a penalty; see
        `laconic.models.sparse_lsa.word_target`. Not together with `alpha` or `groups`.
    positive : bool, default=False
        Topics without negative words; a row scaled to sum one reads as P(word | topic).
    groups : array of shape (n_words,) or mapping of word to group, optional
        Words that stay or go together. A word that the mapping lacks is a group of its own.
    group_weights : array of shape (n_groups,) or mapping of group to weight, optional
        In the order of ``numpy.unique(groups)``; by default the square root of the group's size.
    init : {"pivot", "identity", "random"}, array or sparse matrix, default="pivot"
        The start; see `laconic.models.sparse_lsa.starts`. Or topics to start from, such as
        ``components_`` of another model, of shape (n_components, n_words).
    stop : {"objective", "paper"}, default="objective"
        "objective" ends when a pass lowers the objective by less than ``tol`` of 1/2 |X|^2;
        "paper" when no entry of U or A changes by more than 0.01 (in memory only, no momentum).
    max_iter : int, default=200
        Most passes over the documents.
    tol : float, default=5e-5
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
    components_ : csr_matrix of shape (n_components, n_words)
        The topics, by falling share. Fewer than asked for where no more could be filled.
    topic_shares_ : ndarray of shape (n_components,)
        Share of the mass of all codes.
    alpha_ : ndarray of shape (n_components,)
        The penalty of each topic, or, with `words_per_topic`, the strength below which its words
        were left out.
    objective_ : ndarray of shape (n_passes,)
        One value for each accepted pass, with `words_per_topic` from where the number of words is
        reached; it never rises.
    n_iter_ : int
    converged_ : bool
    statistics_ : tuple
        After `partial_fit`: the decayed sums from which the next batch goes on.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]], dtype=float)
    >>> model = SparseLSA(n_components=2, alpha=0.5).fit(X)
    >>> (model.components_.toarray() != 0).astype(int).tolist()
    [[1, 1, 0, 0], [0, 0, 1, 1]]
    >>> model.transform(X[:1]).shape
    (1, 2)
    """

    _parameter_constraints = {
        **TopicModel._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "words_per_topic": [Interval(Integral, 1, None, closed="left"), None],
        "positive": ["boolean"],
        "groups": ["array-like", Mapping, None],
        "group_weights": ["array-like", Mapping, None],
        "init": [StrOptions(set(STARTS)), "array-like", "sparse matrix"],
        "stop": [StrOptions({"objective", "paper"})],
    }

    WEIGHTING = "tfidf-balanced"
    # Measured on several corpora: as coherent as NMF on the same weighting, more so than signed
    # topics, at nearly the same accuracy.
    PIPELINE_DEFAULTS = {"positive": True}

    components_: sp.csr_matrix

    def __init__(
        self,
        n_components: int = 50,
        *,
        alpha: float | None = None,
        words_per_topic: int | None = None,
        positive: bool = False,
        groups: Sequence[Any] | np.ndarray | Mapping[str, Any] | None = None,
        group_weights: Sequence[float] | np.ndarray | Mapping[Any, float] | None = None,
        init: Any = "pivot",
        stop: str = "objective",
        max_iter: int = 200,
        tol: float = 5e-5,
        random_state: Any = 0,
        engine: str = "threads",
        n_jobs: int | None = None,
        sparse_output: bool = True,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.words_per_topic = words_per_topic
        self.positive = positive
        self.groups = groups
        self.group_weights = group_weights
        self.init = init
        self.stop = stop
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.sparse_output = sparse_output
        self.verbose = verbose

    # --- fitting ---------------------------------------------------------------------------------

    def _fit_chunks(self, engine: Engine, chunks: list[Chunk]) -> None:
        if self.stop == "paper" and not all(isinstance(chunk, MemoryChunk) for chunk in chunks):
            raise LaconicError("stop='paper' of SparseLSA needs a corpus in memory, not on disk.")
        seen = engine.map_reduce(column_squares, None, chunks)
        n_words = len(seen.squares)
        alpha = self._alpha(seen.n_documents)
        groups = self._group_numbers(n_words)
        # The penalty of a number of words is not known yet.
        kept = screen(seen.squares, 0.0 if self.words_per_topic else alpha, groups)
        chunks = prepare(chunks, kept, n_words)
        groups = None if groups is None else (groups[0][kept], groups[1])
        start = self._start(engine, chunks, seen, kept)
        solver = self._solver(start, alpha, groups, seen, engine, chunks)
        self._iterate(solver, engine, chunks)
        self._store(solver, kept, n_words, tidy=True)

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        seen: ColumnSquares = engine.map_reduce(column_squares, None, chunks)
        n_words = len(seen.squares)
        past = getattr(self, "statistics_", None)
        before = 0 if past is None else past[2]
        # Weights (1 - 1/t) on what went before, as in online dictionary learning.
        decay = before / (before + seen.n_documents)
        counted = (0.0 if past is None else decay * past[0][3]) + seen.n_documents
        if hasattr(self, "components_"):
            start = self.components_.T.tocsr().astype(f"f{seen.itemsize}", copy=False)
        else:
            start = self._start(engine, chunks, seen, np.arange(n_words))
            self.n_iter_, self.converged_, self.objective_ = 0, False, np.zeros(0)
        groups = self._group_numbers(n_words)
        solver = self._solver(start, self._alpha(counted), groups, seen, engine, chunks)
        if solver.target is not None:
            solver.target.reach()
        # Codes on the scale of one document, so that batches of different times add up.
        solver.params = solver.W / solver.W.dtype.type(np.sqrt(counted))
        solver.step = sum_products
        sums = engine.map_reduce(sum_products, solver.params, chunks)
        if past is not None:
            sums = Sums(*past[0]).scaled(decay).merge(sums)
            solver.square += decay * past[1]
        solver.update(sums)
        kept = (sums.gram, sums.products, sums.mass, sums.n_documents)
        self.statistics_ = (kept, solver.square, before + seen.n_documents)
        self.n_iter_ += 1
        self.objective_ = np.append(self.objective_, solver.objective)
        self._store(solver, np.arange(n_words), n_words, tidy=False)

    def _start(
        self, engine: Engine, chunks: list[Chunk], seen: ColumnSquares, kept: np.ndarray
    ) -> Any:
        """Topics by word, over the words that are kept."""
        dtype, n_words = np.dtype(f"f{seen.itemsize}"), len(kept)
        if not isinstance(self.init, str):
            return sp.csr_matrix(self._init_topics()).T.tocsr()[kept].astype(dtype, copy=False)
        n_topics = min(self.n_components, seen.n_documents, n_words)
        if n_topics < self.n_components:
            warn(
                f"{self.n_components} topics were asked for, but {seen.n_documents} documents with "
                f"{n_words} words of weight fill at most {n_topics}; lower n_components.",
            )
        if n_topics == 0:  # nothing but zeros: one topic without words
            return np.zeros((n_words, 1), dtype)
        shape = (seen.n_documents, n_words)
        seed = draw_seed(self.random_state)
        return STARTS[self.init](engine, chunks, shape, n_topics, dtype, seed)

    def _solver(
        self,
        start: Any,
        alpha: float,
        groups: tuple[np.ndarray, np.ndarray] | None,
        seen: ColumnSquares,
        engine: Engine,
        chunks: list[Chunk],
    ) -> Procrustes:
        target = None
        if self.words_per_topic is not None:
            target = WordTarget(self.words_per_topic, self.positive)

        def penalize(alphas: np.ndarray) -> Penalty:
            if groups is not None:
                return Group(alphas, *groups, positive=self.positive)
            return NonNegative(alphas) if self.positive else L1(alphas)

        return (PaperProcrustes if self.stop == "paper" else Procrustes)(
            start,
            np.full(start.shape[1], alpha),
            penalize,
            square=float(seen.squares.sum()),
            tol=self.tol,
            engine=engine,
            chunks=chunks,
            target=target,
        )

    def _store(self, solver: Procrustes, kept: np.ndarray, n_words: int, *, tidy: bool) -> None:
        """The fitted attributes. `tidy` drops empty topics and orders and turns the others."""
        topics = solver.W.T.tocsr()
        shares, alpha = solver.mass, solver.alpha
        if tidy:
            order = self._order(topics, shares)
            topics, shares, alpha = topics[order], shares[order], alpha[order]
            if not self.positive:
                flip_topics(topics)
        index = topics.indices.dtype
        self.components_ = csr(
            topics.data,
            kept[topics.indices].astype(index),
            topics.indptr,
            (topics.shape[0], n_words),
        )
        self.topic_shares_ = shares / (shares.sum() or 1.0)
        self.alpha_ = np.array(alpha, dtype=np.float64)
        self._words_topics()  # made by the fit, so that using a model changes nothing in it

    def _order(self, topics: sp.csr_matrix, shares: np.ndarray) -> np.ndarray:
        """Topics that have words, by falling share."""
        filled = np.diff(topics.indptr) > 0
        if not filled.any():
            if self.alpha is not None and self.alpha > 0:
                raise LaconicError(
                    f"alpha={self.alpha:g} leaves no word in any topic; lower it, or ask for "
                    "words_per_topic instead."
                )
            return np.zeros(1, dtype=np.intp)
        if not filled.all():
            warn(
                f"{np.count_nonzero(~filled)} of {len(filled)} topics could not be filled and were "
                "left out; lower alpha or n_components.",
            )
        order = np.argsort(-shares, kind="stable")
        return order[filled[order]]

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Codes A q of documents, CSR (or an array with ``sparse_output=False``)."""
        check_is_fitted(self, "components_")
        return self._encode(X, encode, (self._words_topics(), self._sparse_codes()))

    def _words_topics(self) -> sp.csr_matrix:
        """The topics by word; made by the fit, or on first use of a loaded model."""
        return self._derived("by_word", lambda: self.components_.T.tocsr())

    @property
    def inverse_transform(self) -> Any:
        """Sparse LSA has none: its codes are projections."""
        raise AttributeError(
            "SparseLSA has no inverse_transform: its codes A q are projections, from which "
            "documents cannot be put together. PCP, PLSA, SCTM and STC have one."
        )

    # --- checking --------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.alpha is not None and self.words_per_topic is not None:
            raise LaconicError("Give either 'alpha' or 'words_per_topic' to SparseLSA, not both.")
        if self.groups is not None and self.words_per_topic is not None:
            raise LaconicError(
                "'words_per_topic' of SparseLSA does not go with 'groups'; use 'alpha'."
            )
        if self.group_weights is not None and self.groups is None:
            raise LaconicError("'group_weights' of SparseLSA needs 'groups'.")
        if self.stop == "paper" and self.words_per_topic is not None:
            raise LaconicError(
                "stop='paper' of SparseLSA goes with 'alpha', not 'words_per_topic'."
            )

    def _check_stream(self) -> None:
        if self.stop == "paper":
            raise LaconicError("partial_fit of SparseLSA has no stopping rule; leave 'stop' alone.")

    def _alpha(self, n_documents: float) -> float:
        return ALPHA_SCALE * np.sqrt(n_documents) if self.alpha is None else float(self.alpha)

    def _group_numbers(self, n_words: int) -> tuple[np.ndarray, np.ndarray] | None:
        if self.groups is None:
            return None
        names = getattr(self, "feature_names_in_", None)
        return number_groups(self.groups, self.group_weights, names, n_words)


def encode(params: tuple[sp.csr_matrix, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: codes of the documents of a chunk."""
    W, sparse = params
    X = chunk.load()
    dtype = np.result_type(X.dtype, W.dtype)
    n_topics = W.shape[1]
    arrays = X.data.astype(dtype, copy=False), X.indices, X.indptr
    if not sparse:
        out = np.empty((X.shape[0], n_topics), dtype)
        project_dense(*arrays, W.data, W.indices, W.indptr, out)
        return out, None
    data, indices, indptr = project_sparse(*arrays, W.data, W.indices, W.indptr, n_topics)
    return csr(data, indices, indptr.astype(np.int32), (X.shape[0], n_topics)), None


def prepare(chunks: list[Chunk], kept: np.ndarray, n_words: int) -> list[Chunk]:
    """The same chunks for many passes: without screened words, and in memory by column too."""
    if len(kept) < n_words:
        target = np.full(n_words, -1, np.int64)
        target[kept] = np.arange(len(kept))
        chunks = [map_chunk(chunk, ColumnMap(target, len(kept))) for chunk in chunks]
    return by_column_too(chunks)


def flip_topics(topics: sp.csr_matrix) -> None:
    """Turn each topic, in place, so that its strongest word is positive."""
    for start, stop in zip(topics.indptr[:-1], topics.indptr[1:], strict=True):
        row = topics.data[start:stop]
        if len(row) and row[np.argmax(np.abs(row))] < 0:
            np.negative(row, out=row)


def screen(
    squares: np.ndarray, alpha: float, groups: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """Words that some topic may keep: |U_d'x_j| <= |x_j| for any U, and so for groups."""
    if groups is None:
        limits = squares
    else:
        number, weights = groups
        per_group = np.bincount(number, squares, minlength=len(weights))
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = np.where(per_group > 0, per_group / weights**2, 0)[number]
    kept = limits > alpha**2
    if not kept.any() and squares.any():
        raise LaconicError(
            f"alpha={alpha:g} leaves no word in any topic; here it must be below "
            f"{np.sqrt(limits.max()):.4g}."
        )
    return np.flatnonzero(kept)
