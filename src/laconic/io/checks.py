"""Report labels and ids that are probably not what the user expects."""

from __future__ import annotations

import logging

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.dates import is_date, is_year, looks_like_date
from laconic.wording import plural

logger = logging.getLogger(__name__)

FEW = 20  # no report about the labels of fewer documents
NEARLY_ALL = 0.8
CHECKED = 20_000  # number of documents of a corpus on disk that are checked


def log_problems(corpus: Corpus, where: str, all_ids: bool = True) -> None:
    """Log labels that are missing, unique or unreadable dates, and ids that repeat.

    Of a large corpus on disk, only the first documents are checked, but all ids if `all_ids`.
    """
    first = corpus
    if corpus.path is not None and len(corpus) > CHECKED:
        first = corpus.replace(titles=None, texts=None)[:CHECKED]
    problem = _repeated_ids(corpus if all_ids else first)
    if problem:
        logger.warning("%s: %s", where, problem)
    corpus = first
    if corpus.labels is None:
        return
    labels = [str(label) for label in corpus.labels.tolist()]
    given = [label for label in labels if label not in ("", "nan")]
    if len(given) < len(labels):
        n_missing = len(labels) - len(given)
        logger.info("%s: %s", where, f"{n_missing:,} of {len(labels):,} documents have no label")
    problem = _unusual_labels(given)
    if problem:
        logger.warning("%s: %s", where, problem)


def _repeated_ids(corpus: Corpus) -> str:
    n_repeated, example, count = corpus.repeated_ids()
    if not n_repeated:
        return ""
    return (
        f"{plural(n_repeated, 'id')} of documents {'is' if n_repeated == 1 else 'are'} used "
        f"more than once, such as {example!r} ({count:,} times), so documents cannot be named "
        "by their id alone"
    )


def _unusual_labels(labels: list[str]) -> str:
    if len(labels) < FEW or all(map(is_year, labels)):
        return ""
    n_dates = sum(map(is_date, labels))
    if n_dates == len(labels):
        return ""
    other = [label for label in labels if looks_like_date(label)]
    if len(other) + n_dates >= NEARLY_ALL * len(labels):
        example = next((label for label in labels if not is_date(label)), labels[0])
        return (
            f"the labels look like dates, but {example[:40]!r} cannot be read as a date, so each "
            "label is a class; write dates as 1999-12-31 to see topics over time"
        )
    n_different = len(np.unique(labels))
    if n_different >= NEARLY_ALL * len(labels):
        return (
            f"{n_different:,} of {len(labels):,} labels are different, so they do not group the "
            "documents; choose a column of labels that documents share"
        )
    return ""
