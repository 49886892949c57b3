"""Code documents with an edited model.

Documents are coded with the topics of the fit. The code of a merged topic is then the sum of the
codes of its topics, and dropped topics are left out, so no other code changes.

The code of a split topic is divided among its parts. The *evidence* for the topic in a document is
the part of each word's count that the topic explains,

    x_w θ_k T_kw / Σ_j θ_j T_jw,

and the parts get the mixture of P(word | part) that fits the evidence best, as in PLSA.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import csr, dense
from laconic.engines.base import Step
from laconic.models.edits.records import Record
from laconic.models.few_topics import drop_weak
from laconic.models.plsa.mixture import mix

SMOOTHING = 0.05  # of the mixtures of the parts of a split topic, as in PLSA
WEAK = 0.1  # parts with a smaller share in the topic of a document are dropped
ENTRIES = 1 << 22  # maximum number of products that are computed at once


class Division(NamedTuple):
    """A split topic: its members, which are topics of the fit or parts of earlier divisions."""

    members: np.ndarray
    word_topics: np.ndarray  # P(word | part), words x parts
    shares: np.ndarray  # of the parts, for documents without evidence
    first: int  # number of the first part


class Recoding(NamedTuple):
    """How the codes of the topics of the fit become the codes of the edited topics."""

    n_fitted: int
    divisions: tuple[Division, ...]
    to_topics: sp.csr_matrix  # topics of the fit and parts x edited topics, zeros and ones
    topics: Any  # the topics of the fit (topics x words), if there are divisions


def make_recoding(edits: list[Record], topics: Any) -> Recoding:
    """Return the recoding of all edits; `topics` are the topics of the fit (topics x words)."""
    n_fitted = edits[0]["n_before"]
    members = [[topic] for topic in range(n_fitted)]  # of each topic
    n_members, divisions = n_fitted, []
    for record in edits:
        sources = np.asarray(record["sources"])
        after = [members[source] if source >= 0 else [] for source in sources]
        new = np.flatnonzero(sources < 0)
        if record["operation"] == "split":
            divided, words = np.array(members[record["topics"][0]]), record["word_topics"]
            shares = np.asarray(record["shares"])
            divisions.append(Division(divided, np.array(words), shares, n_members))
            for topic in new:
                after[topic] = [n_members]
                n_members += 1
        elif record["operation"] == "merge":
            after[new[0]] = [m for topic in record["topics"] for m in members[topic]]
        elif record["operation"] == "drop_words":
            after[new[0]] = members[record["topics"][0]]
        members = after
    pairs = [(m, topic) for topic, of_topic in enumerate(members) for m in of_topic]
    rows, columns = np.array(pairs).T.reshape(2, -1)
    shape = n_members, len(members)
    to_topics = sp.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape)
    return Recoding(n_fitted, tuple(divisions), to_topics, topics if divisions else None)


def recoded(params: tuple[Step, Any, Recoding], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: code the documents of a chunk with the topics of the fit, and recode them."""
    step, coding, recoding = params
    codes, _ = step(coding, chunk, None)
    return recode(codes, recoding, chunk.load() if recoding.divisions else None), None


def recode(codes: Any, recoding: Recoding, X: sp.csr_matrix | None = None) -> Any:
    """Return the codes of the edited topics, given those of the topics of the fit.

    `X` are the documents, which are needed if a topic was split.
    """
    if recoding.divisions:
        parts = [dense(codes)]
        for number in range(len(recoding.divisions)):
            parts.append(_divide(np.hstack(parts), recoding, number, X))
        joined = np.hstack(parts)
        codes = sp.csr_matrix(joined) if sp.issparse(codes) else joined
    summed = codes @ recoding.to_topics.astype(codes.dtype)
    if sp.issparse(summed):
        summed.sort_indices()
        if not np.all(summed.data):
            summed.eliminate_zeros()
    return summed


def _divide(codes: np.ndarray, recoding: Recoding, number: int, X: Any) -> np.ndarray:
    """Return the codes of the parts of a division."""
    division = recoding.divisions[number]
    totals = codes[:, division.members].sum(axis=1)
    rows = np.flatnonzero(totals)
    result = np.zeros((len(codes), len(division.shares)), codes.dtype)
    if not len(rows):
        return result
    mixtures = mixtures_of(codes[rows], recoding, number, X[rows])
    result[rows] = mixtures * totals[rows, None]
    return result


def mixtures_of(codes: np.ndarray, recoding: Recoding, number: int, X: Any) -> np.ndarray:
    """Return the shares of the parts of a division in each document."""
    division = recoding.divisions[number]
    evidence = evidence_of(codes, recoding, division.members, X)
    mixtures = mix(division.word_topics, SMOOTHING, evidence)[0]
    mixtures[mixtures.sum(axis=1) == 0] = division.shares
    drop_weak(mixtures, WEAK)
    return mixtures / mixtures.sum(axis=1, keepdims=True)


def evidence_of(codes: np.ndarray, recoding: Recoding, members: np.ndarray, X: Any) -> Any:
    """Return the part of each count that some topics explain, as CSR like `X`."""
    X = sp.csr_matrix(X)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    fitted = members[members < recoding.n_fitted]
    shares = _explained(codes[:, : recoding.n_fitted], fitted, recoding.topics, rows, X.indices)
    for number, division in enumerate(recoding.divisions):
        own = members[(members >= division.first)] - division.first
        own = own[own < len(division.shares)]
        if len(own):
            outer = evidence_of(codes, recoding, division.members, X)
            mixtures = mixtures_of(codes, recoding, number, X)
            joint = mixtures[rows] * division.word_topics[X.indices]
            totals = joint.sum(axis=1)
            part = joint[:, own].sum(axis=1) / np.where(totals > 0, totals, 1)
            shares = shares + part * np.divide(
                outer.data, X.data, where=X.data != 0, out=np.zeros(len(rows))
            )
    return csr((X.data * shares).astype(np.float64), X.indices, X.indptr, X.shape)


def _explained(
    codes: np.ndarray, members: np.ndarray, topics: Any, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return the share of some topics in the expected count of each entry."""
    shares = np.zeros(len(rows))
    by_word = topics.T.tocsr() if sp.issparse(topics) else np.asarray(topics).T
    step = max(ENTRIES // max(codes.shape[1], 1), 1)
    for start in range(0, len(rows) if len(members) else 0, step):
        part = slice(start, start + step)
        joint = codes[rows[part]] * dense(by_word[columns[part]])
        totals = joint.sum(axis=1, dtype=np.float64)
        own = joint[:, members].sum(axis=1, dtype=np.float64)
        shares[part] = np.divide(own, totals, where=totals > 0, out=np.zeros(len(totals)))
    return shares
