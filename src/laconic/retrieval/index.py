"""Find documents: by their words and by what they are about.

A document has two scores for a query. The lexical one is BM25 on the words of its title and text
(``bm25.py``). The background one is the cosine between the codes that a model gives query and
document (``codes.py``), which finds documents that say the same in other words. ``blending.py``
joins them. ``search.py`` makes an index, ``hits.py`` has what is shown of what was found.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.fitted.documents import Documents
from laconic.kernels.postings import best_rows
from laconic.retrieval.blending import (
    FEEDBACK,
    Blend,
    background_weight,
    blend,
    deviation,
    feedback,
)
from laconic.retrieval.bm25 import Lexical
from laconic.retrieval.codes import Coder, Codes, unit_rows
from laconic.retrieval.hits import AnsweredQuery, Hit, find_keywords
from laconic.wording import some

logger = logging.getLogger(__name__)

RELATED = 15  # words that are marked as related
AGAIN = 200  # best documents that are scored a second time
LIKE_WORDS = 30  # words of a document that others are looked for with
LIKE_TEXT = 2  # known words that make a string with blanks a text rather than a name
REMEMBERED = 20_000  # documents whose keywords are kept
SUGGESTED = 10  # unknown words that near ones are looked for of


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
        words = dict(zip(*lexical.look_up(text), strict=True))
        missing = [word for word, row in words.items() if row < 0]
        unknown = [word for word in missing if not self._coder.knows(word)]
        return {word: lexical.near(word) if i < SUGGESTED else [] for i, word in enumerate(unknown)}

    def keywords(self, row: int) -> tuple[str, ...]:
        """The few words that set a document apart: rare, often in it, and early in its text."""
        known = self._keywords.get(row)
        if known is None:
            if len(self._keywords) >= REMEMBERED:
                self._keywords = {}
            known = find_keywords(self.parts.lexical, row, self.parts.texts)
            self._keywords[row] = known
        return known

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
        _, rows = self.parts.lexical.look_up(text)
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
        return unit_rows(self.documents.codes[rows].toarray())

    def _hits(self, rows: np.ndarray, code: np.ndarray, k: int, found: Blend) -> list[Hit]:
        lexical, own = self.parts.lexical, np.unique(rows)
        worth = dict(zip(lexical.stems[own].tolist(), lexical.rarity(own).tolist(), strict=True))
        related = partial(self.related_stems, code)
        query = AnsweredQuery(lexical.words, self.parts.texts, worth, related, self.keywords)
        hits = [
            Hit(
                id=self._id(row),
                score=float(found.lexical[row]) + float(found.background[row]),
                lexical=float(found.lexical[row]),
                background=float(found.background[row]),
                title=self.documents.title(row),
                row=row,
                _query=query,
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


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:40]}…"
