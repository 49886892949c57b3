"""Principal component pursuit: what documents have in common, and what sets each of them apart.

Min, Zhang, Wright, Ma: Decomposing Background Topics from Keywords by Principal Component Pursuit,
CIKM 2010. D is split into a background L of low rank and sparse keywords S.

=============  ==============================================================================
paper          here
=============  ==============================================================================
D (m x n)      X, documents x words, transposed
L              ``LowRank(codes, components_)``
S              ``keywords_``, ``keywords(X)``
λ = i/√m       ``alpha``, or ``c`` for i: λ = c/√max(documents, words)
Algorithm 1    ``solver="exact"``, see `laconic.models.pcp.exact`
=============  ==============================================================================

What differs, and why:

- L + S = D has no place for noise, and counts are noisy: L gets almost full rank. The default
  solver ``"factored"`` lets the rest be noise and keeps L as factors, so that nothing is dense; see
  `laconic.models.pcp.factored`. Its rank and threshold are chosen by how well held-out occurrences
  of words are predicted, see `laconic.models.pcp.size`.
- The theory's λ = 1/√max(m, n) makes all of D keywords on counts; c = 10 is the default.
- The sign of Y in the printed Algorithm 1 is corrected.
- ``keywords(X)`` are words that occur, more often than the background says. The convex problem has
  negative entries, too, and some at words that do not occur; ``keywords_`` and `split` have them.
- The paper has no rule for new documents; see `pursue_rows` and `split_documents`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk, MemoryChunk, by_column_too
from laconic.corpus.sampling import draw_rows, sample_documents
from laconic.engines import Engine, make_engine
from laconic.engines.base import single_blas_thread
from laconic.engines.callbacks import with_callbacks
from laconic.errors import LaconicError, warn
from laconic.models.base import TopicModel, draw_seed
from laconic.models.pcp.exact import Pursuit, steps_remembered
from laconic.models.pcp.factored import (
    BackgroundSolver,
    BackgroundSums,
    Basis,
    orthonormal,
    principal,
    random_basis,
    split_rows,
    sum_background,
    upright,
)
from laconic.models.pcp.parts import LowRank, Split
from laconic.models.pcp.size import (
    ENTRIES,
    SAMPLE,
    Size,
    are_counts,
    choose_size,
    mean_length,
)
from laconic.models.pcp.steps import (
    codes_of,
    keywords_in,
    occurring,
    parts_of,
    split_by_basis,
    split_exactly,
)
from laconic.models.pcp.varimax import readable
from laconic.models.penalty_search import find_penalty
from laconic.progress import progress

C = 10.0
RANK, KEYWORDS = 50, 5.0  # where values are no counts, so that nothing can be held out
TOL = {"exact": 1e-7, "factored": 1e-4}
LEAST_ALPHA = 1e-6
LARGEST = 1e12
FIRST_BATCH, LATER_BATCH = 10, 3  # passes over a batch of a stream
TARGET_GAP, TARGET_STEPS = 1e-3, 60  # how closely λ is solved for while it is looked for


Finder = Callable[[Basis], float]


class PCP(TopicModel):
    """Background and keywords by principal component pursuit.

    Parameters
    ----------
    n_components : int, optional
        Rank of the background. By default the one that best predicts held-out occurrences of
        words. Not with ``solver="exact"``, where it comes out by itself.
    solver : {"factored", "exact"}, default="factored"
        "factored" takes any number of documents and leaves room for noise; "exact" is the paper's
        convex problem, dense in memory (up to 8 GiB; it says what it would need).
    alpha : float, optional
        What a keyword costs. "factored": how many occurrences beyond the background are noise, in
        a document of mean length; it grows with the square root of the length. "exact": the
        paper's λ.
    c : float, optional
        "exact": λ = c / √max(documents, words), instead of `alpha`; 10 by default, 8 to 12 is
        sensible on counts.
    keywords_per_document : float, optional
        How many keywords a document is to have on average, instead of `alpha`.
    max_iter : int, default=300
        Most passes over the documents, or steps of the exact solver.
    tol : float, optional
        "factored": stop when a pass lowers the objective by a smaller share of it (1e-4).
        "exact": stop at this relative duality gap (1e-7).
    random_state : int, RandomState or None, default=0
        Seed of the start and of what is held out.
    engine : str, default="threads"
        Where to run: "serial", "threads", "dask" or the address of a Dask scheduler. It does not
        change the result. The exact solver does without.
    n_jobs : int, optional
        Number of workers; all cores by default.
    sparse_output : bool, default=True
        Whether `transform` returns CSR or an array; frames asked for by ``set_output`` are dense.
    verbose : int, default=0
        1 draws a progress bar on a terminal, 2 also logs each pass.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_words)
        Orthonormal basis of the background, the strongest direction first; "factored": turned so
        that each has few words (varimax).
    rotation_ : ndarray of shape (rank, rank)
        That turn: ``rotation_.T @ components_`` are the principal directions, to which
        `singular_values_` and `shrinkage_` belong.
    rank_ : int
        Rank of the background.
    singular_values_ : ndarray of shape (rank,)
        Of the background.
    keywords_ : csr_matrix of shape (n_documents, n_words)
        Keywords of the documents of `fit` (of the last batch of `partial_fit`); with "exact" the
        whole of S.
    shrinkage_ : ndarray of shape (rank,)
        "factored": the share of the codes that is signal, by held-out occurrences; codes are
        shrunk to it.
    topic_shares_ : ndarray of shape (rank,)
        Share of each direction of ``components_``, by the root of the sum of its squared codes.
    document_length_ : float
        "factored": the mean length of documents that `alpha_` is for.
    alpha_ : float
        Given, chosen or found.
    objective_ : ndarray
        One value for each pass, before codes are shrunk; "exact": the lowest value so far of a
        feasible point.
    gap_ : float
        "exact": relative duality gap.
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2, 2, 0], [4, 4, 0], [3, 3, 9], [1, 1, 0], [6, 6, 0]])
    >>> model = PCP(1, alpha=1).fit(X)
    >>> model.keywords(X).nonzero()
    (array([2], dtype=int32), array([2], dtype=int32))
    """

    _parameter_constraints = {
        **TopicModel._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions({"exact", "factored"})],
        "alpha": [Interval(Real, 0, None, closed="neither"), None],
        "c": [Interval(Real, 0, None, closed="neither"), None],
        "keywords_per_document": [Interval(Real, 0, None, closed="neither"), None],
        "tol": [Interval(Real, 0, None, closed="left"), None],
    }

    WEIGHTING = "counts"
    PIPELINE_DEFAULTS: dict[str, Any] = {}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        solver: str = "factored",
        alpha: float | None = None,
        c: float | None = None,
        keywords_per_document: float | None = None,
        max_iter: int = 300,
        tol: float | None = None,
        random_state: Any = 0,
        engine: str = "threads",
        n_jobs: int | None = None,
        sparse_output: bool = True,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.alpha = alpha
        self.c = c
        self.keywords_per_document = keywords_per_document
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.sparse_output = sparse_output
        self.verbose = verbose

    # --- fitting ---------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the background of `X`, a Corpus, a sparse matrix or an array, documents x words."""
        self.check_parameters()
        with self._fitting(X, y) as (engine, chunks):
            if not self.n_features_in_:
                self._store_nothing(chunks)
            elif self.solver == "exact":
                self._fit_exactly(chunks)
            else:
                self._fit_chunks(engine, chunks)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from one more batch of documents; ``solver="factored"`` only.

        What earlier batches said is kept as their background. The first batch chooses rank and
        threshold, so it should hold several times as many documents as the rank.
        """
        self.check_parameters()
        if self.solver == "exact":
            raise LaconicError(
                "partial_fit of PCP needs solver='factored'; the exact problem has no batches."
            )
        if hasattr(self, "gap_"):
            raise LaconicError(
                "This PCP was fitted with solver='exact', from which partial_fit cannot go on; "
                "begin with a new one."
            )
        chunks = self._chunks(X, reset=not hasattr(self, "components_"))
        if not chunks or not self.n_features_in_:
            raise LaconicError("partial_fit of PCP needs at least one document and one word.")
        with make_engine(self.engine, self.n_jobs) as engine:
            self._add_batch(engine, chunks)
        return self

    def _fit_chunks(self, engine: Engine, chunks: list[Chunk]) -> None:
        self._forget()
        size, find = self._start(engine, chunks)
        ready = by_column_too(chunks)
        first = Basis.of(size.words, size.threshold, self.document_length_)
        solver = BackgroundSolver(first, self._tol(), find)
        self._iterate(solver, engine, ready)
        self._store(*principal(*solver.measured), solver.params.threshold, size.shrinkage)
        self._meet_target(find)
        self.keywords_ = self._keywords(engine, chunks)

    def _start(self, engine: Engine, chunks: list[Chunk]) -> tuple[Size, Finder | None]:
        """Threshold, a first basis, its shrinkage, and what finds the threshold of a target."""
        seed = draw_seed(self.random_state)
        sample = self._sample(engine, chunks, seed)
        self.document_length_ = mean_length(sample)
        n_words, target = sample.shape[1], self.keywords_per_document
        rank = self._rank(chunks[-1].stop - chunks[0].start, n_words)
        if are_counts(sample):
            size = choose_size(sample, rank, self.alpha, seed)
        else:
            few = min(RANK, max(1, min(sample.shape) // 4))
            words = random_basis(n_words, rank or few, sample.dtype, seed)
            size = Size(self.alpha or 1.0, words, np.ones(words.shape[1]))
            target = target or (KEYWORDS if self.alpha is None else None)
        if target is None:
            return size, None
        find = partial(threshold_for, sample, target)
        return size._replace(threshold=find(Basis.of(size.words, 1.0, self.document_length_))), find

    def _sample(self, engine: Engine, chunks: list[Chunk], seed: int) -> sp.csr_matrix:
        """Documents on which size, threshold and shrinkage are found."""
        sample = sample_documents(engine, chunks, SAMPLE, seed)
        kept = max(1, int(ENTRIES * sample.shape[0] / max(sample.nnz, ENTRIES)))
        return sample[draw_rows(seed, sample.shape[0], kept)]

    def _rank(self, n_documents: int, n_words: int) -> int | None:
        most = min(n_documents, n_words)
        if self.n_components is None or self.n_components <= most:
            return self.n_components
        warn(
            f"A background of rank {self.n_components} was asked for, but {n_documents} documents "
            f"of {n_words} words have at most {most}; lower n_components.",
        )
        return max(most, 1)

    def _meet_target(self, find: Finder | None) -> None:
        """The threshold of a target for the background as it is in the end."""
        if find is not None:
            self.alpha_ = find(self._basis())
            if self.keywords_per_document is not None and self.alpha_ < LEAST_ALPHA:
                warn(
                    f"keywords_per_document={self.keywords_per_document:g} is more than documents "
                    "have words beyond the background; ask for fewer.",
                )

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        is_first = not hasattr(self, "components_")
        find = None
        if is_first:
            size, find = self._start(engine, chunks)
            words, threshold, shrinkage = size.words, size.threshold, size.shrinkage
            known = np.zeros((words.shape[0], 0), words.dtype), np.zeros(0)
            self.n_iter_, self.converged_, self.objective_ = 0, False, np.zeros(0)
        else:
            words, threshold = self._principal(), self.alpha_
            shrinkage = np.asarray(self.shrinkage_)
            known = words, np.asarray(self.singular_values_)
        for _ in range(FIRST_BATCH if is_first else LATER_BATCH):
            basis = Basis.of(words, threshold, self.document_length_)
            sums: BackgroundSums = engine.map_reduce(sum_background, basis, chunks)
            total = with_past(sums, basis, known)
            words = orthonormal(total.products, words)
        self.objective_ = np.append(self.objective_, sums.objective(threshold))
        self.n_iter_ += 1
        self._store(*principal(basis.words, total.gram), threshold, shrinkage)
        self._meet_target(find)
        self.keywords_ = self._keywords(engine, chunks)

    def _fit_exactly(self, chunks: list[Chunk]) -> None:
        n_documents, n_words = chunks[-1].stop, self.n_features_in_
        steps_remembered(n_documents, n_words)  # refuse before anything is loaded
        X = sp.vstack([chunk.load() for chunk in chunks], format="csr")
        pursuit = Pursuit(X)
        self._forget()
        with progress("PCP", self.max_iter, self.verbose) as report:
            self.alpha_ = self._penalty(pursuit, X)
            parts = pursuit.solve(self.alpha_, self._tol(), self.max_iter, report)
        dtype = X.dtype
        self.gap_ = float(parts.gap)
        self._store(upright(parts.basis.T).astype(dtype), parts.singular_values, self.alpha_)
        self.keywords_ = parts.sparse.astype(dtype)
        self.objective_, self.n_iter_ = parts.objective, len(parts.objective)
        self.converged_ = parts.converged
        if parts.interrupted:
            warn(
                f"PCP was stopped after {self.n_iter_} steps; it is usable as far as it got.",
                ConvergenceWarning,
            )
        elif not parts.converged:
            warn(
                f"PCP came to a relative duality gap of {parts.gap:.1g} in {self.n_iter_} steps, "
                f"not {self._tol():g}; raise max_iter or tol.",
                ConvergenceWarning,
            )

    def _penalty(self, pursuit: Pursuit, X: sp.csr_matrix) -> float:
        scale = 1 / np.sqrt(max(X.shape))
        if self.alpha is not None:
            return float(self.alpha)
        if self.keywords_per_document is None:
            return float(scale * (C if self.c is None else self.c))

        n_documents = max(int(np.count_nonzero(np.diff(X.indptr))), 1)

        def measure(penalty: float) -> float:
            parts = pursuit.solve(penalty, TARGET_GAP, TARGET_STEPS)
            return occurring(parts.sparse, X).nnz / n_documents

        return find_penalty(measure, self.keywords_per_document, C * scale, steps=8)

    def _store(
        self,
        words: np.ndarray,
        values: np.ndarray,
        threshold: float,
        shrinkage: np.ndarray | None = None,
    ) -> None:
        """What was learned, from principal directions by word."""
        self.rank_ = words.shape[1]
        self.singular_values_ = values
        self.shrinkage_ = np.ones(self.rank_) if shrinkage is None else shrinkage[: self.rank_]
        self.alpha_ = float(threshold)
        self.rotation_ = np.eye(self.rank_)
        is_factored = not hasattr(self, "gap_")
        if is_factored:
            with single_blas_thread():
                self.rotation_ = readable(words, values)
        self.components_ = np.ascontiguousarray(
            self.rotation_.astype(words.dtype) @ words.T, dtype=words.dtype
        )
        strength = np.sqrt(self.rotation_**2 @ values**2)
        self.topic_shares_ = strength / (strength.sum() or 1.0)
        if is_factored:
            self._basis()

    def _forget(self) -> None:
        """Drop what only one of the solvers learns."""
        for name in ("gap_", "document_length_"):
            self.__dict__.pop(name, None)

    def _store_nothing(self, chunks: list[Chunk]) -> None:
        """Documents without any word."""
        self._forget()
        self.document_length_ = 1.0
        self._store(np.zeros((0, 1), np.float32), np.zeros(1), self.alpha or 1.0)
        self.keywords_ = sp.csr_matrix((chunks[-1].stop, 0), dtype=np.float32)
        self.objective_, self.n_iter_, self.converged_ = np.zeros(1), 1, True

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Codes of the background, CSR (or an array with ``sparse_output=False``)."""
        check_is_fitted(self, "components_")
        step, params = self._splitter()
        return self._encode(X, codes_of, (step, params, self._sparse_codes()))

    def keywords(self, X: Any) -> sp.csr_matrix:
        """How much more often words occur than the background says, where that is no noise.

        Parameters
        ----------
        X : Corpus, sparse matrix or array, documents x words

        Returns
        -------
        csr_matrix of shape (n_documents, n_words)
            Positive, only at words that occur.
        """
        check_is_fitted(self, "components_")
        chunks = self._chunks(X, reset=False)
        with make_engine(self.engine, self.n_jobs) as engine:
            return self._keywords(engine, chunks)

    def _keywords(self, engine: Engine, chunks: list[Chunk]) -> sp.csr_matrix:
        if not chunks:
            return sp.csr_matrix((0, self.n_features_in_), dtype=self.components_.dtype)
        return sp.vstack(list(engine.map(keywords_in, self._splitter(), chunks)), format="csr")

    def split(self, X: Any) -> Split:
        """Background and keywords of documents.

        Returns
        -------
        Split
            ``background``, a `LowRank` (``toarray()`` makes it dense), and ``keywords``, CSR. With
            ``solver="exact"`` they add up to `X`; else what is missing is noise.
        """
        check_is_fitted(self, "components_")
        chunks = self._chunks(X, reset=False)
        with make_engine(self.engine, self.n_jobs) as engine:
            parts = list(engine.map(parts_of, self._splitter(), chunks))
        if not parts:
            none = np.zeros((0, self.rank_), self.components_.dtype)
            return Split(LowRank(none, self.components_), self._keywords(engine, chunks))
        codes, keywords = zip(*parts, strict=True)
        return Split(LowRank(np.vstack(codes), self.components_), sp.vstack(keywords, format="csr"))

    def _splitter(self) -> tuple[Any, Any]:
        """What splits rows, and its parameters."""
        if not hasattr(self, "gap_"):
            return split_by_basis, self._basis()
        return split_exactly, (
            np.asarray(self.components_),
            np.asarray(self.singular_values_),
            self.alpha_,
        )

    def _principal(self) -> np.ndarray:
        """Principal directions by word."""
        turned = np.asarray(self.components_).T
        return np.ascontiguousarray(turned @ self.rotation_.astype(turned.dtype))

    def _basis(self) -> Basis:
        """Made by the fit, or on first use of a loaded model."""
        learned = self.rotation_, self.shrinkage_, self.document_length_
        return self._derived("basis", self._make_basis, *learned)._replace(threshold=self.alpha_)

    def _make_basis(self) -> Basis:
        words = np.array(self.components_.T, order="C")
        turn, dtype = np.asarray(self.rotation_), words.dtype
        shrunk = (turn * self.shrinkage_) @ turn.T  # along the principal directions
        readers = np.ascontiguousarray(words @ shrunk.astype(dtype))
        return Basis.of(words, self.alpha_, self.document_length_, readers)

    # --- checking --------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        self._validate_params()
        given = [name for name in ("alpha", "c", "keywords_per_document") if getattr(self, name)]
        if len(given) > 1:
            raise LaconicError(f"Give only one of {' and '.join(map(repr, given))} to PCP.")
        if self.solver == "exact" and self.n_components is not None:
            raise LaconicError(
                "n_components of PCP does not go with solver='exact', whose rank comes out by "
                "itself; leave it out, or use solver='factored'."
            )
        if self.solver == "factored" and self.c is not None:
            raise LaconicError(
                "c of PCP belongs to solver='exact'; for solver='factored' give 'alpha', how many "
                "occurrences beyond the background are noise, or 'keywords_per_document'."
            )

    def _tol(self) -> float:
        return TOL[self.solver] if self.tol is None else float(self.tol)

    def _chunks(self, X: Any, *, reset: bool) -> list[Chunk]:
        chunks = super()._chunks(X, reset=reset)
        for number, chunk in enumerate(chunks):
            if not isinstance(chunk, MemoryChunk):
                continue
            if chunk.X.data.min(initial=0) < 0:
                raise LaconicError(
                    "Negative values in data passed to PCP; counts must not be negative."
                )
            if chunk.X.data.max(initial=0) > LARGEST:  # its square is not for float32
                exact = chunk.X.astype(np.float64)
                chunks[number] = MemoryChunk(exact, chunk.start, chunk.stop)
        return chunks

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def threshold_for(X: sp.csr_matrix, n_keywords: float, basis: Basis) -> float:
    """The threshold with which documents have so many keywords on average."""
    n_documents = max(int(np.count_nonzero(np.diff(X.indptr))), 1)

    def measure(threshold: float) -> float:
        rows = split_rows(X, basis._replace(threshold=threshold))
        return int(np.count_nonzero(rows.excess)) / n_documents

    return find_penalty(measure, n_keywords, 1.0)


def with_past(
    sums: BackgroundSums, basis: Basis, known: tuple[np.ndarray, np.ndarray]
) -> BackgroundSums:
    """Sums of a batch and of the documents before it, as far as a background (words, σ) says."""
    words, values = known
    overlap = words.T.astype(np.float64) @ basis.words * values[:, None] ** 2
    products = sums.products + (words @ overlap).astype(sums.products.dtype)
    gram = sums.gram + (basis.words.T.astype(np.float64) @ words) @ overlap
    return replace(sums, products=products, gram=gram)
