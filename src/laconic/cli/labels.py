"""Labels of the documents to which a classifier is fitted."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from laconic.cli.reading import format_of, input_name, is_built_in

logger = logging.getLogger(__name__)

TABLES = (
    "lines",
    "csv",
    "tsv",
    "json",
    "jsonl",
    "parquet",
    "excel",
)  # formats without labels of their own


def check_label_option(name: str, input: str | tuple[str, ...], values: Mapping[str, Any]) -> None:
    """Raise, before anything is read, if the input has labels only with --label, which is missing.

    `name` is the name of the classifier.
    """
    if not values["label"] and _is_table(input, values):
        raise _missing_labels(name, input_name(input))


def _is_table(input: str | tuple[str, ...], values: Mapping[str, Any]) -> bool:
    """Return whether the input is in a format that has labels only if --label names a column."""
    first = input if isinstance(input, str) else input[0]
    return not is_built_in(first) and format_of(first, values) in TABLES


def labelled(name: str, input: str, corpus: Any, drop_unlabelled: bool) -> Any:
    """Return the documents that have a label; raise if others may not be left out."""
    from laconic.errors import LaconicError

    if corpus.labels is None:
        raise _missing_labels(name, input)
    has_label = [not (label is None or label == "" or label != label) for label in corpus.labels]
    missing = has_label.count(False)
    if not missing:
        return corpus
    if not drop_unlabelled:
        raise LaconicError(
            f"{missing:,} of {len(corpus):,} documents have no label; label them, or leave them "
            "out with --drop-unlabelled"
        )
    logger.info(f"{missing:,} of {len(corpus):,} documents have no label and are left out")
    import numpy as np

    return corpus[np.array(has_label)]


def _missing_labels(name: str, input: str) -> Exception:
    from laconic.errors import LaconicError

    return LaconicError(
        f"{name} needs the class of each document, but {input} has no labels; set the column with "
        "--label"
    )
