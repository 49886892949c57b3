"""Output of transformers: a Corpus, or a CSR matrix for any scikit-learn estimator."""

from __future__ import annotations

from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError


def check_output(transformer: Any) -> None:
    """Raise an error if the parameter `output` is invalid."""
    if transformer.output not in ("corpus", "csr"):
        raise LaconicError(
            f"The 'output' parameter of {type(transformer).__name__} must be 'corpus' or 'csr'. "
            f"Got {transformer.output!r} instead."
        )


def as_output(transformer: Any, X: Any) -> Any:
    """Convert a Corpus to the type set by the parameter `output`; return a matrix unchanged."""
    return X.matrix if isinstance(X, Corpus) and transformer.output == "csr" else X
