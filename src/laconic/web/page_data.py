"""All that a page on a model looks at: the model, its documents, what is said of its topics.

A `PageData` is made once and then only read, from many threads at a time; but for the notes, which
have a lock. What is slow is made at its first use, or ahead of it by `PageData.warm`.
"""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.documents import documents_of, keep_documents
from laconic.fitted.groups import Groups, group_documents
from laconic.fitted.model import TopicView
from laconic.fitted.notes import TopicNote, keep_notes, notes_of
from laconic.fitted.pipeline_steps import encoding_step, with_last_step
from laconic.fitted.shares import shares_of
from laconic.fitted.similar_topics import topic_likeness
from laconic.io.read import read
from laconic.retrieval.search import search
from laconic.saving.models import load
from laconic.saving.notes import SharedNotes, changed
from laconic.web.document_text import Reader

logger = logging.getLogger(__name__)

MOST_INDEXED = 200_000  # documents of a corpus that are made searchable when a page is opened
STUB_WORDS = 5
_in_memory = threading.Lock()  # of all pages on models that are not saved
BRIEFLY = 0.1  # seconds that a page waits for another that looks at the notes
SHOWN_WORDS = 100  # of a topic that are at hand


class PageData(TopicView):
    """A model and its documents, ready to be looked at.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted; its documents are those that were kept with it.
    corpus : Corpus, optional
        The documents themselves, where they are at hand.
    title : str
        What the model is called.
    place : SharedNotes, optional
        Where it is saved, and its notes with it.
    write : bool
        Whether notes may be changed.
    other : PageData, optional
        Another model to compare with.
    """

    def __init__(
        self,
        model: Any,
        corpus: Corpus | None = None,
        *,
        title: str = "model",
        place: SharedNotes | None = None,
        write: bool = False,
        other: PageData | None = None,
    ) -> None:
        encoding_step(model)
        super().__init__(model)
        self.corpus, self.place = corpus, place
        self.title, self.write, self.other = title, write, other
        searchable = self.documents is not None and self.documents.index is not None
        self.index = search(model) if searchable else None
        self.notes = notes_of(model)
        self.edition = 0  # how often they have changed
        self._owners: list[Any] = [model]
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        path: str | Path,
        corpus: Any = None,
        *,
        other: Any = None,
        write: bool = False,
    ) -> PageData:
        """The material of a saved model.

        Parameters
        ----------
        path : str or Path
            The folder of the model.
        corpus : Corpus or what `laconic.read` takes, optional
            By default the documents that were kept with the model.
        other : str, Path, estimator or Pipeline, optional
            Another model, or its folder.
        write : bool, default=False
            Whether notes may be written into the folder.
        """
        place = SharedNotes(Path(path))
        return cls.of(
            load(path),
            corpus,
            title=Path(path).resolve().name,
            place=place,
            write=write,
            other=other,
        )

    @classmethod
    def of(
        cls,
        model: Any,
        corpus: Any = None,
        *,
        title: str = "model",
        other: Any = None,
        other_title: str | None = None,
        place: SharedNotes | None = None,
        write: bool = False,
    ) -> PageData:
        """The material of a fitted model and of documents; the model itself is left as it is."""
        encoding_step(model)
        if isinstance(other, (str, Path)):
            other, other_title = load(other), Path(other).resolve().name
        beside = None if other is None else cls(other, title=other_title or "other model")
        if corpus is None:
            return cls(model, title=title, place=place, write=write, other=beside)
        documents = corpus if isinstance(corpus, Corpus) else read(corpus, vocabulary=model)
        if not len(documents):
            raise LaconicError("There is no document to show; the corpus is empty.")
        shown = _with_documents(model, documents)
        material = cls(shown, documents, title=title, place=place, write=write, other=beside)
        material._owners.append(model)
        return material

    # --- topics ----------------------------------------------------------------------------------

    @cached_property
    def components(self) -> sp.csr_matrix:
        return sp.csr_matrix(self.weights, dtype=np.float64)

    @cached_property
    def components_by_word(self) -> sp.csc_matrix:
        return self.components.tocsc()

    @cached_property
    def is_signed(self) -> bool:
        return bool(self.components.nnz) and bool(self.components.data.min() < 0)

    @cached_property
    def overall(self) -> np.ndarray:
        """Mean size of each word's weight over topics, by their shares."""
        total = self.shares.sum() or 1.0
        return np.asarray((self.shares / total) @ abs(self.components)).ravel()

    def top_words(self, topic: int, n: int) -> list[tuple[str, float]]:
        """The strongest words of a topic and their weights; at most `SHOWN_WORDS`."""
        return self._top_words[topic][:n]

    @cached_property
    def _top_words(self) -> list[list[tuple[str, float]]]:
        return [self.top(topic, SHOWN_WORDS) for topic in range(self.n_topics)]

    @cached_property
    def stub_words(self) -> list[list[str]]:
        """A few words that each topic goes by; those that count for it before those against."""
        best = (words[: 2 * STUB_WORDS] for words in self._top_words)
        ordered = (sorted(words, key=lambda pair: pair[1] < 0) for words in best)
        return [[word for word, _ in words[:STUB_WORDS]] for words in ordered]

    @cached_property
    def likeness(self) -> np.ndarray:
        return topic_likeness(self.model)

    # --- documents -------------------------------------------------------------------------------

    @property
    def n_documents(self) -> int:
        return 0 if self.documents is None else len(self.documents)

    @cached_property
    def texts(self) -> Any:
        """A text for each row, or None."""
        if self.corpus is not None:
            return self.corpus.texts
        return None if self.index is None else self.index.parts.texts

    @cached_property
    def reader(self) -> Reader:
        return Reader(self, self.documents, self.texts, self.corpus)

    @cached_property
    def groups(self) -> Groups | None:
        return None if self.documents is None else group_documents(self.documents)

    @cached_property
    def group_shares(self) -> np.ndarray:
        assert self.groups is not None
        assert self.documents is not None
        return self.groups.shares(self.documents)

    @cached_property
    def labels(self) -> dict[str, np.ndarray]:
        """By each label the rows that have it, the commonest label first."""
        if self.documents is None or self.documents.labels is None:
            return {}
        names, members = self.documents.labels.distinct()
        order = np.argsort(members, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(members, minlength=len(names)))[:-1])
        known = ((name, rows) for name, rows in zip(names, parts, strict=True) if name)
        return dict(sorted(known, key=lambda pair: -len(pair[1])))

    @cached_property
    def codes_by_topic(self) -> sp.csc_matrix:
        assert self.documents is not None
        return self.documents.codes.tocsc()

    @cached_property
    def document_shares(self) -> sp.csr_matrix:
        """Codes whose sizes sum to one in each document."""
        assert self.documents is not None
        codes = self.documents.codes
        totals = np.where(self.documents.totals > 0, self.documents.totals, 1).astype(np.float32)
        data = codes.data / np.repeat(totals, np.diff(codes.indptr))  # single: there may be many
        return sp.csr_matrix((data, codes.indices, codes.indptr), codes.shape)

    @cached_property
    def share_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each topic's share over the documents."""
        shares = self.document_shares
        mean = np.asarray(shares.mean(axis=0)).ravel()
        squares = sp.csr_matrix((shares.data**2, shares.indices, shares.indptr), shares.shape)
        variance = np.asarray(squares.mean(axis=0)).ravel() - mean**2
        return mean, np.sqrt(np.maximum(variance, 0))

    # --- what people say of topics ---------------------------------------------------------------

    def set_note(self, topic: int, changes: Mapping[str, Any]) -> TopicNote:
        """Change what is said of a topic, on disk where the model is."""
        with self._lock:
            if self.place is not None:
                notes = self.place.change(topic, changes, self.n_topics)
                self._take(notes)
                return notes.get(topic, TopicNote())
            with _in_memory:
                notes = changed(notes_of(self._owners[-1]), topic, changes)
                self._take(notes)
        return notes.get(topic, TopicNote())

    def follow_notes(self) -> bool:
        """Take over what others have written meanwhile; whether there was anything."""
        if not self._lock.acquire(timeout=BRIEFLY):
            return False  # someone is writing, and the next one who asks sees it
        try:
            if self.place is not None:
                notes = self.place.news(self.n_topics)
            else:
                notes = notes_of(self._owners[-1])
            if notes is None or notes == self.notes:
                return False
            self._take(notes)
            return True
        finally:
            self._lock.release()

    def _take(self, notes: dict[int, TopicNote]) -> None:
        for model in self._owners:
            keep_notes(model, notes)
        self.notes = notes
        self.edition += 1

    def warm(self) -> None:
        """Make what would keep the first visitor waiting."""
        _ = (self.stub_words, self.overall, self.likeness, self.components_by_word)
        if self.documents is not None and len(self.documents):
            _ = (self.documents.totals, self.codes_by_topic, self.share_moments, self.labels)
            if self.groups is not None:
                _ = self.group_shares
            self.reader.warm()
        if self.index is not None:
            self.index.unknown(str(self.words[0]))


def _with_documents(model: Any, corpus: Corpus) -> Any:
    """A copy of the model with these documents and their shares of topics.

    They are made searchable where they are not too many.
    """
    estimator = copy.copy(encoding_step(model))
    shown = with_last_step(model, estimator)
    searchable = corpus.texts is not None or corpus.vocabulary is not None
    if searchable and len(corpus) <= MOST_INDEXED:
        documents = search(shown, corpus).documents
    else:
        if searchable:
            logger.info("%d documents are too many to be made searchable now", len(corpus))
        documents = documents_of(shown, corpus)
    keep_documents(estimator, documents)
    estimator.topic_shares_ = shares_of(shown, documents.codes, corpus)
    return shown
