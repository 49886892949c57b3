"""Principal component pursuit (PCP): documents are a low-rank background plus sparse keywords.

Min, Zhang, Wright, Ma: Decomposing Background Topics from Keywords by Principal Component Pursuit,
CIKM 2010. D is split into a background L of low rank and sparse keywords S.

=============  ==============================================================================
paper          here
=============  ==============================================================================
D (m x n)      the transpose of X (documents x words)
L              ``LowRank(codes, components_)``
S              ``keywords_``, ``keywords(X)``
λ = i/√m       ``alpha``, or ``c`` for i: λ = c/√max(documents, words)
Algorithm 1    ``solver="exact"``, see `laconic.models.pcp.exact`
=============  ==============================================================================

Differences from the paper:

- The paper's model L + S = D has no noise term. Because counts are noisy, L gets almost full rank.
  The default solver ``"factored"`` treats D - L - S as noise and stores L as factors, so that it
  needs no dense array of documents x words; see `laconic.models.pcp.factored`. It chooses the rank
  and the keyword threshold that best predict held-out occurrences of words; see
  `laconic.models.pcp.size`.
- For counts, the theoretical value λ = 1/√max(m, n), which is c = 1, turns all of D into keywords.
  The default here is c = 10.
- The sign of Y in Algorithm 1 is misprinted in the paper and corrected here.
- ``keywords(X)`` contains only words that occur more often than the background predicts. The S of
  the convex problem also has negative entries and entries for words that do not occur in the
  document; ``keywords_`` and `split` include these entries.
- The paper has no rule for new documents; the rules used here are in `laconic.models.pcp.rows`
  ("exact") and `split_documents` ("factored").
"""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk, MemoryChunk
from laconic.corpus.matrices import effective_number
from laconic.engines import Engine, make_engine
from laconic.engines.callbacks import with_callbacks
from laconic.errors import LaconicError
from laconic.models.base import TOPICS_PER_DOCUMENT, TopicModel, draw_seed
from laconic.models.few_topics import check_target, model_threshold
from laconic.models.first_topics import Totals, total_counts
from laconic.models.pcp.factored import Basis, rotated_basis
from laconic.models.pcp.low_rank import LowRank, Split
from laconic.models.pcp.rows import RowPursuit
from laconic.models.pcp.size import Background
from laconic.models.pcp.solvers import SOLVERS, Factored, FitResult, empty_result
from laconic.models.pcp.sparse_codes import coding_params, weighted_lengths, word_weights
from laconic.models.pcp.steps import Splitter, encode_chunk, find_keywords, split_chunk
from laconic.models.sparse_codes import CodeTotals, CodingParams, codes_of, total_codes

MAX_FLOAT32 = 1e12
CODE_ATTRIBUTES = ("code_threshold_", "word_counts_", "topic_support_")


class PCP(TopicModel):
    """Principal component pursuit; ``components_`` is a dense array with an orthonormal basis.

    Each document is split into a background of low rank and a few keywords.

    Parameters
    ----------
    n_components : int, optional
        Rank of the background. By default, the rank that best predicts held-out occurrences of
        words is used. `n_components` cannot be set with ``solver="exact"``, which determines the
        rank itself.
    solver : {"factored", "exact"}, default="factored"
        "factored" works for any number of documents and allows for noise. "exact" solves the
        paper's convex problem with dense arrays; problems that need more than 8 GiB of memory
        raise an error that states the memory needed.
    alpha : float, optional
        Penalty on keywords. With ``solver="factored"``, it is the number of occurrences of a word
        beyond the background that are treated as noise in a document of mean length; this number
        grows with the square root of the document's length. With ``solver="exact"``, `alpha` is
        the paper's λ.
    c : float, optional
        With ``solver="exact"``: sets λ = c / √max(documents, words), as an alternative to `alpha`.
        The default is 10; values from 8 to 12 suit counts.
    keywords_per_document : float, optional
        Target for the mean number of keywords per document, as an alternative to `alpha`.
    topics_per_document : float, "auto" or None, default=None
        Target for the average number of directions ("topics") per document in the codes that
        `transform` returns. "auto" means at most 5.5. These codes are non-negative and give rare
        words more weight, see `laconic.models.pcp.sparse_codes`; `split` and `keywords` do not use
        them. With None, `transform` returns the dense codes of the background.
    max_iter : int, default=300
        Maximum number of passes over the documents, or of steps of the exact solver.
    tol : float, optional
        With ``solver="factored"``, the fit stops when a pass lowers the objective by less than this
        share of its value (default 1e-4). With ``solver="exact"``, it stops when the relative
        duality gap reaches `tol` (default 1e-7).
    init : array or sparse matrix of shape (n_components, n_words), optional
        With ``solver="factored"``: initial directions, such as ``components_`` of another model.
        By default, the initial directions are random.
    random_state : int, RandomState or None, default=0
        Seed of the initialisation and of the choice of held-out occurrences.
    engine : str, default="threads"
        Where to run the fit: "serial", "threads", "dask" or the address of a Dask scheduler. The
        engine does not change the result. The exact solver ignores this parameter.
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
    components_ : ndarray of shape (rank, n_words)
        Orthonormal basis of the background, with the strongest direction first. With
        ``solver="factored"``, the basis is rotated by varimax so that each direction has few words,
        and with `topics_per_document`, the directions are sorted by `topic_shares_`.
    rotation_ : ndarray of shape (rank, rank)
        The varimax rotation. The principal directions are ``rotation_.T @ components_``; the values
        in `singular_values_` and `shrinkage_` belong to these directions.
    rank_ : int
        Rank of the background.
    singular_values_ : ndarray of shape (rank,)
        Singular values of the background.
    keywords_ : csr_matrix of shape (n_documents, n_words)
        Keywords of the documents passed to `fit`, or of the last batch passed to `partial_fit`.
        With ``solver="exact"``, this is the whole matrix S.
    shrinkage_ : ndarray of shape (rank,)
        With ``solver="factored"``: factor by which the codes of each principal direction are
        multiplied. The factor is the share of the codes that is signal rather than noise, estimated
        from held-out occurrences.
    topic_shares_ : ndarray of shape (rank,)
        Norm of the codes of each direction of ``components_`` over all documents (the root of the
        sum of squares), divided by the sum of these norms.
    topic_support_ : ndarray of shape (rank,)
        Only with `topics_per_document`, set by `fit`: effective number of documents that share each
        direction, (Σ|θ|)² / Σθ².
    code_threshold_ : float
        Only with `topics_per_document`: minimum share of a direction in the code of a document.
    word_counts_ : ndarray of shape (n_words,)
        Only with `topics_per_document`: number of occurrences of each word in all documents.
    document_length_ : float
        With ``solver="factored"``: mean document length, for which `alpha_` holds.
    alpha_ : float
        Penalty on keywords: the value of `alpha`, or the value chosen by the fit.
    objective_ : ndarray
        With ``solver="factored"``, the objective of each pass, before codes are shrunk. With
        ``solver="exact"``, the lowest objective of a feasible point up to each step.
    gap_ : float
        With ``solver="exact"``: relative duality gap of the solution.
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
        "topics_per_document": TOPICS_PER_DOCUMENT,
        "tol": [Interval(Real, 0, None, closed="left"), None],
    }

    COUNTS_ONLY = True
    WEIGHTING = "counts"
    PIPELINE_DEFAULTS: dict[str, Any] = {"topics_per_document": "auto"}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        solver: str = "factored",
        alpha: float | None = None,
        c: float | None = None,
        keywords_per_document: float | None = None,
        topics_per_document: float | str | None = None,
        max_iter: int = 300,
        tol: float | None = None,
        init: Any = None,
        random_state: Any = 0,
        engine: str = "threads",
        n_jobs: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        sparse_output: bool = True,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.alpha = alpha
        self.c = c
        self.keywords_per_document = keywords_per_document
        self.topics_per_document = topics_per_document
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.sparse_output = sparse_output
        self.verbose = verbose

    # --- fitting ---------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the background of `X`, a Corpus, sparse matrix or array (documents x words)."""
        self.check_parameters()
        with self._fitting(X, y) as (engine, chunks):
            for name in CODE_ATTRIBUTES:
                self.__dict__.pop(name, None)
            if self.n_features_in_:
                self._store_result(SOLVERS[self.solver](self).fit(engine, chunks))
            else:
                self._store_result(empty_result(chunks[-1].stop, self.alpha or 1.0))
                self.objective_, self.n_iter_, self.converged_ = np.zeros(1), 1, True
            if self.topics_per_document is not None:
                self._count_words(engine, chunks)
                self._set_threshold(engine, chunks)
                self._sort_by_codes(engine, chunks)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the background with another batch of documents; requires ``solver="factored"``.

        Of earlier batches, only the background is kept. The first batch determines the rank and the
        keyword threshold, so the number of documents in it should be several times the rank.
        """
        self.check_parameters()
        if self.solver == "exact":
            raise LaconicError(
                "partial_fit of PCP requires solver='factored'; solver='exact' cannot learn from "
                "batches."
            )
        if self._is_exact:
            raise LaconicError(
                "partial_fit cannot continue a PCP that was fitted with solver='exact'; create a "
                "new PCP with solver='factored'."
            )
        chunks = self._chunks(X, reset=not hasattr(self, "components_"))
        if not chunks or not self.n_features_in_:
            raise LaconicError("partial_fit of PCP needs at least one document and one word.")
        with make_engine(self.engine, self.n_jobs) as engine:
            past = self._background() if hasattr(self, "components_") else None
            self._store_result(Factored(self).add_batch(engine, chunks, past))
            if self.topics_per_document is not None:
                self._count_words(engine, chunks)
                if not hasattr(self, "code_threshold_"):
                    self._set_threshold(engine, chunks)
        return self

    def _store_result(self, result: FitResult) -> None:
        for name in ("gap_", "document_length_"):  # Each attribute is set by only one solver.
            self.__dict__.pop(name, None)
        self.components_, self.rotation_ = result.components, result.rotation
        self.rank_ = len(result.components)
        self.singular_values_, self.shrinkage_ = result.singular_values, result.shrinkage
        self.alpha_, self.keywords_ = result.alpha, result.keywords
        strength = np.sqrt(self.rotation_**2 @ self.singular_values_**2)
        self.topic_shares_ = strength / (strength.sum() or 1.0)
        if result.gap is not None:
            self.gap_ = result.gap
        if result.basis is not None:
            self.document_length_ = result.basis.length
            self._basis(result.basis)

    def _count_words(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Add the occurrences of words in the documents to ``word_counts_``."""
        totals: Totals = engine.map_reduce(total_counts, None, chunks)
        self.word_counts_ = getattr(self, "word_counts_", 0) + totals.words

    def _set_threshold(self, engine: Engine, chunks: list[Chunk]) -> None:
        params = coding_params(self.components_, self.word_counts_), False
        seed = draw_seed(self.random_state)
        self.code_threshold_ = model_threshold(self, engine, chunks, seed, codes_of, params)

    def _sort_by_codes(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Code all documents, and sort the directions by the norm of their codes."""
        codes = [None] * len(chunks) if self._collects_codes else None
        totals: CodeTotals = engine.map_reduce(total_codes, self._coding(), chunks, codes)
        norms = np.sqrt(totals.squares)
        order = np.arange(self.rank_)
        if not self._is_exact:  # The exact solver needs the order of the singular values.
            order = np.argsort(-norms, kind="stable")
            self.components_ = np.ascontiguousarray(np.asarray(self.components_)[order])
            self.rotation_ = np.ascontiguousarray(np.asarray(self.rotation_)[order])
            self._basis()  # Fill the caches now, so that using the model does not change it.
        self.topic_shares_ = norms[order] / (norms.sum() or 1.0)
        self.topic_support_ = effective_number(totals.mass, totals.squares)[order]
        self._coding()
        self._collect_codes(engine, chunks, codes, order)

    def _background(self) -> Background:
        """Return the background learned so far, as principal directions and singular values."""
        rotated = np.asarray(self.components_).T
        words = np.ascontiguousarray(rotated @ self.rotation_.astype(rotated.dtype))
        values, shrinkage = np.asarray(self.singular_values_), np.asarray(self.shrinkage_)
        return Background(words, values, shrinkage, self.alpha_, self.document_length_)

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Return the codes of documents as CSR, or as an array with ``sparse_output=False``.

        ``codes @ components_`` is the background of the documents, unless `topics_per_document` is
        set, which gives sparse codes. With ``solver="exact"``, the background of new documents may
        have a part outside the directions of ``components_``, which has no code.
        """
        check_is_fitted(self, "components_")
        if self.topics_per_document is not None:
            return self._encode(X, codes_of, (self._coding(), self._sparse_codes()))
        return self._encode(X, encode_chunk, (self._splitter(), self._sparse_codes()))

    def keywords(self, X: Any) -> sp.csr_matrix:
        """Return the keywords of documents: counts that exceed background and noise.

        Parameters
        ----------
        X : Corpus, sparse matrix or array of shape (n_documents, n_words)

        Returns
        -------
        csr_matrix of shape (n_documents, n_words)
            The positive excess of each keyword. Only words that occur in a document can be its
            keywords.
        """
        check_is_fitted(self, "components_")
        return self._stack_parts(self._map(X, find_keywords, self._splitter()))

    def split(self, X: Any) -> Split:
        """Split documents into background and keywords.

        Returns
        -------
        Split
            Named tuple of ``background``, a `LowRank` (``toarray()`` makes it dense), and
            ``keywords``, a CSR matrix. With ``solver="exact"``, the sum of background and keywords
            is `X`. With ``solver="factored"``, the difference between this sum and `X` is noise.
        """
        check_is_fitted(self, "components_")
        parts = self._map(X, split_chunk, self._splitter())
        no_codes = np.zeros((0, self.rank_), self.components_.dtype)
        codes = np.vstack([no_codes, *(codes for codes, _, _ in parts)])
        keywords = self._stack_parts([keywords for _, keywords, _ in parts])
        background = None
        if self._is_exact:
            background = self._stack_parts([background for _, _, background in parts])
        return Split(LowRank(codes, self.components_, background), keywords)

    def _stack_parts(self, parts: list[sp.csr_matrix]) -> sp.csr_matrix:
        """Stack the sparse matrices of all chunks into one matrix."""
        nothing = sp.csr_matrix((0, self.n_features_in_), dtype=self.components_.dtype)
        return sp.vstack([nothing, *parts], format="csr")

    @property
    def _is_exact(self) -> bool:
        """Whether the model was fitted with the exact solver.

        The parameter `solver` cannot tell, because it may have been changed since the fit.
        """
        return hasattr(self, "gap_")

    def _splitter(self) -> Splitter:
        """Return the object that splits documents into codes and keywords."""
        if not self._is_exact:
            return self._basis()
        values = self.singular_values_

        def make() -> RowPursuit:
            return RowPursuit.of(np.asarray(self.components_), np.asarray(values), self.alpha_)

        return self._derived("rows", make, values)._replace(penalty=self.alpha_)

    def _basis(self, fitted: Basis | None = None) -> Basis:
        """Return the basis of the background; a model loaded from a file builds it on first use."""
        learned = self.rotation_, self.shrinkage_, self.document_length_

        def make() -> Basis:
            return fitted or rotated_basis(self.components_, *learned, self.alpha_)

        return self._derived("basis", make, *learned)._replace(threshold=self.alpha_)

    def _coding(self) -> CodingParams:
        """Return the parameters of sparse codes."""
        if not hasattr(self, "code_threshold_"):
            raise LaconicError(
                "This PCP was not fitted for sparse codes; set topics_per_document and fit it "
                "again."
            )
        learned = self.word_counts_, self.code_threshold_
        return self._derived("coding", lambda: coding_params(self.components_, *learned), *learned)

    def _reconstruction_topics(self) -> Any:
        """Return the directions, scaled for sparse codes if the model returns these."""
        if self.topics_per_document is None:
            return self.components_
        lengths = weighted_lengths(self.components_, word_weights(self.word_counts_))
        return self.components_ / lengths.astype(self.components_.dtype)[:, None]

    # --- checking --------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        self._validate_params()
        if self.n_components is not None:
            check_target(self)
        penalties = [n for n in ("alpha", "c", "keywords_per_document") if getattr(self, n)]
        if len(penalties) > 1:
            raise LaconicError(
                f"Set only one of the parameters {' and '.join(map(repr, penalties))} of PCP."
            )
        if self.solver == "exact" and self.n_components is not None:
            raise LaconicError(
                f"n_components={self.n_components} of PCP cannot be used with solver='exact', "
                "which determines the rank itself; omit n_components, or use solver='factored'."
            )
        if self.solver == "exact" and self.init is not None:
            raise LaconicError(
                "init of PCP cannot be used with solver='exact', which needs no initial topics, "
                "because the problem is convex; omit 'init', or use solver='factored'."
            )
        if self.solver == "factored" and self.c is not None:
            raise LaconicError(
                "c of PCP can only be used with solver='exact'. With solver='factored', set "
                "'alpha' (the number of occurrences beyond the background that are treated as "
                "noise) or 'keywords_per_document'."
            )

    def _chunks(self, X: Any, *, reset: bool) -> list[Chunk]:
        chunks = super()._chunks(X, reset=reset)
        for number, chunk in enumerate(chunks):
            # The squares of values above MAX_FLOAT32 lose too much precision in float32.
            if isinstance(chunk, MemoryChunk) and chunk.X.data.max(initial=0) > MAX_FLOAT32:
                exact = chunk.X.astype(np.float64)
                chunks[number] = MemoryChunk(exact, chunk.start, chunk.stop)
        return chunks
