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

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk, MemoryChunk
from laconic.engines import make_engine
from laconic.engines.callbacks import with_callbacks
from laconic.errors import LaconicError
from laconic.models.base import TopicModel
from laconic.models.pcp.exact import RowPursuit
from laconic.models.pcp.factored import Basis, shown_basis
from laconic.models.pcp.low_rank import LowRank, Split
from laconic.models.pcp.size import Background
from laconic.models.pcp.solvers import SOLVERS, Factored, Learned, learn_nothing
from laconic.models.pcp.steps import Splitter, codes_of, keywords_in, parts_of

LARGEST = 1e12


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
    init : array or sparse matrix of shape (n_components, n_words), optional
        "factored": directions to start from, such as ``components_`` of another model; by default
        random ones.
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

    COUNTS_ONLY = True
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
        init: Any = None,
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
        self.init = init
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
            if self.n_features_in_:
                self._learn(SOLVERS[self.solver](self).fit(engine, chunks))
            else:
                self._learn(learn_nothing(chunks[-1].stop, self.alpha or 1.0))
                self.objective_, self.n_iter_, self.converged_ = np.zeros(1), 1, True
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
        if self._is_exact:
            raise LaconicError(
                "This PCP was fitted with solver='exact', from which partial_fit cannot go on; "
                "begin with a new one."
            )
        chunks = self._chunks(X, reset=not hasattr(self, "components_"))
        if not chunks or not self.n_features_in_:
            raise LaconicError("partial_fit of PCP needs at least one document and one word.")
        with make_engine(self.engine, self.n_jobs) as engine:
            known = self._background() if hasattr(self, "components_") else None
            self._learn(Factored(self).add_batch(engine, chunks, known))
        return self

    def _learn(self, learned: Learned) -> None:
        for name in ("gap_", "document_length_"):  # which only one of the solvers learns
            self.__dict__.pop(name, None)
        self.components_, self.rotation_ = learned.components, learned.rotation
        self.rank_ = len(learned.components)
        self.singular_values_, self.shrinkage_ = learned.singular_values, learned.shrinkage
        self.alpha_, self.keywords_ = learned.alpha, learned.keywords
        strength = np.sqrt(self.rotation_**2 @ self.singular_values_**2)
        self.topic_shares_ = strength / (strength.sum() or 1.0)
        if learned.gap is not None:
            self.gap_ = learned.gap
        if learned.basis is not None:
            self.document_length_ = learned.basis.length
            self._basis(learned.basis)

    def _background(self) -> Background:
        """What a stream has learned so far."""
        shown = np.asarray(self.components_).T
        words = np.ascontiguousarray(shown @ self.rotation_.astype(shown.dtype))
        values, shrinkage = np.asarray(self.singular_values_), np.asarray(self.shrinkage_)
        return Background(words, values, shrinkage, self.alpha_, self.document_length_)

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Codes of the background, CSR (or an array with ``sparse_output=False``)."""
        check_is_fitted(self, "components_")
        return self._encode(X, codes_of, (self._splitter(), self._sparse_codes()))

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
        return self._stack_keywords(self._map(X, keywords_in, self._splitter()))

    def split(self, X: Any) -> Split:
        """Background and keywords of documents.

        Returns
        -------
        Split
            ``background``, a `LowRank` (``toarray()`` makes it dense), and ``keywords``, CSR. With
            ``solver="exact"`` they add up to `X`; else what is missing is noise.
        """
        check_is_fitted(self, "components_")
        parts = self._map(X, parts_of, self._splitter())
        none = np.zeros((0, self.rank_), self.components_.dtype)
        codes = np.vstack([none, *(codes for codes, _ in parts)])
        keywords = self._stack_keywords([keywords for _, keywords in parts])
        return Split(LowRank(codes, self.components_), keywords)

    def _stack_keywords(self, keywords: list[sp.csr_matrix]) -> sp.csr_matrix:
        """Keywords of chunks, one below the other."""
        none = sp.csr_matrix((0, self.n_features_in_), dtype=self.components_.dtype)
        return sp.vstack([none, *keywords], format="csr")

    @property
    def _is_exact(self) -> bool:
        """Whether it was fitted by the exact solver; `solver` may have been set since."""
        return hasattr(self, "gap_")

    def _splitter(self) -> Splitter:
        """What splits documents."""
        if not self._is_exact:
            return self._basis()
        components, values = np.asarray(self.components_), np.asarray(self.singular_values_)
        return RowPursuit(components, values, self.alpha_)

    def _basis(self, made: Basis | None = None) -> Basis:
        """Made by the fit, or on first use of a loaded model."""
        learned = self.rotation_, self.shrinkage_, self.document_length_

        def make() -> Basis:
            return made or shown_basis(self.components_, *learned, self.alpha_)

        return self._derived("basis", make, *learned)._replace(threshold=self.alpha_)

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
        if self.solver == "exact" and self.init is not None:
            raise LaconicError(
                "init of PCP does not go with solver='exact', whose problem is convex; leave it "
                "out, or use solver='factored'."
            )
        if self.solver == "factored" and self.c is not None:
            raise LaconicError(
                "c of PCP belongs to solver='exact'; for solver='factored' give 'alpha', how many "
                "occurrences beyond the background are noise, or 'keywords_per_document'."
            )

    def _chunks(self, X: Any, *, reset: bool) -> list[Chunk]:
        chunks = super()._chunks(X, reset=reset)
        for number, chunk in enumerate(chunks):
            # the square of a larger value is not for float32
            if isinstance(chunk, MemoryChunk) and chunk.X.data.max(initial=0) > LARGEST:
                exact = chunk.X.astype(np.float64)
                chunks[number] = MemoryChunk(exact, chunk.start, chunk.stop)
        return chunks
