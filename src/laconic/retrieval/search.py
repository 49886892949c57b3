"""Build search indexes with `laconic.search`."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.documents import Documents, encode, kept_documents, names_of
from laconic.fitted.pipeline_steps import with_last_step
from laconic.retrieval.blending import agreement, synthetic_queries
from laconic.retrieval.bm25 import index_words
from laconic.retrieval.codes import Coder, Codes, rarity_of
from laconic.retrieval.index import IndexParts, SearchIndex
from laconic.text.defaults import EVERY_WORD
from laconic.text.vectorizer import Vectorizer
from laconic.wording import plural

WIDE = 0.3  # threshold for topics in the index, as a share of the threshold of the model


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
    corpus = _as_corpus(model, corpus)
    if not len(corpus):
        raise LaconicError("The corpus is empty; search needs at least one document.")
    texts = _checked_texts(corpus, texts)
    if texts is None and corpus.vocabulary is None:
        raise LaconicError(
            "This corpus has neither texts nor a vocabulary, so there is nothing to index; read it "
            "with vocabulary=, or pass texts=."
        )
    coder = Coder(model, corpus.vocabulary, corpus.vectorizer)
    codes = coder.documents(corpus)
    coder.idf = rarity_of(coder, corpus)
    parts = IndexParts(
        lexical=index_words(corpus, texts, language),
        codes=Codes.of(_wide_codes(coder, corpus, codes)),
        texts=texts,
        words=coder.words,
        settings=coder.settings,
        whole_ids=corpus.ids is not None and all(type(id_) is int for id_ in corpus.ids),
        idf=coder.idf,
        agreement=0.0,
    )
    parts.agreement = agreement(_draws(corpus, texts, parts, coder))
    sparse = codes if sp.issparse(codes) else sp.csr_matrix((len(corpus), 0), dtype=np.float32)
    documents = Documents(sparse, topics=coder.topics, index=parts, **names_of(corpus))
    return SearchIndex(model, documents, parts)


def _wide_codes(coder: Coder, corpus: Corpus, codes: Any) -> Any:
    """If the model drops weak topics, return codes with a lower threshold, so with more topics.

    Weak topics are of little use to readers, but improve the ranking (mean average precision of
    `sc` on seven collections: 0.453 instead of 0.448).
    """
    threshold = getattr(coder.last, "code_threshold_", 0.0)
    if not threshold:
        return codes
    last = copy.copy(coder.last)
    last.code_threshold_ = WIDE * threshold
    return encode(with_last_step(coder.model, last), corpus)


def _saved_index(model: Any, texts: Any, language: str | None) -> SearchIndex:
    if texts is not None or language != "auto":
        raise LaconicError("texts= and language= apply only to a new index; pass corpus= too.")
    documents = kept_documents(model)
    if documents is None or documents.index is None:
        raise LaconicError(
            "No search index was saved with this model; pass the documents as corpus=, or fit and "
            "save the model with an index."
        )
    return SearchIndex(model, documents, documents.index)


def _as_corpus(model: Any, corpus: Any) -> Corpus:
    if isinstance(corpus, Corpus):
        return corpus
    from laconic.io.read import read

    has_words = Coder(model, None, None).words is not None
    return read(corpus, vocabulary=model) if has_words else read(corpus)


def _checked_texts(corpus: Corpus, texts: Any) -> Any:
    texts = corpus.texts if texts is None else texts
    if texts is not None and len(texts) != len(corpus):
        raise LaconicError(
            f"Got {plural(len(texts), 'text')} for {plural(len(corpus), 'document')}; pass one "
            "per document."
        )
    return texts


def _draws(
    corpus: Corpus, texts: Any, parts: IndexParts, coder: Coder
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield the row of each synthetic query, and the two scores of all documents for the query."""
    lexical, counted = parts.lexical, corpus
    if corpus.vocabulary is None:
        counted = Vectorizer(**EVERY_WORD).fit_transform(text or "" for text in texts)
    vocabulary = counted.vocabulary
    assert vocabulary is not None
    for row, columns in synthetic_queries(counted.counts):
        words = [str(word) for word in vocabulary[columns]]
        rows = lexical.rows_of(lexical.words.stems(words))
        yield row, lexical.scores(rows[rows >= 0]), parts.codes.cosines(coder.code(" ".join(words)))
