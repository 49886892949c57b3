"""`laconic.search`: build a search index, or return the index that was saved with a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.documents import kept_documents
from laconic.retrieval.index import SearchIndex


def search(
    model: Any,
    corpus: Any = None,
    *,
    texts: Sequence[str | None] | None = None,
    language: str | None = "auto",
) -> SearchIndex:
    """Build a search index of documents, or return the index that was saved with the model.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted model of laconic or scikit-learn that has ``transform`` (such as ``TruncatedSVD``).
    corpus : Corpus, list of texts or frame, optional
        The documents. By default, the index saved with a loaded model is used (see
        `laconic.save`).
    texts : sequence of str, optional
        The texts of the documents, if the corpus was read without texts. Without texts, the index
        has only the words counted in the corpus, and hits have no snippets.
    language : str or None, default="auto"
        Language of stop words and stemming: a name or code ("german", "de"), or None to use neither
        stop words nor stemming. "auto" means the language of the stop words with which the corpus
        was read; if there is none, the language is detected from the texts.

    Returns
    -------
    SearchIndex

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.read(["a cat purrs", "cats and dogs", "dogs bark"], stop_words="english")
    >>> index = search(laconic.pipeline("plsa", n_components=2).fit(corpus), corpus)
    >>> hit = index.query("a barking dog")[0]
    >>> hit.id, str(hit.snippet), hit.score == hit.lexical + hit.background
    (2, 'dogs bark', True)
    """
    if corpus is None:
        return _saved_index(model, texts, language)
    from laconic.retrieval.building import build  # needs scikit-learn, which a saved index does not

    return build(model, corpus, texts, language)


def _saved_index(model: Any, texts: Any, language: str | None) -> SearchIndex:
    if texts is not None or language != "auto":
        raise LaconicError("texts= and language= apply only to a new index; pass corpus= too.")
    documents = kept_documents(model)
    if documents is None or not documents.has_index:
        raise LaconicError(
            "No search index was saved with this model; pass the documents as corpus=, or fit and "
            "save the model with an index."
        )
    return SearchIndex(model, documents, documents.index)
