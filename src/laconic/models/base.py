"""Base classes of all models: input checks, parameters, codes, and the course of a fit."""

from __future__ import annotations

import copy
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_array, check_is_fitted

from laconic.corpus.chunks import (
    Chunk,
    MappedChunk,
    MemoryChunk,
    chunk_divisor,
    memory_chunks,
)
from laconic.corpus.corpus import Corpus
from laconic.corpus.inputs import FLOATS, check_corpus, check_matrix, check_not_negative
from laconic.corpus.matrices import as_codes
from laconic.engines import Engine, make_engine
from laconic.engines.base import Step
from laconic.engines.callbacks import CallbackSupportMixin, with_callbacks
from laconic.engines.malloc import release_memory
from laconic.engines.scratch import scratch_arrays
from laconic.engines.tree import group_size
from laconic.errors import LaconicError, warn
from laconic.models.checkpoint import Checkpoint, open_checkpoint
from laconic.models.edits.attributes import fields_of
from laconic.models.edits.recoding import make_recoding, recoded
from laconic.models.edits.records import ATTRIBUTE as EDITS
from laconic.models.edits.records import Record, edited_rows, edits_of, repeated, unedited
from laconic.models.few_topics import drop_weak
from laconic.models.passes import Passes, Solver, run_passes
from laconic.wording import plural

T = TypeVar("T")

MAX_CODES = 1 << 26  # codes of documents between passes, above which they are kept on disk
LARGE = 1 << 20  # number of statistics above which their memory is returned to the system
TYPICAL_TOPICS = 50  # assumed number of topics if a model chooses it during the fit
# constraint of the parameter `topics_per_document`
TOPICS_PER_DOCUMENT = [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), None]


class TopicModel(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, CallbackSupportMixin, BaseEstimator
):
    """Base class of all models: input checks, the fit loop, and the cache of derived values."""

    COUNTS_ONLY = False  # whether negative input values raise an error

    _parameter_constraints: dict[str, list[Any]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "init": ["array-like", "sparse matrix", None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "engine": [str],
        "n_jobs": [Integral, None],
        "checkpoint": [str, os.PathLike, None],
        "sparse_output": ["boolean"],
        "verbose": ["verbose"],
    }

    components_: Any
    edits_: list[Record]  # only if the model was edited
    n_components: Any
    init: Any
    max_iter: int
    engine: str
    n_jobs: int | None
    checkpoint: str | os.PathLike[str] | None
    sparse_output: bool
    verbose: int
    _collects_codes = False  # True during fit_transform
    _codes: Any = None  # codes collected by fit_transform
    _codes_in_parts = False  # True in the copies that `transform_parts` makes
    # True if the model is fitted inside another fit or search, which Ctrl-C must then end as well
    _nested = False
    _checkpoint: Checkpoint | None = None  # the checkpoint of the running fit
    # True if the caller deletes the checkpoint, which is stored in `_kept_checkpoint`
    _keeps_checkpoint = False
    _kept_checkpoint: Checkpoint | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Copy assigned topics unless they are read-only, because values derived from the topics
        are cached and the caller could still change the original array.

        Documents are then coded with the assigned topics, so ``coding_components_`` is deleted, and
        so are ``group_components_`` and the record of edits.
        """
        if name == "components_":
            if name in self.__dict__:  # False while a model is loaded
                self.__dict__.pop("coding_components_", None)
                self.__dict__.pop("group_components_", None)
                self.__dict__.pop(EDITS, None)
            if any(map(_is_writeable, _parts(value))):
                value = value.copy()
        super().__setattr__(name, value)

    def _derived(self, name: str, make: Callable[[], T], *learned: Any) -> T:
        """Return ``make()``; the result is cached until the topics or `learned` are replaced.

        The topics and the arrays in `learned` become read-only, so that changing them in place
        raises an error instead of silently leaving the cache out of date. Assigning new arrays to
        the attributes is allowed.
        """
        sources = [part for value in (self.components_, *learned) for part in _parts(value)]
        cache = self.__dict__.setdefault("_cache", {})
        if name in cache and list(map(id, cache[name][0])) == list(map(id, sources)):
            return cache[name][1]
        for source in sources:
            _set_read_only(source)
        value = make()
        cache[name] = sources, value
        return value

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to be pickled, without the cache, which can be recomputed."""
        return {name: value for name, value in super().__getstate__().items() if name != "_cache"}

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def check_parameters(self) -> None:
        """Raise an error if a parameter, or a combination of parameters, is invalid."""
        self._validate_params()

    @contextmanager
    def _fitting(self, X: Any, y: Any) -> Iterator[tuple[Engine, list[Chunk]]]:
        """Context manager of ``fit``: set up the callbacks, the chunks of `X` and an engine."""
        self.__dict__.pop(EDITS, None)
        task = self._init_callback_context(max_subtasks=self.max_iter)
        task.call_on_fit_task_begin(estimator=self, X=X, y=y)
        chunks = self._chunks(X, reset=True)
        n_statistics = self.n_features_in_ * self._n_topics()
        group = group_size(n_statistics, _n_nonzeros(X, chunks), len(chunks))
        with make_engine(self.engine, self.n_jobs, group) as engine, scratch_arrays():
            n_codes = len(X) * self._n_topics() if isinstance(X, Corpus) and X.path else 0
            engine.states.on_disk = n_codes > MAX_CODES
            if self.checkpoint is None:
                yield engine, chunks
            else:
                labels = getattr(X, "labels", None) if y is None else y
                with self._checkpointing(open_checkpoint(self, engine, chunks, labels)):
                    yield engine, chunks
        if n_statistics > LARGE:
            release_memory()
        task.call_on_fit_task_end(estimator=self, X=X, y=y)

    @contextmanager
    def _checkpointing(self, checkpoint: Checkpoint) -> Iterator[None]:
        """Context manager of a fit with a checkpoint, which is deleted if the fit succeeds."""
        self._checkpoint = checkpoint
        try:
            yield
        finally:
            del self._checkpoint
        if self._keeps_checkpoint:
            self._kept_checkpoint = checkpoint
        else:
            checkpoint.finish()

    def _chunks(self, X: Any, *, reset: bool) -> list[Chunk]:
        """Check `X` (a Corpus, sparse matrix or array) and return it as chunks of floats."""
        if isinstance(X, Corpus):
            corpus = check_corpus(self, X, reset=reset)
            chunks = _float_chunks(corpus, self._chunk_divisor(corpus.shape[1]))
        else:
            X = check_matrix(self, X, reset=reset)
            chunks = memory_chunks(X, split=self._chunk_divisor(X.shape[1]))
        if self.COUNTS_ONLY:
            for chunk in chunks:
                if isinstance(chunk, MemoryChunk):
                    check_not_negative(self, chunk.X)
        return chunks

    def _chunk_divisor(self, n_words: int) -> float:
        """Return the number by which the default chunk size is divided."""
        return chunk_divisor(n_words, self._n_topics())

    def _n_topics(self) -> int:
        """Return the number of topics; if it is not chosen yet, return a typical number."""
        return int(self.n_components or TYPICAL_TOPICS)

    def _sparse_codes(self) -> bool:
        """Return whether `transform` returns CSR; False if `transform` returns data frames."""
        wants_frame = _get_output_config("transform", self)["dense"] != "default"
        return self.sparse_output and not wants_frame

    def _map(self, X: Any, step: Step, params: Any) -> list[Any]:
        """Apply `step` to each chunk of `X` and return the list of results."""
        chunks = self._chunks(X, reset=False)
        with make_engine(self.engine, self.n_jobs) as engine:
            return list(engine.map(step, params, chunks))

    def _encode(self, X: Any, step: Step, params: Any) -> Any:
        """Compute the codes of each chunk of `X` with `step`, and stack the results.

        In `transform_parts`, an iterator over the codes of the chunks is returned instead.
        """
        chunks = self._chunks(X, reset=False)
        if edits := edits_of(self):
            fitted = self._unedited()._reconstruction_topics
            recoding = self._derived(
                "recoding", lambda: make_recoding(edits, fitted()), self.edits_
            )
            step, params = recoded, (step, params, recoding)
        if self._codes_in_parts:
            return self._encode_chunks(chunks, step, params)
        if len(chunks) == 1:  # No engine is started, so one document takes only microseconds.
            return step(params, chunks[0], None)[0]
        if not chunks:
            empty = np.zeros((0, self.components_.shape[0]), self.components_.dtype)
            return sp.csr_matrix(empty) if self._sparse_codes() else empty
        with make_engine(self.engine, self.n_jobs) as engine:
            return self._stack(list(engine.map(step, params, chunks)))

    def _encode_chunks(self, chunks: list[Chunk], step: Step, params: Any) -> Iterator[Any]:
        if len(chunks) == 1:
            yield step(params, chunks[0], None)[0]
        elif chunks:
            with make_engine(self.engine, self.n_jobs) as engine:
                yield from engine.map(step, params, chunks)

    def transform_parts(self, X: Any) -> Iterator[Any]:
        """Yield the codes of consecutive blocks of documents, in the same form as `transform`.

        Stacked, the blocks are equal to ``transform(X)``. If `X` is a corpus on disk, only a few
        blocks of documents and codes are in memory at the same time.

        Examples
        --------
        >>> import laconic
        >>> corpus, _ = laconic.datasets.make_topics(50, 100, 3, words_per_topic=10)
        >>> model = laconic.SparseLSA(n_components=3).fit(corpus)
        >>> sum(codes.shape[0] for codes in model.transform_parts(corpus))
        50
        """
        coder = copy.copy(self)
        coder.__dict__.pop("_sklearn_output_config", None)  # The copy would share it with `self`.
        coder.set_output(transform="default")
        coder._codes_in_parts = True
        return coder.transform(X)

    def drop_weak(self, codes: np.ndarray, threshold: float) -> None:
        """Drop the topics whose share is below a threshold, as `transform` does, in place.

        `codes` is an array of the codes of all topics.
        """
        drop_weak(codes, threshold)

    def _stack(self, codes: list[Any]) -> Any:
        """Stack the codes of all chunks into one matrix."""
        return sp.vstack(codes, format="csr") if self._sparse_codes() else np.vstack(codes)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit the model to `X` and return the codes of `X` in the same form as `transform`.

        Most models compute the codes of all documents at the end of a fit. For these models, no
        further pass over the documents is needed.
        """
        self._collects_codes = True
        try:
            self.fit(X, y, **fit_params)
            codes = self._codes
        finally:
            for name in ("_collects_codes", "_codes"):
                self.__dict__.pop(name, None)
        return self.transform(X) if codes is None else codes

    def inverse_transform(self, X: Any) -> Any:
        """Reconstruct documents from their codes, as the expected value of each word.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_documents, n_topics)
            Codes as returned by `transform`.

        Returns
        -------
        ndarray or csr_matrix of shape (n_documents, n_words)
            The codes times the topics with which documents are coded. The result has the scale of
            the documents of the fit: word frequencies for PLSA and SCTM, the background for PCP,
            and weighted counts for the other models. It is dense if the topics are dense, so pass
            only as many documents as fit in memory.
        """
        check_is_fitted(self, "components_")
        codes = check_array(X, accept_sparse="csr", dtype=FLOATS, input_name="codes")
        n_topics = self.components_.shape[0]
        if codes.shape[1] != n_topics:
            raise LaconicError(
                "The codes passed to inverse_transform have "
                f"{plural(codes.shape[1], 'column')}, but {type(self).__name__} has "
                f"{plural(n_topics, 'topic')}; pass codes returned by transform."
            )
        topics = self._unedited()._reconstruction_topics()
        if edits := edits_of(self):
            topics = edited_rows(topics, self._unedited().topic_shares_, edits)
        return codes @ topics

    def _unedited(self) -> Any:
        """Return the model with the topics of the fit, with which documents are always coded.

        If the model has no edits, it is the model itself.
        """
        if not edits_of(self):
            return self
        arrays, cache = self._derived("unedited", self._unedited_arrays, self.edits_)
        model = copy.copy(self)  # Parameters and thresholds may have changed.
        model.__dict__.pop(EDITS)
        model.__dict__.update(arrays, _cache=cache)
        return model

    def _unedited_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the attributes of `_unedited`, and its cache."""
        return _arrays(unedited(self)), {}

    def _reconstruction_topics(self) -> Any:
        """Return the topics by which codes are multiplied to reconstruct documents."""
        return self._coding_topics()

    def _coding_topics(self) -> Any:
        """Return the topics with which documents are coded."""
        return getattr(self, "coding_components_", self.components_)

    def _init_topics(self) -> Any:
        """Check the topics passed as `init` and return them as an array or CSR."""
        name, n_words = type(self).__name__, self.n_features_in_
        topics = check_array(
            self.init, accept_sparse="csr", dtype=FLOATS, input_name="init", estimator=self
        )
        shape = self.n_components or topics.shape[0], n_words
        if topics.shape != shape:
            raise LaconicError(
                f"init of {name} has shape {topics.shape}, but must have shape {shape} for "
                f"{shape[0]} topics (n_components) and {n_words} words."
            )
        return topics

    def _collect_codes(
        self, engine: Engine, chunks: Sequence[Chunk], codes: list[Any] | None, order: np.ndarray
    ) -> None:
        """Store the codes of all chunks for `fit_transform`, with the topics sorted by `order`."""
        if self._collects_codes and codes is not None:
            params = order, getattr(self, "code_threshold_", 0.0), self._sparse_codes()
            self._codes = self._stack(list(engine.map(ordered_codes, params, chunks, codes)))

    def _iterate(
        self,
        solver: Solver,
        engine: Engine,
        chunks: Sequence[Chunk],
        batches: Sequence[Sequence[int]] | None = None,
        passes_before: int = 0,
    ) -> None:
        """Run the fit loop and set ``objective_``, ``n_iter_`` and ``converged_``.

        `passes_before` is the number of passes that an earlier solver made in the same fit; these
        passes count towards ``max_iter``.

        If `batches` (lists of chunk numbers) are passed, the solver is updated after each batch.
        The objective and the test for convergence then come from the last update of each pass.
        """
        name = type(self).__name__
        context = getattr(self, "_callback_fit_ctx", None)
        start = Passes(passes_before, [])
        passes = run_passes(
            self, name, solver, engine, chunks, start, self.max_iter, batches, context
        )
        self.n_iter_, self.converged_ = passes.n_iter, passes.converged
        self.objective_ = np.array(passes.objective)
        if not passes.finished:
            warn(
                f"{name} was interrupted after {plural(self.n_iter_, 'pass', 'passes')}; the model "
                f"can be used, but has not converged.{self._how_to_continue()}",
                ConvergenceWarning,
            )
        elif not self.converged_ and self.n_iter_ == self.max_iter:
            warn(
                f"{name} did not converge in {plural(self.max_iter, 'pass', 'passes')}; increase "
                "max_iter or tol.",
                ConvergenceWarning,
            )

    def _how_to_continue(self) -> str:
        """Return the end of the warning after Ctrl-C."""
        if self._checkpoint is None:
            return ""
        return " To continue, fit again with the same checkpoint."

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.COUNTS_ONLY
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class OnlineModel(TopicModel, ABC):
    """Base class of models with both `fit` and `partial_fit`."""

    RESET_BY_FIT: tuple[str, ...] = ("statistics_",)  # attributes that `fit` deletes at the start

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn topics from `X`, which is a Corpus, sparse matrix or array (documents x words)."""
        self.check_parameters()
        with self._fitting(X, y) as (engine, chunks):
            for name in self.RESET_BY_FIT:
                self.__dict__.pop(name, None)
            self._fit_chunks(engine, chunks)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the topics with another batch of documents.

        With each new batch, earlier batches get less weight. The first batch determines the initial
        topics and any penalty that is chosen to meet a target, so it should contain several times
        as many documents as there are topics.
        """
        self.check_parameters()
        self._check_partial_fit()
        if edits := edits_of(self):
            fitted = unedited(self).partial_fit(X, y)
            self.__dict__.update(repeated(fitted, edits).__dict__)
            return self
        chunks = self._chunks(X, reset=not hasattr(self, "components_"))
        if not chunks:
            raise LaconicError(f"partial_fit of {type(self).__name__} needs at least one document.")
        with make_engine(self.engine, self.n_jobs) as engine:
            self._add_batch(engine, chunks)
        return self

    def _check_partial_fit(self) -> None:
        """Raise an error for parameters that `partial_fit` does not support."""

    @abstractmethod
    def _fit_chunks(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Fit the model to all documents."""

    @abstractmethod
    def _add_batch(self, engine: Engine, chunks: list[Chunk]) -> None:
        """Update the model with another batch of documents."""


def _float_chunks(corpus: Corpus, split: float) -> list[Chunk]:
    """Return the chunks of a corpus as floats; a corpus in memory is converted only once."""
    if corpus.path is None:
        return memory_chunks(as_float(corpus.matrix), corpus.bounds(split))
    if corpus.weighting is not None:
        return corpus.chunks(split)
    return [MappedChunk(chunk, (as_float,)) for chunk in corpus.chunks(split)]


def _n_nonzeros(X: Any, chunks: Sequence[Chunk]) -> int:
    """Return the number of entries of `X`, which is a Corpus or has its chunks in memory."""
    if isinstance(X, Corpus):
        return X.n_stored
    return sum(chunk.X.nnz for chunk in chunks if isinstance(chunk, MemoryChunk))


def _arrays(model: TopicModel) -> dict[str, Any]:
    """Return the fitted attributes of a model that have an axis of topics, and its parameters."""
    names = {name.partition(".")[0] for name, _, _ in fields_of(model)}
    return {name: vars(model)[name] for name in (*names, "n_components")}


def _parts(value: Any) -> tuple[Any, ...]:
    """Return the arrays that store a sparse matrix; return any other value as it is."""
    if not sp.issparse(value):
        return (value,)
    # `tocsr` returns CSR unchanged. It converts other formats to new arrays on every call, so the
    # cache never finds values derived from other formats.
    rows = value.tocsr()
    return rows.data, rows.indices, rows.indptr


def _is_writeable(value: Any) -> bool:
    """Return whether `value` is a writeable array or a view of a writeable array."""
    while isinstance(value, np.ndarray) and not value.flags.writeable:
        value = value.base
    return isinstance(value, np.ndarray)


def _set_read_only(value: Any) -> None:
    """Make an array read-only; if it is a view, make the underlying arrays read-only too."""
    while isinstance(value, np.ndarray):
        value.flags.writeable = False
        value = value.base


def ordered_codes(
    params: tuple[np.ndarray, float, bool], chunk: Chunk, codes: np.ndarray
) -> tuple[Any, np.ndarray]:
    """Step: reorder the topics in the codes, and drop topics whose share is below a threshold."""
    order, threshold, sparse = params
    ordered = codes[:, order]
    drop_weak(ordered, threshold)
    return as_codes(ordered, sparse), codes


def as_float(X: sp.csr_matrix) -> sp.csr_matrix:
    """Return a float matrix unchanged, and any other matrix converted to float32."""
    return X if X.dtype.kind == "f" else X.astype(np.float32)


def draw_seed(random_state: Any) -> int:
    """Return `random_state` if it is an integer, otherwise an integer drawn from it."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
