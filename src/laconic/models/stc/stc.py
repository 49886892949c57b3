"""Sparse topical coding (STC): every document, and every word in a document, has a code.

The model is described in Zhu, Xing: Sparse Topical Coding, UAI 2011. For the counts w_dn of the
words in each document, find topics β_k (rows on the simplex), document codes θ_d and word codes
s_dn, all non-negative, that

    minimise  Σ_d { Σ_n [ ℓ(w_dn, s_dn'β_n) + γ |s_dn - θ_d|² + ρ Ψ(s_dn) ] + λ Ω(θ_d) }

=====================  =========================================================================
paper                  here
=====================  =========================================================================
β                      ``components_``
θ                      the result of ``transform``
s                      the result of ``word_codes``
ℓ Poisson, Gaussian    ``loss``: m - w ln(m + ε), where ε is ``offset``, or (w - m)² / 2
λ, Ω                   ``doc_penalty``, ``doc_norm``
γ                      ``coupling``
ρ, Ψ                   ``word_penalty``, ``word_norm`` (the paper's gaussSTC uses "l2" twice)
=====================  =========================================================================

Differences from the paper:

- Each word code is found by solving an equation for one scalar, and each document code by Newton
  steps; see `laconic.kernels.stc_coding`. Word codes can be computed from θ and β, so only document
  codes are stored.
- Topics are initialised by PLSA. With random initial topics, the fitted topics are incoherent.
- Minimising the paper's objective over β makes topics worse, because the objective rewards
  splitting the vocabulary among topics. By default, β is computed without word codes, from document
  codes only (``dictionary="coupled"``, see `laconic.models.stc.dictionary`). Then no single
  objective is guaranteed to fall, so the fit stops when the topics stop changing. With
  ``dictionary="paper"``, the paper's problem is solved, and its objective never rises.

STC is a poor probabilistic model. To predict words, use PLSA.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from laconic.corpus.chunks import Chunk
from laconic.corpus.sampling import batches_of
from laconic.engines import Engine
from laconic.kernels.stc_pass import EXPLAINED
from laconic.kernels.stc_workspace import Penalties
from laconic.models.base import OnlineModel
from laconic.models.first_topics import admit_words, given_topics, total_counts
from laconic.models.plsa.estimator import PLSA
from laconic.models.seed_priors import SeedPrior
from laconic.models.stc.base import CodingModel, main_topics
from laconic.models.stc.dictionary import make_step
from laconic.models.stc.solver import Blend, Coder, CodingParams, CodingStats, code_chunk

INIT_PASSES = 30


class STC(OnlineModel, CodingModel):
    """Sparse topical coding; ``components_`` is a dense array of word distributions.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics.
    loss : {"poisson", "gaussian"}, default="poisson"
        Loss between the count of a word and the count that its code predicts.
    doc_penalty : float, optional
        λ, the penalty on document codes. The default is 0.1 with the Poisson loss and 0.001 with
        the Gaussian loss.
    coupling : float, default=1
        γ, which determines how strongly the code of a word is pulled towards the code of its
        document.
    word_penalty : float, optional
        ρ, the penalty on word codes. The default is 0.03 with the Poisson loss and 0.00001 with the
        Gaussian loss. Larger values give words fewer topics.
    doc_norm : {"l1", "l2"}, optional
        Norm in the penalty on document codes. The default is "l1" if `topics_per_document` is a
        number, otherwise "l2".
    word_norm : {"l1", "l2"}, default="l1"
        Norm in the penalty on word codes.
    dictionary : {"coupled", "paper"}, default="coupled"
        How topics are updated: "coupled" computes topics from document codes, "paper" computes
        topics from word codes.
    offset : float, default=0.001
        ε, which is added in the logarithm of the Poisson loss, as in the authors' program. If words
        should have few topics, a smaller value such as 0.00001 gives better codes.
    topics_per_word : float, optional
        Target for the mean number of topics per word, instead of `word_penalty`.
    topics_per_document : float, "auto" or None, default=None
        Target for the mean number of topics per document, instead of `doc_penalty`. With
        "auto", the fit does not change, but `transform` drops the topics with the smallest shares
        in each document, so that documents have at most 5.5 topics on average; see
        `laconic.models.few_topics`.
    batch_size : int, optional
        Number of documents after which the topics are updated. By default, topics are updated once
        per pass.
    max_iter : int, default=20
        Maximum number of passes over the documents, not counting the initialisation.
    tol : float, default=0.05
        The fit stops when the mean l1 distance between topics before and after a pass is at most
        `tol`.
    init : array or sparse matrix of shape (n_components, n_words), optional
        Initial topics, such as ``components_`` of another model. By default, the topics of a short
        PLSA fit are used.
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
        The topics: first those of the seeds, then the others in order of decreasing share. Each row
        sums to one.
    topic_shares_ : ndarray of shape (n_components,)
        Share of each topic in the sum of all document codes.
    doc_penalty_, word_penalty_ : float
        The penalties λ and ρ: the values of the parameters, or the values found for the targets.
    word_topics_ : csr_matrix of shape (n_words, n_components)
        Part w s_k β_k / m of each word's count that each topic explains, summed over the fitted
        documents.
    objective_ : ndarray of shape (n_passes,)
        Coding objective of each pass. With ``dictionary="paper"``, it never rises.
    divergence_ : ndarray of shape (n_passes,)
        With ``dictionary="coupled"``: the objective of the topic update, which is the negative
        log-likelihood of π'β, where the mixtures π are close to the document codes θ.
    topic_counts_ : ndarray of shape (n_components,)
        With ``dictionary="coupled"``: expected number of word occurrences of each topic.
    topic_mass_ : ndarray of shape (n_components,)
        Sum of the document codes for each topic.
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
        Sums over the documents fitted so far, to which the next `partial_fit` adds the sums of its
        batch; sums of earlier batches count less. Set by `partial_fit`, and with
        ``dictionary="paper"`` also by `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> model = STC(n_components=2).fit(X)
    >>> (model.transform(X).toarray() > 1).astype(int).tolist()
    [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> model.word_codes(X)[0].shape
    (4, 2)
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **CodingModel._parameter_constraints,
        "dictionary": [StrOptions({"coupled", "paper"})],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_components: int = 50,
        *,
        loss: str = "poisson",
        doc_penalty: float | None = None,
        coupling: float = 1.0,
        word_penalty: float | None = None,
        doc_norm: str | None = None,
        word_norm: str = "l1",
        dictionary: str = "coupled",
        offset: float = 0.001,
        topics_per_word: float | None = None,
        topics_per_document: float | str | None = None,
        batch_size: int | None = None,
        max_iter: int = 20,
        tol: float = 0.05,
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
        self.loss = loss
        self.doc_penalty = doc_penalty
        self.coupling = coupling
        self.word_penalty = word_penalty
        self.doc_norm = doc_norm
        self.word_norm = word_norm
        self.dictionary = dictionary
        self.offset = offset
        self.topics_per_word = topics_per_word
        self.topics_per_document = topics_per_document
        self.batch_size = batch_size
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
        self._check_size(self.n_features_in_)
        words = self._initial_topics(engine, chunks)
        penalties = self._find_penalties(engine, chunks, words)
        batches, blend = None, None
        n_documents = chunks[-1].stop - chunks[0].start
        if self.batch_size is not None and self.batch_size < n_documents:
            chunks, batches = batches_of(chunks, self.batch_size)
            blend = Blend(len(batches))
        prior = None
        if hasattr(self, "seed_words_"):
            prior = self._seed_prior(engine.map_reduce(total_counts, None, chunks).words)
        solver = self._make_solver(words, penalties, chunks, blend, prior)
        self._iterate(solver, engine, chunks, batches)
        self.divergence_ = np.array(solver.divergence if self._is_coupled() else [])
        self.n_documents_ = n_documents
        if self._has_targets():  # Search again, because topics have changed since the first search.
            penalties = self._find_penalties(engine, chunks, solver.words)
            solver.local = [None] * len(chunks)
        order = self._finish(engine, chunks, solver.words, penalties, solver.local)
        if batches is None:  # With batches, codes are not stored in the order of the documents.
            self._collect_codes(engine, chunks, solver.local, order)
        if self._is_coupled():
            self.topic_counts_ = solver.numerator.sum(axis=0, dtype=np.float64)[order]
        else:  # `partial_fit` needs these sums, which cannot be recomputed from the topics.
            sums = solver.numerator[:, order], solver.denominator[:, order]
            self.statistics_ = (*sums, self.topic_mass_, n_documents)

    def _is_coupled(self) -> bool:
        return self.dictionary == "coupled"

    def _make_solver(
        self,
        words: np.ndarray,
        penalties: Penalties,
        chunks: list[Chunk],
        blend: Blend | None = None,
        prior: SeedPrior | None = None,
    ) -> Coder:
        step = make_step(self.dictionary, penalties.poisson, prior)
        return Coder(words, penalties, step, self.tol, len(chunks), blend)

    def _initial_topics(self, engine: Engine, chunks: list[Chunk]) -> np.ndarray:
        if self.init is not None:
            totals = engine.map_reduce(total_counts, None, chunks)
            return admit_words(given_topics(self, totals), totals.words)
        plsa = PLSA(
            self.n_components,
            max_iter=INIT_PASSES,
            tol=5e-4,
            random_state=self.random_state,
            verbose=self.verbose,
        )
        plsa._inherit_seeds(self)
        return plsa._fit_topics(engine, chunks)

    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        totals = engine.map_reduce(total_counts, None, chunks)
        numerator, denominator, mass, n_before = self._past_sums()
        if hasattr(self, "components_"):
            words = admit_words(self._words_topics(), totals.words)
            penalties = self._fitted_penalties()
        else:
            self._check_size(self.n_features_in_)
            words = self._initial_topics(engine, chunks)
            penalties = self._find_penalties(engine, chunks, words)
            self._store_penalties(penalties)
            self.word_topics_ = sp.csr_matrix(words.shape, dtype=words.dtype)
            self.n_iter_, self.converged_ = 0, False
            self.objective_ = self.divergence_ = np.zeros(0)
        n_batch = totals.n_documents
        decay = n_before / (n_before + n_batch)
        prior = self._seed_prior(totals.words, decay)
        solver = self._make_solver(words, penalties, chunks, prior=prior)
        stats: CodingStats = engine.map_reduce(solver.step, solver.params, chunks)
        stats = solver.complete(stats)
        numerator = decay * numerator + stats.numerator
        denominator = decay * denominator + stats.denominator
        mass = decay * mass + stats.mass
        self.statistics_ = (numerator, denominator, mass, n_before + n_batch)
        self.n_documents_ = n_before + n_batch
        solver.advance(numerator, denominator)
        self.objective_ = np.append(self.objective_, stats.objective)
        if self._is_coupled():
            self.divergence_ = np.append(self.divergence_, -stats.likelihood)
        self.n_iter_ += 1
        self._store_topics(solver.words, mass, tidy=False)
        params = CodingParams(solver.words, penalties, EXPLAINED)
        explained = engine.map_reduce(code_chunk, params, chunks).numerator
        self.word_topics_ = sp.csr_matrix(self.word_topics_ + main_topics(explained))
        if n_before == 0:
            self._limit_topics(engine, chunks)
        self._count_seed_documents(engine, chunks)

    def _past_sums(self) -> tuple[Any, Any, Any, int]:
        """Return the numerator, denominator, mass and number of documents of earlier batches."""
        if hasattr(self, "statistics_"):
            numerator, denominator, mass, n_documents = self.statistics_
            return numerator, denominator, mass, n_documents
        if hasattr(self, "components_"):
            counts = self.topic_counts_.astype(self.components_.dtype)
            return self._words_topics() * counts, 0.0, self.topic_mass_, self.n_documents_
        return 0.0, 0.0, 0.0, 0
