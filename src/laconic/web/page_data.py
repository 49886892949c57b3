"""Data of the explorer and the report: a model, its documents, and the notes on its topics.

Only the notes of a `PageData` can change, and a lock protects them, so many threads may use the
same `PageData`. Expensive values are computed at first use, or in advance by `PageData.warm`.
"""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.column_words import words_of
from laconic.fitted.document_sums import DocumentSums, block_totals, sum_documents
from laconic.fitted.documents import documents_of, keep_documents
from laconic.fitted.groups import Groups, group_documents
from laconic.fitted.main_topics import MainTopics, main_topics
from laconic.fitted.model import TopicView
from laconic.fitted.notes import TopicNote, keep_notes, notes_of, seed_names
from laconic.fitted.nouns import with_nouns
from laconic.fitted.pipeline_steps import coding_topics, laconic_step, with_last_step
from laconic.fitted.shares import shares_of
from laconic.fitted.similar_topics import likeness_of
from laconic.fitted.support import support_of, support_over
from laconic.fitted.topic_groups import group_topics
from laconic.io.read import read
from laconic.models.edits.attributes import EDITABLE
from laconic.retrieval.search import search
from laconic.saving.models import load, save
from laconic.saving.notes import SharedNotes, changed
from laconic.web.document_text import Reader

logger = logging.getLogger(__name__)

MOST_INDEXED = 200_000  # maximum number of documents that are indexed when the explorer starts
AT_ONCE = 100_000  # maximum number of documents that the first page waits for
STUB_WORDS = 5  # number of words in the label of a topic
_in_memory = threading.Lock()  # protects the notes of all models that are not saved
LOCK_TIMEOUT = 0.1  # maximum time, in seconds, to wait for a thread that uses the notes
NEIGHBOURS = 1_024  # number of texts of a corpus on disk that are read together
FIRST_WORDS = 12  # number of top words of each topic that are enough for the lists of topics
SHOWN_WORDS = 100  # maximum number of top words of a topic


class PageData(TopicView):
    """A model and its documents, prepared for the explorer and the report.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model, with the documents that were saved with it.
    corpus : Corpus, optional
        The corpus of these documents, if available.
    title : str
        Display name of the model.
    place : SharedNotes, optional
        The notes in the folder of a saved model.
    write : bool
        Whether notes may be changed.
    other : PageData, optional
        A second model to compare with.
    vocabulary : optional
        Words of the columns of the model; see `laconic.topics`.
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
        vocabulary: Any = None,
    ) -> None:
        laconic_step(model)
        super().__init__(model, vocabulary=vocabulary)
        self.corpus, self.place = corpus, place
        self.title, self.write, self.other = title, write, other
        searchable = self.documents is not None and self.documents.index is not None
        self.index = search(model) if searchable else None
        self.notes = notes_of(model)
        self.notes_version = 0  # number of changes to the notes so far
        self._top_words: dict[tuple[int, int], list[tuple[str, float]]] = {}  # by topic and number
        # for each number of edits: positions of the topics on the map, or nan
        self.places: dict[int, np.ndarray] = {}
        self._owners: list[Any] = [model]
        self._lock = threading.Lock()
        self._collecting = threading.Lock()
        self._sums: DocumentSums | None = None

    @classmethod
    def open(
        cls,
        path: str | Path,
        corpus: Any = None,
        *,
        other: Any = None,
        write: bool = False,
        vocabulary: Any = None,
        terms: str | None = None,
        items: str | None = None,
    ) -> PageData:
        """Load a saved model.

        Parameters
        ----------
        path : str or Path
            The folder of the model.
        corpus : Corpus or any input of `laconic.read`, optional
            The documents. Default: the documents that were saved with the model.
        other : str, Path, estimator or Pipeline, optional
            A second model, or its folder.
        write : bool, default=False
            Whether notes may be written into the folder.
        vocabulary : optional
            Words of the columns of the model; see `laconic.topics`.
        terms, items : str, optional
            Nouns for the columns and rows of the data, see `laconic.with_nouns`.
        """
        place = SharedNotes(Path(path))
        return cls.of(
            load(path),
            corpus,
            title=Path(path).resolve().name,
            place=place,
            write=write,
            other=other,
            vocabulary=vocabulary,
            terms=terms,
            items=items,
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
        vocabulary: Any = None,
        terms: str | None = None,
        items: str | None = None,
    ) -> PageData:
        """Combine a fitted model with documents, without changing the model.

        If the model has no words, its words are those of the documents.
        """
        laconic_step(model)
        model = with_nouns(model, terms, items)
        if isinstance(other, (str, Path)):
            other, other_title = load(other), Path(other).resolve().name
        second = None if other is None else cls(other, title=other_title or "other model")
        about: dict[str, Any] = {"title": title, "place": place, "write": write, "other": second}
        if corpus is None:
            return cls(model, **about, vocabulary=vocabulary)
        documents = corpus if isinstance(corpus, Corpus) else read(corpus, vocabulary=model)
        if not len(documents):
            raise LaconicError("The corpus is empty; pass a corpus with at least one document.")
        copied = _with_documents(model, documents)
        if vocabulary is None and documents.vocabulary is not None and words_of(model) is None:
            vocabulary = documents
        page_data = cls(copied, documents, **about, vocabulary=vocabulary)
        page_data._owners.append(model)
        return page_data

    # --- topics ----------------------------------------------------------------------------------

    @cached_property
    def components_by_word(self) -> sp.csc_matrix:
        """Weights with which documents are coded, by word."""
        return sp.csc_matrix(coding_topics(self.estimator), dtype=np.float64)

    @cached_property
    def is_signed(self) -> bool:
        return bool(self.weights.nnz) and bool(self.weights.data.min() < 0)

    @cached_property
    def sizes(self) -> sp.csr_matrix:
        """Absolute weights of words in topics."""
        return abs(self.weights) if self.is_signed else self.weights

    @cached_property
    def overall(self) -> np.ndarray:
        """Mean absolute weight of each word over topics, weighted by the shares of the topics."""
        total = self.shares.sum() or 1.0
        return np.asarray((self.shares / total) @ self.sizes).ravel()

    def top_words(self, topic: int, n: int) -> list[tuple[str, float]]:
        """Return the `n` top words of a topic with their weights, at most `SHOWN_WORDS` words."""
        size = FIRST_WORDS if n <= FIRST_WORDS else SHOWN_WORDS
        if (topic, size) not in self._top_words:
            self._top_words[topic, size] = self.top(topic, size)
        return self._top_words[topic, size][:n]

    @cached_property
    def stub_words(self) -> list[list[str]]:
        """The words of each topic's label; words with a negative weight come last."""
        candidates = (self.top_words(topic, 2 * STUB_WORDS) for topic in range(self.n_topics))
        ordered = (sorted(words, key=lambda pair: pair[1] < 0) for words in candidates)
        return [[word for word, _ in words[:STUB_WORDS]] for words in ordered]

    @cached_property
    def likeness(self) -> np.ndarray:
        return likeness_of(self)

    @cached_property
    def topic_groups(self) -> np.ndarray:
        """The group of similar topics that each topic belongs to, or -1."""
        return group_topics(self.likeness, self.shares)

    # --- documents -------------------------------------------------------------------------------

    @property
    def n_documents(self) -> int:
        return 0 if self.documents is None else len(self.documents)

    @cached_property
    def texts(self) -> Any:
        """The texts of the documents, or None if they are not available."""
        if self.corpus is not None:
            return texts_by_row(self.corpus)
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
    def labels(self) -> Labels:
        if self.documents is None or self.documents.labels is None:
            return Labels([], np.zeros(0, dtype=np.int32))
        return Labels(*self.documents.labels.distinct())

    @cached_property
    def main_topics(self) -> MainTopics:
        assert self.documents is not None
        return main_topics(self.documents)

    @property
    def sums(self) -> DocumentSums:
        """Sums over the documents, collected at first use."""
        with self._collecting:
            if self._sums is None:
                assert self.documents is not None
                self._sums = sum_documents(self.documents)
            return self._sums

    @property
    def is_waiting(self) -> bool:
        """Whether values that need all documents are still missing, because these are many."""
        own = self._sums is None and self.n_documents > AT_ONCE
        return own or (self.other is not None and self.other.is_waiting)

    @cached_property
    def support(self) -> np.ndarray | None:
        """Effective number of documents of each topic, if it is known."""
        known = self.documents is None or hasattr(self.estimator, "topic_support_")
        return support_of(self.estimator, self.documents) if known else self.sums.support

    def shares_in(self, rows: np.ndarray, topics: list[int]) -> np.ndarray:
        """Return the shares of topics in the documents with the given rows, as an array."""
        assert self.documents is not None
        codes = self.documents.rows.take(rows)
        totals = block_totals(codes)
        shares = codes[:, topics].toarray() / np.where(totals > 0, totals, 1)[:, None]
        return np.asarray(shares)

    # --- editing ---------------------------------------------------------------------------------

    @property
    def can_edit(self) -> bool:
        """Whether topics may be edited: changes are allowed, and the model is in a folder."""
        return self.write and self.place is not None and type(self.estimator).__name__ in EDITABLE

    def edited(self, operation: Callable[[Any, Corpus | None], Any]) -> PageData:
        """Return the data of an edited model, which replaces the model in the folder.

        Parameters
        ----------
        operation : callable
            Returns an edited model, given a model and its documents.
        """
        self.follow_notes()
        with self._lock:
            assert self.place is not None
            models = [operation(model, self.corpus) for model in self._owners]
            place = self.place.replace(lambda folder: save(models[-1], folder, force=True))
        result = PageData(
            models[0],
            self.corpus,
            title=self.title,
            place=place,
            write=self.write,
            other=self.other,
            vocabulary=self._vocabulary,
        )
        result._owners = models
        return result

    # --- notes -----------------------------------------------------------------------------------

    def note_of(self, topic: int) -> TopicNote:
        """Return the note on a topic; if no user has named it, its name is that of its seed."""
        note = self.notes.get(topic, TopicNote())
        return note if note.name else replace(note, name=self._seed_names.get(topic))

    @cached_property
    def _seed_names(self) -> dict[int, str]:
        return seed_names(self.model)

    def set_note(self, topic: int, changes: Mapping[str, Any]) -> TopicNote:
        """Change the note on a topic; write the note to the folder of the model if there is one."""
        with self._lock:
            if self.place is not None:
                self._set_notes(self.place.change(topic, changes, self.n_topics))
                return self.note_of(topic)
            with _in_memory:
                self._set_notes(changed(notes_of(self._owners[-1]), topic, changes))
        return self.note_of(topic)

    def follow_notes(self) -> bool:
        """Reload notes that were changed elsewhere; return whether the notes have changed."""
        if not self._lock.acquire(timeout=LOCK_TIMEOUT):
            return False  # another thread uses the notes; the next request tries again
        try:
            if self.place is not None:
                notes = self.place.news(self.n_topics)
            else:
                notes = notes_of(self._owners[-1])
            if notes is None or notes == self.notes:
                return False
            self._set_notes(notes)
            return True
        finally:
            self._lock.release()

    def _set_notes(self, notes: dict[int, TopicNote]) -> None:
        for model in self._owners:
            keep_notes(model, notes)
        self.notes = notes
        self.notes_version += 1

    def warm(self) -> None:
        """Compute the expensive values before the first request needs them."""
        _ = (self.stub_words, self.overall, self.topic_groups, self.components_by_word)
        for topic in range(self.n_topics):
            self.top_words(topic, SHOWN_WORDS)
        if self.documents is not None and len(self.documents):
            _ = (self.sums, self.weak, self.labels, self.main_topics)
            if self.groups is not None:
                _ = self.group_shares
            self.reader.warm()
        if self.other is not None and self.other.n_documents:
            _ = (self.other.sums, self.other.weak)
        if self.index is not None:
            self.index.unknown(str(self.words[0]))


class Labels:
    """Labels of documents; the most frequent label is first.

    Parameters
    ----------
    names : list of str
        The distinct labels; a document without a label has the label "".
    members : ndarray of int
        The index of the label of each document.

    Examples
    --------
    >>> labels = Labels(["", "cats", "dogs"], np.array([2, 0, 1, 2]))
    >>> labels.sizes, labels.is_label(np.arange(4), "dogs").tolist(), "birds" in labels
    ({'dogs': 2, 'cats': 1}, [True, False, False, True], False)
    >>> labels.sizes_in(np.array([1, 2]))
    {'cats': 1}
    """

    def __init__(self, names: list[str], members: np.ndarray) -> None:
        self._members = members
        self._numbers = {name: number for number, name in enumerate(names)}
        sizes = np.bincount(members, minlength=len(names)).tolist()
        labelled = ((name, size) for name, size in zip(names, sizes, strict=True) if name)
        self.sizes = dict(sorted(labelled, key=lambda pair: -pair[1]))

    def __contains__(self, name: str) -> bool:
        return name in self.sizes

    def is_label(self, rows: np.ndarray, name: str) -> np.ndarray:
        """Tell for each of the given documents whether it has a label."""
        return np.asarray(self._members[rows] == self._numbers[name])

    def sizes_in(self, rows: np.ndarray) -> dict[str, int]:
        """Return the number of the given documents with each label, largest first."""
        sizes = np.bincount(self._members[rows], minlength=len(self._numbers))
        found = {name: int(sizes[self._numbers[name]]) for name in self.sizes}
        return dict(sorted(((n, size) for n, size in found.items() if size), key=lambda p: -p[1]))


def texts_by_row(corpus: Corpus) -> Any:
    """Return the texts of a corpus, which are read one by one if it is on disk."""
    if corpus.path is None or not corpus.has("texts"):
        return corpus.texts
    return _StoredTexts(corpus.replace(ids=None, titles=None, labels=None))


class _StoredTexts:
    """Texts of a corpus on disk; a few neighbouring texts stay in memory."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._kept: tuple[int, Any] = (-1, None)

    def __len__(self) -> int:
        return len(self._corpus)

    def __getitem__(self, row: int) -> str | None:
        number, texts = self._kept
        if number != row // NEIGHBOURS:
            number = row // NEIGHBOURS
            texts = self._corpus[number * NEIGHBOURS : (number + 1) * NEIGHBOURS].texts
            self._kept = number, texts
        text: str | None = texts[row % NEIGHBOURS]
        return text


def _with_documents(model: Any, corpus: Corpus) -> Any:
    """Return a copy of the model with the documents of `corpus` and their topic shares.

    The documents are indexed for search only if their number is at most `MOST_INDEXED`.
    """
    estimator = copy.copy(laconic_step(model))
    copied = with_last_step(model, estimator)
    searchable = corpus.texts is not None or corpus.vocabulary is not None
    if searchable and len(corpus) <= MOST_INDEXED:
        documents = search(copied, corpus).documents
    else:
        if searchable:
            logger.info(
                "search is not available: the corpus has %d documents, and the limit is %d",
                len(corpus),
                MOST_INDEXED,
            )
        documents = documents_of(copied, corpus)
    keep_documents(estimator, documents)
    estimator.topic_shares_ = shares_of(copied, documents, corpus)
    estimator.topic_support_ = support_over(documents)
    return copied
