"""Apply edits to the fitted attributes of an estimator, undo them, and repeat them.

The attribute ``edits_`` of an edited estimator is a list of records, which are dictionaries:

================  ============================================================================
operation         "merge", "drop", "keep", "drop_words" or "split"
topics            numbers of the edited topics before the edit
sources           for each topic after the edit, its number before the edit, or -1 if it is new
n_before          number of topics before the edit
removed           values of the removed topics, for each attribute with an axis of topics
parameters        values of the parameters that the edit changed
columns           of "drop_words": columns of the dropped words
word_topics       of "split": P(word | new topic)
shares            of "split": shares of the new topics in the topic
coef, intercept   of MedSTC: the classifier, if it was trained again, and the one before the edit
                  as coef_before and intercept_before
notes             names and notes of the removed topics
when, text        when the edit was made, and a sentence that describes it
================  ============================================================================

The values of removed topics make an edit reversible, bit for bit. They also make the topics of the
fit available, because documents are always coded with the topics of the fit.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import dense
from laconic.models.edits.assembly import assemble, assemble_pairs, inverse, taken
from laconic.models.edits.attributes import fields_of, with_values
from laconic.models.edits.operations import Drop, DropWords, Merge, Operation, Split, new_values

Record = dict[str, Any]
ATTRIBUTE = "edits_"


def edits_of(estimator: Any) -> list[Record]:
    """Return the edits of an estimator, oldest first."""
    return list(getattr(estimator, ATTRIBUTE, []))


def removed_topics(record: Record) -> np.ndarray:
    """Return the numbers of the topics that an edit removed or replaced, in ascending order."""
    return np.flatnonzero(inverse(np.asarray(record["sources"]), record["n_before"]) < 0)


def new_topics(record: Record) -> np.ndarray:
    """Return the numbers of the topics that an edit created."""
    return np.flatnonzero(np.asarray(record["sources"]) < 0)


def edited(estimator: Any, record: Record) -> Any:
    """Return a copy of an estimator to which an edit is applied.

    `record` needs the operation, the topics, the sources and the data of the operation. The other
    items are added to the record of the copy.
    """
    record = {**record, "n_before": estimator.components_.shape[0]}
    sources, removed = np.asarray(record["sources"]), removed_topics(record)
    operation = operation_of(estimator, record)
    values, old = {}, {}
    for name, field, value in fields_of(estimator):
        if field.kind == "pairs":
            # Such a matrix is symmetric, but only up to rounding errors.
            old[name] = np.stack([value[removed], value[:, removed].T])
            new = _new_pairs(operation, record, old[name][0])
            values[name] = assemble_pairs(value, sources, np.stack([new, new]))
            continue
        old[name] = taken(value, removed, columns=field.columns)
        rows = dense(old[name])
        rows = rows.T if field.columns else rows
        if field.kind == "support":
            new = _support(estimator, operation, removed, rows)
        else:
            words = estimator.group_members_.indices if field.kind == "copies" else None
            new = new_values(operation, field.kind, rows, words)
        new = new.T if field.columns else new
        values[name] = assemble(value, sources, new, columns=field.columns)
    record["removed"] = old
    if "coef" in record:
        values["coef_"], values["intercept_"] = record["coef"], record["intercept"]
    result = _with_attributes(estimator, values)
    record["parameters"] = _fit_parameters(result, len(sources))
    result.__dict__[ATTRIBUTE] = [*edits_of(estimator), record]
    return result


def undone(estimator: Any) -> Any:
    """Return a copy of an edited estimator without its last edit."""
    *edits, record = edits_of(estimator)
    sources = inverse(np.asarray(record["sources"]), record["n_before"])
    old, values = record["removed"], {}
    for name, field, value in fields_of(estimator):
        if field.kind == "pairs":
            values[name] = assemble_pairs(value, sources, old[name])
        else:
            values[name] = assemble(value, sources, old[name], columns=field.columns)
    if "coef" in record:
        values["coef_"], values["intercept_"] = record["coef_before"], record["intercept_before"]
    result = _with_attributes(estimator, values)
    result.__dict__.update(record["parameters"])
    result.__dict__.pop(ATTRIBUTE)
    if edits:
        result.__dict__[ATTRIBUTE] = edits
    return result


def unedited(estimator: Any) -> Any:
    """Return a copy of an estimator without any edits."""
    while edits_of(estimator):
        estimator = undone(estimator)
    return estimator


def repeated(estimator: Any, edits: list[Record]) -> Any:
    """Return a copy of an estimator to which edits are applied again, such as after more data."""
    derived = ("n_before", "removed", "parameters")
    for record in edits:
        estimator = edited(estimator, {k: v for k, v in record.items() if k not in derived})
    return estimator


def edited_rows(rows: Any, shares: np.ndarray, edits: list[Record]) -> Any:
    """Apply edits to the topics (topics x words) from which documents are reconstructed.

    A merged topic is the mean of its topics, weighted by their shares. A dropped word stays.
    """
    for record in edits:
        sources, removed = np.asarray(record["sources"]), removed_topics(record)
        operation: Operation = Drop()
        if record["operation"] == "drop_words":
            continue
        if record["operation"] == "merge":
            operation = Merge(shares[removed])
        elif record["operation"] == "split":
            parts = np.asarray(record["word_topics"])
            operation = Split(parts, record["shares"], normalize=False)
            operation.parts = operation.parts / operation.shares[:, None]
        new = new_values(operation, "words", dense(rows[removed]))
        rows = assemble(rows, sources, new)
        shares = assemble(shares, sources, new_values(operation, "amounts", shares[removed]))
    return rows


def operation_of(estimator: Any, record: Record) -> Operation:
    """Return the operation of a record, which is to be applied to an estimator."""
    normalize = bool(getattr(estimator, "TOPICS_ARE_DISTRIBUTIONS", False))
    name = record["operation"]
    if name == "merge":
        return Merge(merge_weights(estimator, removed_topics(record)))
    if name == "drop_words":
        return DropWords(np.asarray(record["columns"]), normalize=normalize)
    if name == "split":
        return Split(np.asarray(record["word_topics"]), record["shares"], normalize=normalize)
    return Drop()


def merge_weights(estimator: Any, topics: np.ndarray) -> np.ndarray:
    """Return the weights of topics in a mean.

    They are the shares of the topics. The topics of `SparseLSA` differ in length, but documents are
    coded with topics of unit length.
    """
    shares = np.asarray(estimator.topic_shares_, np.float64)[topics]
    if type(estimator).__name__ != "SparseLSA":
        return shares
    rows = dense(getattr(estimator, "coding_components_", estimator.components_)[topics])
    lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
    return shares / np.where(lengths > 0, lengths, 1)


def _new_pairs(operation: Operation, record: Record, rows: np.ndarray) -> np.ndarray:
    """Return the rows of the new topics in a symmetric matrix of topics x topics."""
    sources = np.asarray(record["sources"])
    outer, inner = operation.pairs(rows.astype(np.float64), removed_topics(record))
    result = np.empty((len(outer), len(sources)))
    kept = sources >= 0
    result[:, kept] = outer[:, sources[kept]]
    result[:, ~kept] = inner
    return result


def _support(
    estimator: Any, operation: Operation, removed: np.ndarray, support: np.ndarray
) -> np.ndarray:
    """Return the effective number of documents (Σ|θ|)² / Σθ² of the new topics.

    For merged topics, this assumes that no document has two of the topics.
    """
    if not isinstance(operation, Merge):
        return new_values(operation, "amounts", support)
    mass = np.asarray(estimator.topic_shares_, np.float64)[removed]
    squares = np.divide(mass**2, support, where=support > 0, out=np.zeros(len(mass)))
    return np.array([mass.sum() ** 2 / (squares.sum() or 1.0)])


def _with_attributes(estimator: Any, values: dict[str, Any]) -> Any:
    """Return a copy of an estimator with other values of attributes.

    Values that are derived from the topics, and documents and notes, are not copied.
    """
    result = copy.copy(estimator)
    for name in ("_cache", "_sklearn_output_config"):
        if name in result.__dict__:
            result.__dict__[name] = dict(result.__dict__[name])
    result.__dict__.pop("_cache", None)
    new = {name: value for name, value in values.items() if "." not in name}
    if hasattr(estimator, "statistics_"):
        new["statistics_"] = with_values(estimator.statistics_, values)
    for value in new.values():
        _freeze(value)
    result.__dict__.update(new)  # without __setattr__, which would delete `edits_`
    return result


def _freeze(value: Any) -> None:
    if isinstance(value, tuple):
        for item in value:
            _freeze(item)
    for part in (value.data, value.indices, value.indptr) if sp.issparse(value) else (value,):
        if isinstance(part, np.ndarray):
            part.flags.writeable = False


def _fit_parameters(estimator: Any, n_topics: int) -> dict[str, Any]:
    """Set the number of topics of an estimator, and return the parameters that were changed.

    A target for the number of topics per document must not exceed the number of topics.
    """
    old = {"n_components": estimator.n_components}
    estimator.n_components = n_topics
    target = getattr(estimator, "topics_per_document", None)
    if isinstance(target, (int, float)) and target > n_topics:
        old["topics_per_document"] = target
        estimator.topics_per_document = n_topics
    return old
