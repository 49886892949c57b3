"""Word codes of an edited model."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from laconic.models.edits.operations import Split
from laconic.models.edits.records import Record


def recode_words(entries: sp.csr_matrix, columns: np.ndarray, edits: list[Record]) -> sp.csr_matrix:
    """Return the word codes of the edited topics, given those of the topics of the fit.

    Merged topics add up, and dropped topics are left out. The code of a split topic is divided like
    the weight of the word in the topic. Dropped words have no code in their topic.

    Parameters
    ----------
    entries : csr_matrix of shape (n_entries, n_topics)
    columns : ndarray of shape (n_entries,)
        Column of the word of each entry.
    edits : list of records
    """
    for record in edits:
        sources, new = np.asarray(record["sources"]), np.flatnonzero(record["sources"] < 0)
        kept = np.flatnonzero(sources >= 0)
        pairs = [(int(sources[topic]), int(topic)) for topic in kept]
        if record["operation"] == "merge":
            pairs += [(topic, int(new[0])) for topic in record["topics"]]
        if record["operation"] == "drop_words":
            pairs += [(record["topics"][0], int(new[0]))]
        rows, targets = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        ones = np.ones(len(rows), entries.dtype)
        to_topics = sp.csr_matrix((ones, (rows, targets)), (record["n_before"], len(sources)))
        after = sp.csr_matrix(entries @ to_topics)
        if record["operation"] == "split":
            parts = Split(np.asarray(record["word_topics"]), record["shares"], normalize=False)
            whole = sp.csr_matrix(entries[:, [record["topics"][0]]])
            for part, topic in enumerate(new):
                column = whole.multiply(parts.parts[part, columns][:, None]).tocsr()
                place = sp.csr_matrix(([1.0], ([0], [topic])), (1, len(sources)))
                after = after + (column @ place).astype(entries.dtype)
        elif record["operation"] == "drop_words":
            is_dropped = np.isin(columns, record["columns"])
            rows = np.repeat(np.arange(after.shape[0]), np.diff(after.indptr))
            after.data[is_dropped[rows] & (after.indices == new[0])] = 0
            after.eliminate_zeros()
        entries = sp.csr_matrix(after)
        entries.sort_indices()
    return entries
