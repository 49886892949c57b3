"""Make documents searchable: `laconic.search`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.documents import Documents, kept_documents, names_of
from laconic.retrieval.blending import agreement, made_up_queries
from laconic.retrieval.bm25 import index_words
from laconic.retrieval.codes import Coder, Codes, rarity_of
from laconic.retrieval.index import IndexParts, SearchIndex
from laconic.text.vectorizer import Vectorizer


def search(
    model: Any,
    corpus: Any = None,
    *,
    texts: Sequence[str | None] | None = None,
    language: str | None = "auto",
) -> SearchIndex:
    """Make documents searchable, or take the index that was kept with a model.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, with ``transform``: one of laconic's, or of scikit-learn's (as ``TruncatedSVD``).
    corpus : Corpus, list of texts or frame, optional
        The documents. Left out: those whose index was kept with a loaded model (see
        `laconic.save`).
    texts : sequence of str, optional
        The texts of a corpus that was read without them. Without texts the words that the corpus
        counted are looked up, and hits have no snippets.
    language : str or None, default="auto"
        Whose stop words are not looked for, and whose endings are taken off words: a name or code
        ("german", "de"); None for neither. "auto" is the language of the stop words that the
        corpus was read with, or else that of the texts.

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
        return _kept(model, texts, language)
    corpus = _as_corpus(model, corpus)
    if not len(corpus):
        raise LaconicError("There is no document to search; the corpus is empty.")
    texts = _checked_texts(corpus, texts)
    if texts is None and corpus.vocabulary is None:
        raise LaconicError(
            "This corpus has neither texts nor the words of its columns, so there is nothing to "
            "look up; read it with vocabulary=, or give texts=."
        )
    coder = Coder(model, corpus.vocabulary, corpus.vectorizer)
    codes = coder.documents(corpus)
    coder.idf = rarity_of(coder, corpus)
    parts = IndexParts(
        lexical=index_words(corpus, texts, language),
        codes=Codes.of(codes),
        texts=texts,
        words=coder.words,
        settings=coder.settings,
        whole_ids=corpus.ids is not None and all(type(id_) is int for id_ in corpus.ids),
        idf=coder.idf,
        agreement=0.0,
    )
    parts.agreement = agreement(_draws(corpus, texts, parts, coder))
    bare = codes if sp.issparse(codes) else sp.csr_matrix((len(corpus), 0), dtype=np.float32)
    documents = Documents(bare, topics=coder.topics, index=parts, **names_of(corpus))
    return SearchIndex(model, documents, parts)


def _kept(model: Any, texts: Any, language: str | None) -> SearchIndex:
    if texts is not None or language != "auto":
        raise LaconicError("texts= and language= are for a new index; give the documents too.")
    documents = kept_documents(model)
    if documents is None or documents.index is None:
        raise LaconicError(
            "No search index is kept with this model; give the documents with corpus=, or fit and "
            "save it with an index."
        )
    return SearchIndex(model, documents, documents.index)


def _as_corpus(model: Any, corpus: Any) -> Corpus:
    if isinstance(corpus, Corpus):
        return corpus
    from laconic.io.read import read

    ours = Coder(model, None, None).words is not None
    return read(corpus, vocabulary=model) if ours else read(corpus)


def _checked_texts(corpus: Corpus, texts: Any) -> Any:
    texts = corpus.texts if texts is None else texts
    if texts is not None and len(texts) != len(corpus):
        raise LaconicError(
            f"There are {len(texts):,} texts for {len(corpus):,} documents; give one for each."
        )
    return texts


def _draws(
    corpus: Corpus, texts: Any, parts: IndexParts, coder: Coder
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Made-up queries: the document each was drawn from, and both scores of all documents."""
    lexical, counted = parts.lexical, corpus
    if corpus.vocabulary is None:
        counted = Vectorizer().fit_transform(text or "" for text in texts)
    vocabulary = counted.vocabulary
    assert vocabulary is not None
    for row, columns in made_up_queries(counted.counts):
        words = [str(word) for word in vocabulary[columns]]
        rows = lexical.rows_of(lexical.words.stems(words))
        yield row, lexical.scores(rows[rows >= 0]), parts.codes.cosines(coder.code(" ".join(words)))
