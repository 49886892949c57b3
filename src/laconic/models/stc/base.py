"""Base class of STC and MedSTC: common parameters, penalties and `transform`."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine, make_engine
from laconic.engines.base import Step
from laconic.engines.blocks import RunTasks, row_blocks, run_here
from laconic.errors import LaconicError
from laconic.kernels.stc_pass import EXPLAINED
from laconic.kernels.stc_workspace import Penalties
from laconic.models.base import TOPICS_PER_DOCUMENT, as_codes, draw_seed
from laconic.models.distributions import DistributionModel
from laconic.models.edits.records import edits_of
from laconic.models.edits.word_codes import recode_words
from laconic.models.few_topics import drop_weak, model_threshold, target_of
from laconic.models.stc.solver import (
    CodingParams,
    CodingStats,
    Targets,
    code,
    code_chunk,
    meet_targets,
)
from laconic.models.stc.word_codes import WordCodes, encode_chunk

if TYPE_CHECKING:
    import polars as pl


class CodingModel(DistributionModel):
    """Base class of STC and MedSTC."""

    loss: str
    doc_penalty: float | None
    coupling: float
    word_penalty: float | None
    doc_norm: str | None
    word_norm: str
    offset: float
    topics_per_word: float | None
    topics_per_document: float | str | None
    doc_penalty_: float
    word_penalty_: float
    word_topics_: sp.csr_matrix

    _parameter_constraints: dict[str, list[Any]] = {
        **DistributionModel._parameter_constraints,
        "loss": [StrOptions({"poisson", "gaussian"})],
        "doc_penalty": [Interval(Real, 0, None, closed="left"), None],
        "coupling": [Interval(Real, 0, None, closed="neither")],
        "word_penalty": [Interval(Real, 0, None, closed="left"), None],
        "doc_norm": [StrOptions({"l1", "l2"}), None],
        "word_norm": [StrOptions({"l1", "l2"})],
        "offset": [Interval(Real, 0, None, closed="neither")],
        "topics_per_word": [Interval(Real, 0, None, closed="neither"), None],
        "topics_per_document": TOPICS_PER_DOCUMENT,
    }

    # default values of doc_penalty and word_penalty for each loss
    PENALTIES: dict[str, tuple[float, float]] = {
        "poisson": (0.1, 0.03),
        "gaussian": (1e-3, 1e-5),
    }
    WEIGHTING = "log-counts"
    PIPELINE_DEFAULTS: dict[str, Any] = {"topics_per_document": "auto"}

    # --- using -----------------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Return the document codes θ as CSR, or as an array with ``sparse_output=False``."""
        check_is_fitted(self, "components_")
        step, params = self._coder()
        return self._encode(X, step, (*params, self._sparse_codes()))

    def _coder(self) -> tuple[Step, tuple[Any, ...]]:
        threshold = getattr(self, "code_threshold_", 0.0)  # not set without a fit
        words_topics = self._unedited()._words_topics()
        return encode_documents, (words_topics, self._fitted_penalties(), threshold)

    def word_codes(self, X: Any) -> WordCodes:
        """Return the word codes s, as one CSR matrix of words x topics for each document.

        Parameters
        ----------
        X : Corpus, sparse matrix or array

        Returns
        -------
        WordCodes
            A sequence of matrices, one per document. The attribute ``entries`` contains the codes
            of all words, in the order in which `X` stores their counts.
        """
        check_is_fitted(self, "components_")
        chunks = self._chunks(X, reset=False)
        model = self._unedited()
        params = model._words_topics(), self._fitted_penalties()
        with make_engine(self.engine, self.n_jobs) as engine:
            parts = list(engine.map(encode_chunk, params, chunks))
        codes = WordCodes.join(parts, model.components_.shape)
        if edits := edits_of(self):
            codes.entries = recode_words(codes.entries, codes.columns, edits)
        return codes

    def senses(self, word: str, corpus: Any = None, n_examples: int = 3) -> pl.DataFrame:
        """Return the topics in which a word is used, with the strongest topic first.

        Parameters
        ----------
        word : str
            A word of the vocabulary. If the model was fitted without word names, the column number
            of the word.
        corpus : Corpus, optional
            Documents from which examples are chosen.
        n_examples : int, default=3
            Number of example documents per topic.

        Returns
        -------
        polars.DataFrame
            Table with the columns ``topic``, ``weight`` (share of the word that the topic explains)
            and ``words`` (of the topic). With a corpus, the table also has the columns ``examples``
            (titles, ids or numbers of documents) and ``documents`` (row numbers).
        """
        from laconic.fitted.senses import senses

        return senses(self, word, corpus, n_examples=n_examples)

    # --- penalties -------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        super().check_parameters()
        name = type(self).__name__
        if self.topics_per_word is not None:
            if self.word_penalty is not None:
                raise LaconicError(
                    f"Set either 'word_penalty' or 'topics_per_word' of {name}, not both."
                )
            if self.word_norm != "l1":
                raise LaconicError(
                    f"'topics_per_word' of {name} requires word_norm='l1', but word_norm is "
                    f"{self.word_norm!r}."
                )
        if self._document_target is not None:
            if self.doc_penalty is not None:
                raise LaconicError(
                    f"Set either 'doc_penalty' or 'topics_per_document' of {name}, not both."
                )
            if self.doc_norm == "l2":
                raise LaconicError(
                    f"'topics_per_document' of {name} requires doc_norm='l1', but doc_norm is 'l2'."
                )

    def _has_targets(self) -> bool:
        return self.topics_per_word is not None or self._document_target is not None

    @property
    def _document_target(self) -> float | None:
        """Average number of topics per document that the penalty should give, or None."""
        return target_of(self.topics_per_document)

    def _limit_topics(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Choose the threshold of `transform`, which is 0 unless the target is "auto"."""
        self.code_threshold_ = 0.0
        if self.topics_per_document == "auto":
            params = self._words_topics(), self._fitted_penalties(), 0.0, False
            self.code_threshold_ = model_threshold(
                self, engine, chunks, draw_seed(self.random_state), encode_documents, params
            )

    def _initial_penalties(self) -> tuple[float, float]:
        """Return the penalties λ and ρ that the user has set, or their defaults."""
        doc_default, word_default = self.PENALTIES[self.loss]
        return (
            doc_default if self.doc_penalty is None else float(self.doc_penalty),
            word_default if self.word_penalty is None else float(self.word_penalty),
        )

    def _make_penalties(self, doc_penalty: float, word_penalty: float) -> Penalties:
        doc_norm = self.doc_norm or ("l2" if self._document_target is None else "l1")
        return Penalties(
            float(self.coupling),
            word_penalty if self.word_norm == "l1" else 0.0,
            word_penalty if self.word_norm == "l2" else 0.0,
            doc_penalty if doc_norm == "l1" else 0.0,
            doc_penalty if doc_norm == "l2" else 0.0,
            float(self.offset),
            self.loss == "poisson",
        )

    def _fitted_penalties(self) -> Penalties:
        return self._make_penalties(self.doc_penalty_, self.word_penalty_)

    def _store_penalties(self, penalties: Penalties) -> None:
        self.word_penalty_ = penalties.word_l1 or penalties.word_l2
        self.doc_penalty_ = penalties.doc_l1 or penalties.doc_l2

    # --- fitting ---------------------------------------------------------------------------------

    def _find_penalties(self, engine: Engine, chunks: list[Chunk], words: np.ndarray) -> Penalties:
        penalties = self._make_penalties(*self._initial_penalties())
        if self._has_targets():
            targets = Targets(self.topics_per_word, self._document_target)
            seed = draw_seed(self.random_state)
            penalties = meet_targets(engine, chunks, words, penalties, targets, seed)
        return penalties

    def _finish(
        self,
        engine: Engine,
        chunks: list[Chunk],
        words: np.ndarray,
        penalties: Penalties,
        codes: list[Any] | None,
    ) -> np.ndarray:
        """Compute the codes for the final topics in another pass, and store the topics.

        Returns the order in which the topics are stored.
        """
        stats: CodingStats = engine.map_reduce(
            code_chunk, CodingParams(words, penalties, EXPLAINED), chunks, codes
        )
        order = self._store_topics(words, stats.mass, tidy=True, run=engine.run_tasks)
        self.topic_mass_ = stats.mass[order]
        self.word_topics_ = main_topics(stats.numerator, order, engine.run_tasks)
        self._store_penalties(penalties)
        self._limit_topics(engine, chunks)
        self._count_seed_documents(engine, chunks)
        return order


def main_topics(
    explained: np.ndarray, order: np.ndarray | None = None, run: RunTasks = run_here
) -> sp.csr_matrix:
    """Return the counts that topics explain (words x topics) as CSR.

    For each word, topics that explain less than 1 % of the word's count are dropped. The topics are
    sorted by `order`.
    """
    columns = np.arange(explained.shape[1]) if order is None else order

    def keep(rows: slice) -> sp.csr_matrix:
        block = np.take(explained[rows], columns, axis=1)
        block[block < 0.01 * block.sum(axis=1, keepdims=True)] = 0
        return as_codes(block, True)

    return sp.vstack(run(keep, row_blocks(*explained.shape)), format="csr")


def encode_documents(
    params: tuple[np.ndarray, Penalties, float, bool], chunk: Chunk, state: None
) -> tuple[Any, None]:
    """Step: compute the codes of a chunk, without topics whose share is below a threshold."""
    words, penalties, threshold, sparse = params
    X = chunk.load()
    words = words.astype(np.result_type(X.dtype, words.dtype), copy=False)
    codes = code(X, words, penalties)[0]
    drop_weak(codes, threshold)
    return as_codes(codes, sparse), None
