"""``laconic.split``: replace a topic by several."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import dense
from laconic.editing.applying import apply_edit
from laconic.editing.codes import Parts
from laconic.editing.merge import merged_note
from laconic.editing.topics import TopicName, editable_step, find_topics
from laconic.errors import LaconicError
from laconic.fitted.documents import Documents, encode, kept_documents
from laconic.fitted.kept_corpus import kept_corpus
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import as_input, transform_before, with_last_step
from laconic.models import PLSA
from laconic.models.edits.recoding import evidence_of, make_recoding
from laconic.models.edits.records import Record, edited, edits_of
from laconic.wording import plural, some


def split(model: Any, topic: TopicName, corpus: Any = None, *, into: int = 2) -> Any:
    """Return a new model in which a topic is divided into several topics.

    The parts are the topics of a PLSA of the documents of the topic, in which each word counts as
    far as the topic explains it. The code of the topic is divided among its parts, so the sum of
    their codes is the code of the topic, and no other topic or code changes by a single bit.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model, which is not changed. Its topics must not be negative.
    topic : int or str
        The topic, by number or name.
    corpus : Corpus, matrix or list of texts, optional
        Documents from which the parts are learned, such as those of the fit. By default, the
        documents that were saved with the model and its search index.
    into : int, default=2
        Number of parts. The first part, which has the largest share, takes the number, the name and
        the note of the topic; the other parts get the highest numbers, so no other number changes.

    Returns
    -------
    estimator or Pipeline
        A model of the same class. `laconic.undo` takes the edit back.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(60, 100, 4, words_per_topic=10)
    >>> model = laconic.PLSA(n_components=2).fit(corpus)
    >>> finer = laconic.split(model, 0, corpus)
    >>> before, after = model.transform(corpus), finer.transform(corpus)
    >>> bool(abs(before[:, [0]] - after[:, [0]] - after[:, [2]]).max() < 1e-6)
    True
    """
    estimator = editable_step(model)
    (number,) = find_topics(model, [topic])
    if not isinstance(into, (int, np.integer)) or into < 2:
        raise LaconicError(f"into must be an integer of at least 2; got {into!r:.50}.")
    if dense(estimator.components_[[number]]).min() < 0 or not _is_positive(estimator):
        raise LaconicError(
            f"Topic {number} cannot be split, because the model has negative weights; fit it with "
            "positive=True."
        )
    documents = kept_documents(model)
    X = _documents_of(model, corpus)
    evidence, rows, n_documents = _evidence(model, estimator, number, X)
    least = max(2 * int(into), 2)
    if len(rows) < least:
        raise LaconicError(
            f"Only {plural(len(rows), 'document')} of these {n_documents:,} "
            f"{'has' if len(rows) == 1 else 'have'} topic {number}; to split it into "
            f"{into} topics, pass at least {least} documents that have it."
        )
    plsa = PLSA(int(into), random_state=0).fit(evidence)
    order = np.argsort(-plsa.topic_shares_, kind="stable")
    n_topics = estimator.components_.shape[0]
    sources = np.concatenate([np.arange(n_topics), np.full(into - 1, -1)]).astype(np.int64)
    sources[number] = -1
    record: Record = {
        "operation": "split",
        "topics": [number],
        "sources": sources,
        "word_topics": np.ascontiguousarray(plsa.components_[order].T),
        "shares": np.maximum(plsa.topic_shares_[order], 1e-9).astype(np.float64),
    }
    numbers = [number, *range(n_topics, n_topics + into - 1)]
    text = f"split topic {number} into topics {some(numbers, 20)}"
    parts = None
    if documents is not None:
        parts = _parts(model, edited(estimator, record), documents, corpus, X, record)
    return apply_edit(model, record, text, note=merged_note(model, [number]), parts=parts)


def _is_positive(estimator: Any) -> bool:
    return bool(getattr(estimator, "positive", True))


def _documents_of(model: Any, corpus: Any) -> Any:
    """Return the documents in the form that the pipeline needs."""
    if corpus is None:
        corpus = kept_corpus(TopicView.of(model))
        if corpus is None:
            raise LaconicError(
                "split needs documents, and no texts were saved with this model; pass the "
                "documents as corpus=."
            )
    return as_input(model, corpus) if isinstance(corpus, Corpus) else corpus


def _evidence(
    model: Any, estimator: Any, topic: int, X: Any
) -> tuple[sp.csr_matrix, np.ndarray, int]:
    """Return the evidence for a topic in the documents that have it, and their rows."""
    fitted = estimator._unedited()
    codes = encode(with_last_step(model, fitted), X)
    counts = transform_before(model, X)
    counts = counts.matrix if isinstance(counts, Corpus) else sp.csr_matrix(counts)
    marker: Record = {
        "operation": "drop",
        "topics": [],
        "sources": np.arange(estimator.components_.shape[0]),
        "n_before": estimator.components_.shape[0],
    }
    recoding = make_recoding([*edits_of(estimator), marker], fitted._reconstruction_topics())
    recoding = recoding._replace(topics=fitted._reconstruction_topics())
    members = recoding.to_topics[:, [topic]].nonzero()[0]
    own = encode(model, X)[:, [topic]]
    rows = np.unique(own.nonzero()[0])
    padded = np.zeros((len(rows), recoding.to_topics.shape[0]), np.float32)
    padded[:, : codes.shape[1]] = codes[rows].toarray()
    evidence = evidence_of(padded, recoding, members, counts[rows])
    return evidence, rows, codes.shape[0]


def _parts(
    model: Any, estimator: Any, documents: Documents, corpus: Any, X: Any, record: Record
) -> Parts:
    """Return the shares of the parts in each document that is saved with the model."""
    codes = encode(with_last_step(model, estimator), X)
    if corpus is not None and codes.shape[0] != len(documents):
        raise LaconicError(
            f"{plural(len(documents), 'document')} are saved with the model, but the corpus has "
            f"{codes.shape[0]:,}; pass the same documents, or leave out corpus=."
        )
    of_parts = codes[:, np.flatnonzero(record["sources"] < 0)].toarray()
    totals = of_parts.sum(axis=1, keepdims=True)
    return np.where(totals > 0, of_parts / np.where(totals > 0, totals, 1), record["shares"])
