"""Find documents: by their words and by what they are about.

A document has two scores for a query. The lexical one is BM25 on the words of its title and text
(``lexical.py``). The background one is the cosine between the codes that a model gives query and
document (``search_codes.py``), which finds documents that say the same in other words.
``blending.py`` joins them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.documents import Documents, kept_documents, names_of
from laconic.kernels.postings import best_rows
from laconic.retrieval.blending import (
    FEEDBACK,
    Blend,
    agreement,
    background_weight,
    blend,
    deviation,
    feedback,
    made_up_queries,
)
from laconic.retrieval.bm25 import Lexical, index_words
from laconic.retrieval.codes import Coder, Codes, rarity_of
from laconic.text.passages import Snippet, cut_snippet
from laconic.text.vectorizer import Vectorizer
from laconic.wording import some

logger = logging.getLogger(__name__)

RELATED = 15  # words that are marked as related
AGAIN = 200  # best documents that are scored a second time
LIKE_WORDS = 30  # words of a document that others are looked for with
LIKE_TEXT = 2  # known words that make a string with blanks a text rather than a name
KEYWORDS = 5
REMEMBERED = 20_000  # documents whose keywords are kept
SUGGESTED = 10  # unknown words that near ones are looked for of
NAMING = re.compile(r"^[^\W\d_]{3}")  # what a keyword begins with: no numbers, no ids


@dataclass(frozen=True)
class Hit:
    """A document that was found.

    Attributes
    ----------
    id : str or int
        The corpus's own, or the position.
    score : float
        The sum of its two parts.
    lexical : float
        The part of its words.
    background : float
        The part of its topics.
    title : str or None
    snippet : Snippet
        A passage with the words of the query, made when it is asked for; empty without texts.
    keywords : tuple of str
        The few words that set the document apart, found when they are asked for.
    row : int
        The position of the document.
    """

    id: Any
    score: float
    lexical: float
    background: float
    title: str | None
    row: int
    _look: _Look = field(repr=False, compare=False)

    @cached_property
    def snippet(self) -> Snippet:
        return self._look.snippet(self.row)

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        return self._look.index.keywords(self.row)


@dataclass
class IndexParts:
    """All that an index is made of, apart from the model."""

    lexical: Lexical
    codes: Codes
    texts: Any  # a str for each row, or None
    words: np.ndarray | None  # what the model counts, and how
    settings: dict[str, Any]
    whole_ids: bool  # ids are int
    idf: np.ndarray | None  # of the words that the model counts
    agreement: float  # of words and topics, which says what the topics are worth here


@dataclass(frozen=True)
class _Look:
    """A query, as those who show what it found need it."""

    index: SearchIndex
    wanted: dict[str, float]  # stems and their worth
    code: np.ndarray

    @cached_property
    def related(self) -> frozenset[str]:
        return frozenset(self.index.related_stems(self.code)) - self.wanted.keys()

    def snippet(self, row: int) -> Snippet:
        texts = self.index.parts.texts
        if texts is None:
            return Snippet()
        words = self.index.parts.lexical.words
        return cut_snippet(texts[row] or "", words, self.wanted, self.related)


class SearchIndex:
    """Documents that can be searched; made by `laconic.search`.

    Examples
    --------
    >>> import laconic
    >>> texts = ["Cats purr", "A kitten purrs and naps", "Dogs bark", "The dog barks at a cat"]
    >>> corpus = laconic.read(texts, stop_words="english")
    >>> model = laconic.pipeline("plsa", n_components=2).fit(corpus)
    >>> index = laconic.search(model, corpus)
    >>> index
    SearchIndex of 4 documents (6 english stems, 2 topics, texts)
    >>> [hit.id for hit in index.query("kittens", k=2)]
    [1]
    """

    def __init__(self, model: Any, documents: Documents, parts: IndexParts) -> None:
        self.documents = documents
        self.parts = parts
        self._coder = Coder(model, parts.words, parts.settings, parts.idf)
        self._weight = background_weight(parts.agreement)
        self._keywords: dict[int, tuple[str, ...]] = {}  # of documents that were found before

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        lexical, language = self.parts.lexical, self.parts.lexical.words.language
        notes = [
            f"{len(lexical.stems):,} {f'{language} stems' if language else 'words'}",
            f"{self.parts.codes.shape[0]:,} topics",
            *([] if self.parts.texts is None else ["texts"]),
        ]
        return f"SearchIndex of {len(self):,} documents ({', '.join(notes)})"

    def query(self, text: str, k: int = 10) -> list[Hit]:
        """The documents that fit a text best.

        Parameters
        ----------
        text : str
            What to look for: words, a question, or a whole text. A word that stands twice counts
            twice; capitals, accents and endings do not matter.
        k : int, default=10
            Most documents to give.

        Returns
        -------
        list of Hit
            The best first, and by position where equally good. Documents that have neither a word
            nor a topic of the query are left out.

        Raises
        ------
        LaconicError
            The text has no word that the documents or the model have; the sentence names the words
            and others that look like them.
        """
        self._check(k)
        if not isinstance(text, str):
            raise LaconicError(f"query takes one text, a str; got {type(text).__name__}.")
        rows = self._rows(text)
        code = self._coder.code(text)
        if not len(rows) and not len(code):
            raise LaconicError(self._why_nothing(text))
        return self._hits(rows, code, k, self._draw_near(*self._blend(rows, code), code, k))

    def like(self, document: Any, k: int = 10) -> list[Hit]:
        """The documents that are most like one.

        Parameters
        ----------
        document : str, int or list with one text
            Its id or title, or its row. A new text stands in a list; a str that is no document's id
            or title is taken for a text if it has several words that are known.
        k : int, default=10
            Most documents to give.

        Returns
        -------
        list of Hit
            As `query` gives them; the document itself is left out.
        """
        self._check(k)
        text = self._new_text(document)
        if text is None:
            row = self.documents.find(document)
            stems, weights = self.parts.lexical.document(row)
            code = self.parts.codes.document(row).astype(np.float64)
        else:
            row = None
            stems, counts = np.unique(self._rows(text), return_counts=True)
            weights = counts * self.parts.lexical.rarity(stems)
            code = self._coder.code(text)
            if not len(stems) and not len(code):
                raise LaconicError(self._why_nothing(text))
        strongest = np.lexsort((stems, -weights))[:LIKE_WORDS]
        if not len(strongest) and not code.any():
            raise LaconicError(
                f"The document {document!r} has no word and no topic, so nothing is like it."
            )
        found, _ = self._blend(stems[strongest], code, leave_out=row)
        return self._hits(stems[strongest], code, k, found)

    def unknown(self, text: str) -> dict[str, list[str]]:
        """The words of a text that neither the documents nor the model have, and near ones.

        Near ones are looked for of the first ten.

        Examples
        --------
        >>> import laconic
        >>> corpus = laconic.read(["a cat purrs", "a dog barks"])
        >>> model = laconic.pipeline("plsa", n_components=2).fit(corpus)
        >>> laconic.search(model, corpus).unknown("a catt or a dog")
        {'catt': ['cat']}
        """
        lexical = self.parts.lexical
        words = [
            word
            for word in dict.fromkeys(lexical.words.split(text))
            if not lexical.words.is_stop(word)
        ]
        rows = lexical.rows_of(lexical.words.stems(words))
        missing = [word for word, row in zip(words, rows, strict=True) if row < 0]
        unknown = [word for word in missing if not self._coder.knows(word)]
        return {word: lexical.near(word) if i < SUGGESTED else [] for i, word in enumerate(unknown)}

    def keywords(self, row: int) -> tuple[str, ...]:
        """The few words that set a document apart: rare, often in it, and early in its text."""
        known = self._keywords.get(row)
        if known is None:
            if len(self._keywords) >= REMEMBERED:
                self._keywords = {}
            known = self._keywords[row] = self._find_keywords(row)
        return known

    def _find_keywords(self, row: int) -> tuple[str, ...]:
        lexical = self.parts.lexical
        if self.parts.texts is None:
            rows, weights = lexical.document(row)
            forms = lexical.forms[rows]
        else:
            forms, weights = self._words_of(self.parts.texts[row] or "")
        order = np.argsort(-weights, kind="stable").tolist()
        named = (str(forms[i]) for i in order if NAMING.search(forms[i]))
        return tuple(islice(named, KEYWORDS))

    def _words_of(self, text: str) -> tuple[list[str], np.ndarray]:
        """The words of a text, one of each stem, and (1 + ln tf) · idf / √(first position)."""
        lexical = self.parts.lexical
        words = [word for word in lexical.words.split(text) if not lexical.words.is_stop(word)]
        rows = lexical.rows_of(lexical.words.stems(words))
        known, first, times = np.unique(rows, return_index=True, return_counts=True)
        first, times = first[known >= 0], times[known >= 0]
        weights = (1 + np.log(times)) * lexical.rarity(known[known >= 0]) / np.sqrt(1 + first)
        return [words[i] for i in first], weights

    def related_stems(self, code: np.ndarray) -> list[str]:
        """Stems of the words that the topics of a code have much of, rare ones before common."""
        lexical, weights = self.parts.lexical, self._coder.related(code)
        stems = lexical.words.stems(list(weights))
        rows = lexical.rows_of(stems)
        known = np.flatnonzero(rows >= 0)
        worth = np.array(list(weights.values()))[known] * lexical.rarity(rows[known])
        return [stems[i] for i in known[np.argsort(-worth, kind="stable")]][:RELATED]

    def _check(self, k: int) -> None:
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
            raise LaconicError(f"k must be a whole number of at least 1; got {k!r}.")
        if self.documents.topics is not self._coder.topics:
            raise LaconicError(
                "The model was fitted again after the index was made; make it anew with "
                "laconic.search(model, corpus)."
            )

    def _rows(self, text: str) -> np.ndarray:
        """The stems of a text that documents have, each as often as it stands there."""
        lexical = self.parts.lexical
        words = [word for word in lexical.words.split(text) if not lexical.words.is_stop(word)]
        rows = lexical.rows_of(lexical.words.stems(words))
        return rows[rows >= 0]

    def _blend(
        self, rows: np.ndarray, code: np.ndarray, leave_out: int | None = None
    ) -> tuple[Blend, float]:
        """Scores of all documents by words and by topics, and what a cosine of 1 counts."""
        scores, cosines = self.parts.lexical.scores(rows), self.parts.codes.cosines(code)
        if leave_out is not None:
            scores[leave_out] = cosines[leave_out] = 0
        return blend(scores, cosines, self._weight), self._weight / deviation(cosines)

    def _draw_near(self, found: Blend, unit: float, code: np.ndarray, k: int) -> Blend:
        """The best documents scored again, by a code that is drawn to those of the very best."""
        if not code.any() or not self._weight:
            return found
        rows = best_rows(found.score, max(AGAIN, k))
        codes = self._unit_codes(rows)
        drawn = feedback(code, codes[:FEEDBACK])
        length = np.linalg.norm(drawn)
        if length == 0:  # the best documents are the opposite of the query
            return found
        found.background[rows] = codes @ drawn * (unit / length)
        found.score[rows] = found.lexical[rows] + found.background[rows]
        return found

    def _unit_codes(self, rows: np.ndarray) -> np.ndarray:
        """Codes of a few documents, documents x topics."""
        if not sp.issparse(self.parts.codes.topics):
            return self.parts.codes.topics[:, rows].T
        codes = self.documents.codes[rows].toarray()
        lengths = np.linalg.norm(codes, axis=1, keepdims=True)
        return codes / np.where(lengths > 0, lengths, 1)

    def _hits(self, rows: np.ndarray, code: np.ndarray, k: int, found: Blend) -> list[Hit]:
        lexical, own = self.parts.lexical, np.unique(rows)
        worth = dict(zip(lexical.stems[own].tolist(), lexical.rarity(own).tolist(), strict=True))
        look = _Look(self, worth, code)
        hits = [
            Hit(
                id=self._id(row),
                score=float(found.lexical[row]) + float(found.background[row]),
                lexical=float(found.lexical[row]),
                background=float(found.background[row]),
                title=self.documents.title(row),
                row=row,
                _look=look,
            )
            for row in best_rows(found.score, k).tolist()
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.row))  # the sum has more digits

    def _id(self, row: int) -> Any:
        if self.documents.ids is None:
            return row
        id_ = self.documents.id(row)
        return int(id_) if self.parts.whole_ids else id_

    def _new_text(self, document: Any) -> str | None:
        """The text, where it is none of the documents."""
        if isinstance(document, (list, tuple)):
            if len(document) != 1 or not isinstance(document[0], str):
                raise LaconicError("like takes one document; give a list with one text.")
            return document[0]
        if not isinstance(document, (str, int, np.integer)) or isinstance(document, bool):
            raise LaconicError(
                f"like takes an id, a title, a row or a list with one text; got "
                f"{type(document).__name__}."
            )
        if not isinstance(document, str) or self.documents.has(document):
            return None
        words = document.split()
        if len(words) < LIKE_TEXT or len(np.unique(self._rows(document))) < LIKE_TEXT:
            return None
        logger.info("no document is called %r; it is taken for a text", _short(document))
        return document

    def _why_nothing(self, text: str) -> str:
        words = self.parts.lexical.words
        found = list(dict.fromkeys(words.split(text)))
        if not found:
            what = f"{_short(text)!r} has no word to look for" if text.strip() else "is empty"
            return f"The query {what}; give at least one word."
        unknown = self.unknown(text)
        if not unknown:
            return (
                f"All words of the query are stop words in {words.language} "
                f"({some(map(repr, found))}), which are not looked for; add a word that says more."
            )
        near = list(dict.fromkeys(word for words in unknown.values() for word in words))
        which = "No document has the word" + ("s " if len(unknown) > 1 else " ")
        hint = f"; near {'it' if len(unknown) == 1 else 'them'}: {some(map(repr, near))}"
        return f"{which}{some(map(repr, unknown))}{hint if near else ''}."


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
        whole_ids=_are_whole(corpus.ids),
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


def _are_whole(ids: np.ndarray | None) -> bool:
    return ids is not None and all(type(id_) is int for id_ in ids)


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


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:40]}…"
