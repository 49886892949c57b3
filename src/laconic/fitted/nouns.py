"""The nouns for the columns and rows of the data of a model: words and documents by default.

The nouns are stored in the attribute ``nouns_`` of the estimator, so they are saved with the model.
"""

from __future__ import annotations

import copy
from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.pipeline_steps import last_step, with_last_step
from laconic.wording import Nouns

ATTRIBUTE = "nouns_"
LONGEST = 40


def with_nouns(model: Any, terms: str | None = None, items: str | None = None) -> Any:
    """Return a model whose topics, reports and charts use other nouns.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model, which is not changed.
    terms : str, optional
        Plural noun for the columns of the data, such as "genes". By default, the noun does not
        change; the noun of a new model is "words".
    items : str, optional
        Plural noun for the rows of the data, such as "samples". By default, the noun does not
        change; the noun of a new model is "documents".

    Returns
    -------
    estimator or Pipeline
        A model that shares its arrays with `model`. The nouns are saved with it.

    Examples
    --------
    >>> from laconic import SparseLSA
    >>> model = SparseLSA(1, alpha=0.1).fit([[4.0, 2.0], [4.0, 3.0]])
    >>> nouns_of(with_nouns(model, items="samples"))
    Nouns(terms='words', items='samples')
    """
    if terms is None and items is None:
        return model
    nouns = nouns_of(model)
    chosen = _checked("terms", terms, nouns.terms), _checked("items", items, nouns.items)
    estimator = copy.copy(last_step(model))
    setattr(estimator, ATTRIBUTE, chosen)
    return with_last_step(model, estimator)


def nouns_of(model: Any) -> Nouns:
    """Return the nouns of a model; a saved model may contain anything, so they are checked."""
    value = getattr(last_step(model), ATTRIBUTE, ())
    if isinstance(value, tuple) and len(value) == 2:
        return Nouns(_checked("terms", value[0], ""), _checked("items", value[1], ""))
    return Nouns()


def _checked(name: str, noun: str | None, default: str) -> str:
    if noun is None:
        return default
    text = " ".join(noun.split()) if isinstance(noun, str) else ""
    if not text or len(text) > LONGEST or not text.isprintable():
        raise LaconicError(
            f"{name} must be a plural noun of at most {LONGEST} characters, such as "
            f"{'genes' if name == 'terms' else 'samples'}; got {noun!r:.60}."
        )
    return text
