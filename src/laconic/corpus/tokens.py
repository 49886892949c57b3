"""Documents that are already split into words: lists of tokens.

The tokens of a document are joined by a control character, so that the code that counts texts also
counts tokens: a token is everything between two control characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from laconic.errors import LaconicError

SEPARATOR = "\x1f"  # the ASCII unit separator, which texts do not contain
MAX_WORDS = 6  # a token with more words is probably a text

# Settings of a Vectorizer that count joined tokens as they are
COUNT_TOKENS: dict[str, Any] = {
    "token_pattern": f"[^{SEPARATOR}]+",
    "tokenizer": None,
    "lowercase": False,
    "strip_accents": None,
}
# Setting for texts that are passed to a model that was fitted to tokens
SPLIT_TEXTS: dict[str, Any] = {"token_pattern": r"\S+"}


def are_tokens(document: Any) -> bool:
    """Return whether a document is a list, tuple or array of strings; an empty list may be one."""
    if not isinstance(document, (list, tuple, np.ndarray)):
        return False
    return len(document) == 0 or isinstance(document[0], str)


def join_tokens(document: Iterable[Any], position: int) -> str:
    """Return the tokens of a document as one string, which `COUNT_TOKENS` splits again.

    Examples
    --------
    >>> join_tokens(["new york", "cat"], 0).split(SEPARATOR)
    ['new york', 'cat']
    """
    tokens = list(document)
    for token in tokens:
        if not isinstance(token, str):
            raise LaconicError(
                f"document {position} (counted from 0) is a list of tokens, but contains {token!r} "
                f"({type(token).__name__}); pass every token as a string (str)"
            )
        if len(token) > MAX_WORDS and len(token.split()) > MAX_WORDS:
            raise LaconicError(
                f"document {position} (counted from 0) is a list, so its strings are taken as "
                f"words, but {token[:40]!r} is a text; pass every document as a string, and texts "
                "with labels as a data frame or a list of dicts"
            )
    return SEPARATOR.join(tokens)
