"""Sparse latent semantic analysis (Sparse LSA): each topic is a short list of words.

The model is described in Chen, Qi, Bai, Lin, Carbonell: Sparse Latent Semantic Analysis, SDM 2011.
For documents X (documents x words), find U and a sparse A (topics x words) that

    minimise  1/2 |X - U A|^2 + alpha Ω(A)   subject to   U'U = I                      (eq. 2.4)

=====================  =========================================================================
paper                  here
=====================  =========================================================================
A                      ``components_``
λ                      ``alpha``, replaced by a maximum number of words with ``words_per_topic``
Ω l1 (2.4)             the default
Ω group (3.9)          ``groups``, ``group_weights`` (default: square root of the group's size);
                       groups may overlap, see ``overlap``
non-negative           ``positive=True``
A q (2.3)              ``transform`` with ``codes="projection"``
U = [I; 0] (2.8)       ``init="identity"``
max change < τ         ``stop="paper"``
=====================  =========================================================================

Differences from the paper:

- The lasso problems (2.5) do not need coordinate descent: since U'U = I, they separate, and
  A = prox(U'X) is the exact solution for each Ω.
- U is never formed, see `laconic.models.sparse_lsa.procrustes`; momentum and a better
  initialisation save passes.
- With ``codes="sparse"``, documents have few topics, see `laconic.models.sparse_codes`. The
  projection A q gives nearly every document every topic.
- The paper's stopping rule is absolute, although the entries of U shrink as the number of documents
  grows. The default rule here is relative to 1/2 |X|^2.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from laconic.corpus.chunks import Chunk, MemoryChunk, by_column_too, map_chunk
from laconic.corpus.matrices import ColumnMap, csr, dense
from laconic.engines import Engine
from laconic.errors import LaconicError, warn
from laconic.models.base import TOPICS_PER_DOCUMENT, OnlineModel, draw_seed
from laconic.models.penalties import L1, NonNegative, Penalty
from laconic.models.seed_priors import Seeding, SeedPrior
from laconic.models.seeded import SeededModel
from laconic.models.sparse_lsa.codes import CodesMixin
from laconic.models.sparse_lsa.procrustes import (
    ColumnSquares,
    PaperProcrustes,
    Procrustes,
    Sums,
    column_squares,
    sum_products,
)
from laconic.models.sparse_lsa.starts import STARTS
from laconic.models.sparse_lsa.word_groups import OVERLAPS, WordGroups, word_groups
from laconic.models.sparse_lsa.word_target import WordTarget
from laconic.wording import plural

# The default penalty for N documents is λ = ALPHA_SCALE sqrt(N). With a constant λ, topics would
# get longer as N grows, because duplicating every document multiplies U'X by sqrt(2). The scale was
# chosen on several corpora.
ALPHA_SCALE = 1e-4

GROUP_ATTRIBUTES = (
    "group_names_", "group_members_", "group_found_", "group_sizes_", "group_components_"
)  # fmt: skip


class SparseLSA(CodesMixin, OnlineModel):
    """Sparse latent semantic analysis; ``components_`` is a sparse CSR matrix of topics.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics.
    alpha : float, optional
        Strength of the penalty (the paper's λ). By default, the penalty grows with the square root
        of the number of documents, so that the number of words per topic does not depend on the
        corpus size.
    words_per_topic : int, optional
        Maximum number of words per topic, instead of a penalty. With ``codes="projection"``, the
        fit itself is limited to topics of this size, see `laconic.models.sparse_lsa.word_target`.
        With ``codes="sparse"``, only ``components_`` is limited to the strongest words of each
        topic, and documents are coded with all words, see ``coding_components_``. This parameter
        cannot be combined with `alpha` or `groups`.
    codes : {"auto", "sparse", "projection"}, default="auto"
        Codes that `transform` returns. "projection" returns the paper's A q, which is fast, but
        dense. "sparse" solves a ridge regression and drops the weakest topics of each document.
        "auto" means "sparse" if `topics_per_document` is set, and otherwise "projection".
    topics_per_document : float, "auto" or None, default=None
        Target for the average number of topics per document with sparse codes. If the value is
        "auto" or None, sparse codes have at most 5.5 topics per document on average.
    positive : bool, default=False
        Whether topics must be non-negative. If so, a topic divided by its sum can be read as
        P(word | topic), see `pseudo_probabilities`.
    groups : array of shape (n_words,), mapping or path, optional
        Groups of words; each topic keeps or removes a group as a whole. The value is an array with
        the group of each word, a mapping of word to group, a mapping of set to a list of its words,
        or the path of a GMT file with such sets. A word in no group forms its own group.
    group_weights : array of shape (n_groups,) or mapping of group to weight, optional
        Weights of the groups; an array must be in the order of ``numpy.unique(groups)``. By
        default, the weight is the square root of the number of words of the group.
    overlap : {"copies", "smallest"}, default="copies"
        What to do with words that are in several sets. With "copies", a word has a copy in each of
        its sets, and its weight is the sum of its copies, so the words of a topic are a union of
        whole sets. With "smallest", a word belongs only to the smallest of its sets.
    init : {"pivot", "identity", "random"}, array or sparse matrix, default="pivot"
        Name of an initialisation method (see `laconic.models.sparse_lsa.starts`), or initial topics
        of shape (n_components, n_words), such as ``components_`` of another model.
    stop : {"objective", "paper"}, default="objective"
        With "objective", the fit stops when a pass lowers the objective by less than ``tol`` times
        ``1/2 |X|^2``. With "paper", it stops when no entry of U or A changes by more than 0.01;
        this rule requires documents in memory and does not use momentum.
    max_iter : int, default=200
        Maximum number of passes over the documents.
    tol : float, default=5e-5
        Tolerance of the rule ``stop="objective"``.
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
    components_ : csr_matrix of shape (n_components, n_words)
        The topics: first those of the seeds, then the others in order of decreasing share. Topics
        that would be empty are left out, so there may be fewer topics than requested.
    coding_components_ : csr_matrix of shape (n_components, n_words)
        Only with `words_per_topic` and sparse codes: the topics with all words, which are used to
        code documents. Assigning ``components_`` deletes this attribute.
    topic_shares_ : ndarray of shape (n_components,)
        Share of each topic in the sum of all absolute codes.
    alpha_ : ndarray of shape (n_components,)
        The penalty of each topic; with `words_per_topic`, the threshold below which words were
        removed from the topic.
    code_threshold_ : float
        Only with sparse codes: minimum share of a topic in the code of a document.
    topic_support_ : ndarray of shape (n_components,)
        Only after `fit` with sparse codes: the effective number of documents that share each topic.
    group_names_ : ndarray of str of shape (n_groups,)
        Only with `groups`, like the following attributes: names of the groups.
    group_members_ : csr_matrix of shape (n_groups, n_words)
        The words of each group; each entry is a copy of a word.
    group_found_, group_sizes_ : ndarray of int of shape (n_groups,)
        Number of words of each set that are in the data, and of all words of the set. Both are 0
        for a word in no set.
    group_components_ : csr_matrix of shape (n_components, n_copies)
        Only if groups overlap: the weight of each copy, in the order of the entries of
        ``group_members_``. The sum of the copies of a word is its weight in ``components_``.
        Assigning ``components_`` deletes this attribute.
    objective_ : ndarray of shape (n_passes,)
        Objective of each accepted pass; it never increases. With `words_per_topic`, earlier passes
        in which topics may have more words are left out.
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
    >>> model = SparseLSA(n_components=2, alpha=0.5).fit(X)
    >>> (model.components_.toarray() != 0).astype(int).tolist()
    [[1, 1, 0, 0], [0, 0, 1, 1]]
    >>> model.transform(X[:1]).shape
    (1, 2)
    """

    _parameter_constraints = {
        **SeededModel._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), None],
        "words_per_topic": [Interval(Integral, 1, None, closed="left"), None],
        "codes": [StrOptions({"auto", "sparse", "projection"})],
        "topics_per_document": TOPICS_PER_DOCUMENT,
        "positive": ["boolean"],
        "groups": ["array-like", Mapping, str, os.PathLike, None],
        "group_weights": ["array-like", Mapping, None],
        "overlap": [StrOptions(set(OVERLAPS))],
        "init": [StrOptions(set(STARTS)), "array-like", "sparse matrix"],
        "stop": [StrOptions({"objective", "paper"})],
    }

    WEIGHTING = "tfidf-balanced"
    # On several corpora, non-negative topics are as coherent as topics of NMF with the same
    # weighting, and more coherent than signed topics, with nearly the same classification accuracy.
    PIPELINE_DEFAULTS = {"positive": True, "codes": "sparse"}
    RESET_BY_FIT = ("statistics_", "code_threshold_", "topic_support_", *GROUP_ATTRIBUTES)

    components_: sp.csr_matrix
    group_components_: sp.csr_matrix

    def __init__(
        self,
        n_components: int = 50,
        *,
        alpha: float | None = None,
        words_per_topic: int | None = None,
        codes: str = "auto",
        topics_per_document: float | str | None = None,
        positive: bool = False,
        groups: Any = None,
        group_weights: Sequence[float] | np.ndarray | Mapping[Any, float] | None = None,
        overlap: str = "copies",
        init: Any = "pivot",
        stop: str = "objective",
        max_iter: int = 200,
        tol: float = 5e-5,
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
        self.words_per_topic = words_per_topic
        self.codes = codes
        self.topics_per_document = topics_per_document
        self.positive = positive
        self.groups = groups
        self.group_weights = group_weights
        self.overlap = overlap
        self.init = init
        self.stop = stop
        self.max_iter = max_iter
        self.tol = tol
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
        if self.stop == "paper" and not all(isinstance(chunk, MemoryChunk) for chunk in chunks):
            raise LaconicError(
                "stop='paper' of SparseLSA requires documents in memory, not a corpus on disk; use "
                "the default stop='objective'."
            )
        totals = engine.map_reduce(column_squares, None, chunks)
        n_words = len(totals.squares)
        alpha = self._alpha(totals.n_documents)
        groups = self._set_groups(n_words)
        # With words_per_topic, the thresholds are not known yet, so keep every word that occurs.
        kept_words = screen(totals.squares, 0.0 if self._fits_short_topics else alpha, groups)
        if hasattr(self, "seed_words_"):
            kept_words = np.union1d(kept_words, self.seed_words_.indices)
        documents, chunks = chunks, prepare(engine, chunks, kept_words, n_words)
        start = self._initial_topics(engine, chunks, totals, kept_words)
        solver = self._solver(start, alpha, groups, kept_words, totals, engine, chunks)
        self._iterate(solver, engine, chunks)
        self._store(solver, groups, kept_words, n_words, tidy=True)
        if self._codes_are_sparse:
            self._set_threshold(engine, documents)
            self._sort_by_codes(engine, documents)
        self._count_seed_documents(engine, documents)

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals: ColumnSquares = engine.map_reduce(column_squares, None, chunks)
        n_words = len(totals.squares)
        past = getattr(self, "statistics_", None)
        n_before = 0 if past is None else past[2]
        # Sums of earlier batches get the weight 1 - 1/t, as in online dictionary learning.
        decay = n_before / (n_before + totals.n_documents)
        weight = (0.0 if past is None else decay * past[0][3]) + totals.n_documents
        if hasattr(self, "components_"):
            start = self._coding_topics().T.tocsr().astype(f"f{totals.itemsize}", copy=False)
        else:
            start = self._initial_topics(engine, chunks, totals, np.arange(n_words))
            self.n_iter_, self.converged_, self.objective_ = 0, False, np.zeros(0)
        groups, words = self._set_groups(n_words), np.arange(n_words)
        solver = self._solver(
            start, self._alpha(weight), groups, words, totals, engine, chunks, decay
        )
        if solver.target is not None:
            solver.target.reach()
        # Divide by the square root of the number of documents, so that the sums of all batches have
        # the same scale and can be added.
        solver.params = solver.W / solver.W.dtype.type(np.sqrt(weight))
        solver.step = sum_products
        sums = engine.map_reduce(sum_products, solver.params, chunks)
        if past is not None:
            sums = Sums(*past[0]).scaled(decay).merge(sums)
            solver.square += decay * past[1]
        solver.update(sums)
        fields = (sums.gram, sums.products, sums.mass, sums.n_documents)
        self.statistics_ = (fields, solver.square, n_before + totals.n_documents)
        self.n_iter_ += 1
        self.objective_ = np.append(self.objective_, solver.objective)
        self._store(solver, groups, words, n_words, tidy=False)
        if self._codes_are_sparse and not hasattr(self, "code_threshold_"):
            self._set_threshold(engine, chunks)
        self._count_seed_documents(engine, chunks)

    def _initial_topics(
        self, engine: Engine, chunks: list[Chunk], totals: ColumnSquares, kept_words: np.ndarray
    ) -> Any:
        """Return the initial topics (words x topics) over the words kept by `screen`."""
        dtype, n_words = np.dtype(f"f{totals.itemsize}"), len(kept_words)
        if not isinstance(self.init, str):
            topics = sp.csr_matrix(self._init_topics())
            return topics.T.tocsr()[kept_words].astype(dtype, copy=False)
        n_topics = min(self.n_components, totals.n_documents, n_words)
        if n_topics < self.n_components:
            warn(
                f"{self.n_components} topics were requested, but "
                f"{plural(totals.n_documents, 'document')} with {plural(n_words, 'usable word')} "
                f"can have at most {plural(n_topics, 'topic')}; lower n_components.",
            )
        if n_topics == 0:  # All values are zero, so return one empty topic.
            return np.zeros((n_words, 1), dtype)
        shape, seed = (totals.n_documents, n_words), draw_seed(self.random_state)
        is_l1 = self.groups is None and not self.positive and not self._fits_short_topics
        alpha = self._alpha(totals.n_documents) if is_l1 else None
        start: Any = STARTS[self.init](engine, chunks, shape, n_topics, dtype, seed, alpha)
        if not hasattr(self, "seed_words_"):
            return start
        seeding = Seeding(self.seed_words_[:, kept_words], self.seed_strength, n_topics)
        return start[:, seeding.match(dense(start))[0]]

    def _solver(
        self,
        start: Any,
        alpha: float,
        groups: WordGroups | None,
        kept_words: np.ndarray,
        totals: ColumnSquares,
        engine: Engine,
        chunks: list[Chunk],
        decay: float = 0.0,
    ) -> Procrustes:
        target = None
        if self._fits_short_topics and self.words_per_topic is not None:
            target = WordTarget(self.words_per_topic, self.positive)

        kept_groups = None if groups is None else groups.on(kept_words)

        def penalize(alphas: np.ndarray) -> Penalty:
            if kept_groups is not None:
                return kept_groups.penalty(alphas, self.positive)
            return NonNegative(alphas) if self.positive else L1(alphas)

        return (PaperProcrustes if self.stop == "paper" else Procrustes)(
            start,
            np.full(start.shape[1], alpha),
            penalize,
            square=float(totals.squares.sum()),
            tol=self.tol,
            engine=engine,
            chunks=chunks,
            target=target,
            bonus=self._bonus(totals, kept_words, start.shape[1], decay),
        )

    def _bonus(
        self, totals: ColumnSquares, kept_words: np.ndarray, n_topics: int, decay: float
    ) -> SeedPrior | None:
        """Return the prior of the seeds; `decay` is the weight of earlier batches."""
        if not hasattr(self, "seed_words_"):
            return None
        seeding = Seeding(self.seed_words_[:, kept_words], self.seed_strength, n_topics)
        past = decay * self.seed_totals_ if decay else 0.0
        self.seed_totals_ = seeding.of_words(totals.squares[kept_words]) + past
        return seeding.prior(np.sqrt(self.seed_totals_))

    def _store(
        self,
        solver: Procrustes,
        groups: WordGroups | None,
        kept_words: np.ndarray,
        n_words: int,
        *,
        tidy: bool,
    ) -> None:
        """Set the fitted attributes.

        If `tidy` is true, empty topics are dropped, the other topics are sorted by decreasing
        share, and their signs are fixed.
        """
        topics = solver.W.T.tocsr()
        shares, alpha, copies = solver.mass, solver.alpha, solver.copies
        if tidy:
            order = self._order(topics, shares)
            topics, shares, alpha = topics[order], shares[order], alpha[order]
            n_seeds = self._n_seeds()  # Seed words have positive weights.
            signs = np.ones(len(order)) if self.positive else flip_topics(topics, n_seeds)
            copies = None if copies is None else sp.diags(signs) @ copies[order]
        index = topics.indices.dtype
        topics = csr(
            topics.data,
            kept_words[topics.indices].astype(index),
            topics.indptr,
            (topics.shape[0], n_words),
        )
        self._set_topics(topics)
        if groups is not None and copies is not None:
            self.group_components_ = groups.all_copies(copies.tocsr(), kept_words)
        self.topic_shares_ = shares / (shares.sum() or 1.0)
        self.alpha_ = np.array(alpha, dtype=np.float64)

    def _order(self, topics: sp.csr_matrix, shares: np.ndarray) -> np.ndarray:
        """Return the numbers of the topics of seeds, and of the other non-empty topics by share."""
        filled = np.diff(topics.indptr) > 0
        filled[: self._n_seeds()] = True  # Topics of seeds are never removed.
        if not filled.any():
            if self.alpha is not None and self.alpha > 0:
                other = "" if self.groups is not None else ", or set words_per_topic instead"
                raise LaconicError(
                    f"alpha={self.alpha:g} of SparseLSA leaves no word in any topic; lower "
                    f"alpha{other}."
                )
            return np.zeros(1, dtype=np.intp)
        if not filled.all():
            warn(
                f"{np.count_nonzero(~filled)} of {len(filled)} topics have no words and were "
                "removed; lower alpha or n_components.",
            )
        order = self._topic_order(shares)
        return order[filled[order]]

    # --- checking --------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.alpha is not None and self.words_per_topic is not None:
            raise LaconicError("Set either 'alpha' or 'words_per_topic' of SparseLSA, not both.")
        self._check_codes()
        if self.groups is not None and self.words_per_topic is not None:
            raise LaconicError(
                "'words_per_topic' of SparseLSA cannot be combined with 'groups'; set 'alpha' "
                "instead."
            )
        if self.group_weights is not None and self.groups is None:
            raise LaconicError(
                "'group_weights' of SparseLSA can only be used with 'groups'; set 'groups' too."
            )
        if self.stop == "paper" and self.words_per_topic is not None:
            raise LaconicError(
                "stop='paper' of SparseLSA cannot be combined with 'words_per_topic'; set 'alpha' "
                "instead."
            )

        if self.groups is not None and self.seeds is not None:
            raise LaconicError(
                "'seeds' of SparseLSA cannot be combined with 'groups'; set only one of them."
            )

    def _check_partial_fit(self) -> None:
        if self.stop == "paper":
            raise LaconicError(
                "stop='paper' of SparseLSA is not available in partial_fit, which has no stopping "
                "rule; use the default stop='objective'."
            )

    def _alpha(self, n_documents: float) -> float:
        return ALPHA_SCALE * np.sqrt(n_documents) if self.alpha is None else float(self.alpha)

    def _set_groups(self, n_words: int) -> WordGroups | None:
        """Return the groups of words and store their names, words and sizes."""
        if self.groups is None:
            return None
        names = getattr(self, "feature_names_in_", None)
        groups = word_groups(self.groups, self.group_weights, names, n_words, self.overlap)
        self.group_names_, self.group_members_ = groups.names, groups.members
        self.group_found_, self.group_sizes_ = groups.found, groups.sizes
        return groups


def prepare(engine: Engine, chunks: list[Chunk], kept: np.ndarray, n_words: int) -> list[Chunk]:
    """Prepare chunks for many passes: keep only the words `kept`, and add CSC copies in memory."""
    if len(kept) == n_words:
        return engine.run_tasks(by_column_too, chunks)
    target = np.full(n_words, -1, np.int64)
    target[kept] = np.arange(len(kept))
    columns = ColumnMap(target, len(kept))  # all chunks share it, so it is sent once
    return engine.run_tasks(lambda chunk: by_column_too(map_chunk(chunk, columns)), chunks)


def flip_topics(topics: sp.csr_matrix, n_kept: int = 0) -> np.ndarray:
    """Flip signs in place so that the strongest word of each topic has a positive weight.

    The first `n_kept` topics do not change. Return the factor of each topic, which is 1 or -1.
    """
    signs = np.ones(topics.shape[0])
    for topic, (start, stop) in enumerate(pairwise(topics.indptr)):
        row = topics.data[start:stop]
        if topic >= n_kept and len(row) and row[np.argmax(np.abs(row))] < 0:
            np.negative(row, out=row)
            signs[topic] = -1
    return signs


def screen(squares: np.ndarray, alpha: float, groups: WordGroups | None = None) -> np.ndarray:
    """Return the column numbers of words that can be in a topic.

    These are the words whose norm |x_j| exceeds the penalty. Other words cannot be in any topic,
    because |U_k'x_j| <= |x_j| for any U. Groups of words are kept or dropped as a whole.
    """
    limits = squares if groups is None else groups.limits(squares)
    kept = limits > alpha**2
    if not kept.any() and squares.any():
        raise LaconicError(
            f"alpha={alpha:g} of SparseLSA leaves no word in any topic; for these documents, set "
            f"'alpha' to a value below {np.sqrt(limits.max()):.4g}."
        )
    return np.flatnonzero(kept)
