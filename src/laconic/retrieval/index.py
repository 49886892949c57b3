"""Search index: finds documents by their words and topics.

For a query, each document has two scores. The lexical score is the BM25 score of the words in the
title and text (``bm25.py``). The background score is the cosine between the codes of query and
document (``codes.py``), which finds documents that say the same thing in other words.
``blending.py`` combines the two scores, ``ranking.py`` finds the best documents, ``search.py``
builds an index, and ``hits.py`` defines the hits.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import LaconicError
from laconic.fitted.documents import Documents
from laconic.retrieval.blending import (
    FEEDBACK,
    Blend,
    background_weight,
    feedback,
)
from laconic.retrieval.bm25 import Lexical
from laconic.retrieval.codes import Coder, Codes
from laconic.retrieval.hits import AnsweredQuery, Hit, Hits, find_keywords
from laconic.retrieval.ranking import rank
from laconic.wording import some

logger = logging.getLogger(__name__)

RELATED = 15  # maximum number of words marked as related
RERANKED = 200  # number of top documents re-ranked by feedback
LIKE_WORDS = 30  # maximum number of words of a document that are used as a query
LIKE_TEXT = 2  # minimum number of indexed words in a string that counts as a text
CACHED_KEYWORDS = 20_000  # maximum number of documents whose keywords are cached
SUGGESTED = 10  # maximum number of unknown words for which suggestions are computed


@dataclass
class IndexParts:
    """Contents of a search index, except the model."""

    lexical: Lexical
    codes: Codes
    texts: Any  # a sequence with the text (str or None) of each row, or None
    words: np.ndarray | None  # words of the model
    settings: dict[str, Any]  # settings with which the model counts words
    whole_ids: bool  # whether ids are integers
    idf: np.ndarray | None  # inverse document frequency of `words`
    agreement: float  # result of `agreement`, which determines the weight of topics


class Candidates(NamedTuple):
    """The best documents for a query, best first, whose ids and titles have not been read."""

    source: SearchIndex
    rows: np.ndarray
    lexical: np.ndarray
    background: np.ndarray
    answered: AnsweredQuery

    def hits(self, positions: np.ndarray | slice = slice(None)) -> Hits:
        """Return some of the documents as hits, with their ids and titles."""
        columns = (part[positions].tolist() for part in (self.rows, self.lexical, self.background))
        return Hits(
            Hit(
                id=self.source.id(row),
                score=words + topics,
                lexical=words,
                background=topics,
                title=self.source.documents.title(row),
                row=row,
                _query=self.answered,
            )
            for row, words, topics in zip(*columns, strict=True)
        )


class SearchIndex:
    """Search index of documents; built by `laconic.search`.

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
        self._keywords: dict[int, tuple[str, ...]] = {}  # cached keywords by row
        self._scratch: list[np.ndarray] = []  # arrays of scores that no query uses

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        lexical, language = self.parts.lexical, self.parts.lexical.words.language
        notes = [
            f"{len(lexical.stems):,} {f'{language} stems' if language else 'words'}",
            f"{self.parts.codes.n_topics:,} topics",
            *([] if self.parts.texts is None else ["texts"]),
        ]
        return f"SearchIndex of {len(self):,} documents ({', '.join(notes)})"

    def query(self, text: str, k: int = 10) -> Hits:
        """Return the best documents for a query.

        Parameters
        ----------
        text : str
            Words, a question, or a whole text. A repeated word counts repeatedly; case, accents
            and inflections are ignored.
        k : int, default=10
            Maximum number of hits.

        Returns
        -------
        Hits
            A list of `Hit`, best first, which prints as a table; ``.frame`` is a polars DataFrame.
            Equal scores are ordered by row. Documents that share neither a word nor a topic with
            the query are left out.

        Raises
        ------
        LaconicError
            If neither the documents nor the model contain any word of the text; the message lists
            these words and suggests similarly spelt words.
        """
        return self.candidates(text, k).hits()

    def candidates(self, text: str, k: int) -> Candidates:
        """Return the best documents for a query like `query`, without reading ids and titles."""
        self._check(k)
        if not isinstance(text, str):
            raise LaconicError(f"query accepts one text (str); got {type(text).__name__}.")
        rows = self._rows(text)
        code = self._coder.code(text)
        if not len(rows) and not len(code):
            raise LaconicError(self._why_nothing(text))
        # After the re-ranking of the first documents, the best k documents are among these.
        best = self._blend(rows, code, max(RERANKED, k) + k)
        self._rerank(best, max(RERANKED, k), code)
        return self._candidates(rows, code, k, best)

    def like(self, document: Any, k: int = 10) -> Hits:
        """Return the documents most similar to one document.

        Parameters
        ----------
        document : str, int or list with one text
            Id, title or row of an indexed document, or a list with one new text. A str that is not
            the id or title of a document is used as a new text if at least two of its words are
            indexed.
        k : int, default=10
            Maximum number of hits.

        Returns
        -------
        Hits
            The hits, as returned by `query`, without the document itself.
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
                f"The document {document!r} has no words and no topics, so no documents are "
                "similar to it."
            )
        best = self._blend(stems[strongest], code, k, leave_out=row)
        return self._candidates(stems[strongest], code, k, best).hits()

    def unknown(self, text: str) -> dict[str, list[str]]:
        """Return the words of a text that neither the documents nor the model contain.

        The words are mapped to suggestions, which are computed only for the first ten words.

        Examples
        --------
        >>> import laconic
        >>> corpus = laconic.read(["a cat purrs", "a dog barks"])
        >>> model = laconic.pipeline("plsa", n_components=2).fit(corpus)
        >>> laconic.search(model, corpus).unknown("a catt or a dog")
        {'catt': ['cat']}
        """
        lexical = self.parts.lexical
        words = dict(zip(*lexical.look_up(text), strict=True))
        missing = [word for word, row in words.items() if row < 0]
        unknown = [word for word in missing if not self._coder.knows(word)]
        return {
            word: lexical.suggest(word) if i < SUGGESTED else [] for i, word in enumerate(unknown)
        }

    def keywords(self, row: int) -> tuple[str, ...]:
        """Return the most distinctive words of a document; see `find_keywords`."""
        words = self._keywords.get(row)
        if words is None:
            if len(self._keywords) >= CACHED_KEYWORDS:
                self._keywords = {}
            words = find_keywords(self.parts.lexical, row, self.parts.texts)
            self._keywords[row] = words
        return words

    def related_stems(self, code: np.ndarray) -> list[str]:
        """Return the stems of the top words of the topics in a code, by weight times idf."""
        lexical, weights = self.parts.lexical, self._coder.related(code)
        stems = lexical.words.stems(list(weights))
        rows = lexical.rows_of(stems)
        indexed = np.flatnonzero(rows >= 0)
        scores = np.array(list(weights.values()))[indexed] * lexical.rarity(rows[indexed])
        return [stems[i] for i in indexed[np.argsort(-scores, kind="stable")]][:RELATED]

    def _check(self, k: int) -> None:
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
            raise LaconicError(f"k must be an integer of at least 1; got {k!r}.")
        if self.documents.topics is not self._coder.topics:
            raise LaconicError(
                "The model was refitted after the index was built; build a new index with "
                "laconic.search(model, corpus)."
            )

    def _rows(self, text: str) -> np.ndarray:
        """Return the rows of the indexed stems of a text, with repetitions."""
        _, rows = self.parts.lexical.look_up(text)
        return rows[rows >= 0]

    def _blend(
        self, rows: np.ndarray, code: np.ndarray, n: int, leave_out: int | None = None
    ) -> Blend:
        """Return the best `n` documents.

        New arrays for the scores of all documents would take longer than the scoring, so they are
        used again. While a query uses them, they are not in the list, so threads do not share them.
        """
        try:
            arrays = self._scratch.pop()
        except IndexError:
            arrays = np.empty((2, len(self)), np.float32)
        scores = self.parts.lexical.scores(rows, out=arrays[0])
        best = rank(scores, self.parts.codes, code, self._weight, n, leave_out, arrays[1])
        self._scratch.append(arrays)
        return best

    def _rerank(self, best: Blend, n: int, code: np.ndarray) -> None:
        """Score the first `n` documents again after moving the query code towards the best hits.

        The method is known as pseudo-relevance feedback.
        """
        if not code.any() or not self._weight:
            return
        codes, rows = self.parts.codes, best.rows[:n]
        moved = feedback(code, codes.documents(rows[:FEEDBACK]))
        if moved.any():  # Otherwise, the codes of the query and the best documents cancel out.
            best.background[:n] = codes.cosines_of(rows, moved) * best.unit

    def _candidates(self, rows: np.ndarray, code: np.ndarray, k: int, best: Blend) -> Candidates:
        """Return the best `k` of some documents, best first."""
        words, texts = self.parts.lexical.words, self.parts.texts
        wanted, related = partial(self._idf, rows), partial(self.related_stems, code)
        query = AnsweredQuery(words, texts, wanted, related, self.keywords)
        scores = best.lexical + best.background
        order = np.lexsort((best.rows, -scores))[:k]
        order = order[scores[order] > 0]
        # Sort again, because sums in float64 may differ in order from sums in float32.
        lexical, background = (
            part[order].astype(np.float64) for part in (best.lexical, best.background)
        )
        again = np.lexsort((best.rows[order], -(lexical + background)))
        return Candidates(self, best.rows[order][again], lexical[again], background[again], query)

    def _idf(self, rows: np.ndarray) -> dict[str, float]:
        """Return the idf of the stems in some rows, by stem."""
        lexical, stems = self.parts.lexical, np.unique(rows)
        return dict(zip(lexical.stems[stems].tolist(), lexical.rarity(stems).tolist(), strict=True))

    def id(self, row: int) -> Any:
        """Return the id of a document: a str, an int, or its row if the corpus has no ids."""
        if self.documents.ids is None:
            return row
        id_ = self.documents.id(row)
        return int(id_) if self.parts.whole_ids else id_

    def _new_text(self, document: Any) -> str | None:
        """Return `document` if it is a new text, or None if it is an id, title or row."""
        if isinstance(document, (list, tuple)):
            if len(document) != 1 or not isinstance(document[0], str):
                raise LaconicError("like accepts only one document; pass a list with one text.")
            return document[0]
        if not isinstance(document, (str, int, np.integer)) or isinstance(document, bool):
            raise LaconicError(
                f"like accepts an id, a title, a row or a list with one text; got "
                f"{type(document).__name__}."
            )
        if not isinstance(document, str) or self.documents.has(document):
            return None
        words = document.split()
        if len(words) < LIKE_TEXT or len(np.unique(self._rows(document))) < LIKE_TEXT:
            return None
        logger.info("no document has the id or title %r, so it is used as a text", _short(document))
        return document

    def _why_nothing(self, text: str) -> str:
        words = self.parts.lexical.words
        distinct = list(dict.fromkeys(words.split(text)))
        if not distinct:
            problem = f"{_short(text)!r} has no words" if text.strip() else "is empty"
            return f"The query {problem}; enter at least one word."
        unknown = self.unknown(text)
        if not unknown:
            return (
                f"All words of the query are {str(words.language).capitalize()} stop words "
                f"({some(map(repr, distinct))}), which search ignores; add a more specific word."
            )
        suggestions = list(dict.fromkeys(word for words in unknown.values() for word in words))
        which = "No document has the word" + ("s " if len(unknown) > 1 else " ")
        hint = f"; did you mean {some(map(repr, suggestions))}?" if suggestions else "."
        return f"{which}{some(map(repr, unknown))}{hint}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:40]}…"
