"""Seven small test collections: documents, queries and relevance judgments."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import Stemmer

import laconic
from benchmarks.data import data_file
from benchmarks.harness import Run
from laconic import Corpus
from laconic.datasets import make_topics
from laconic.text.defaults import EVERY_WORD
from laconic.text.stop_words import stop_words

NAMES = ("med", "cisi", "cran", "time", "adi", "lisa", "npl")
TOKEN = re.compile(r"\b\w\w+\b")
ENGLISH = stop_words("english", str.lower)


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text, without English stop words."""
    words = [word for word in TOKEN.findall(text.lower()) if word not in ENGLISH]
    return Stemmer.Stemmer("english").stemWords(words)


@dataclass(frozen=True)
class Collection:
    """Documents, queries with relevance judgments, and the rows relevant to each query."""

    name: str
    titles: list[str]
    texts: list[str]
    queries: list[str]
    relevant: list[np.ndarray]

    @cached_property
    def corpus(self) -> Corpus:
        """Counts of the stems in titles and texts."""
        return self._read(tokenizer=stems)

    @cached_property
    def words(self) -> Corpus:
        """Counts of the unstemmed words in titles and texts that at least two documents contain."""
        return self._read(stop_words="english", min_df=2)

    def _read(self, **settings) -> Corpus:
        headed = list(map(_headed, self.titles, self.texts))
        counted = laconic.read(headed, **{**EVERY_WORD, **settings})
        return Corpus(
            counted.counts,
            counted.vocabulary,
            titles=self.titles if any(self.titles) else None,
            texts=headed,
            vectorizer=counted.vectorizer,
        )


def _headed(title: str, text: str) -> str:
    """Join title and text, unless the text already starts with the title."""
    return text if text.lower().startswith(title.lower().strip()) else f"{title}\n{text}"


def collections(run: Run) -> list[Collection]:
    """Return the seven collections; in a smoke run, three synthetic collections."""
    if run.smoke:
        return [_made_up(name, run.seed + i) for i, name in enumerate(("one", "two", "three"))]
    return [_collection(name) for name in NAMES]


@cache
def _collection(name: str) -> Collection:
    with gzip.open(data_file(f"ir/{name}.docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    rows = {str(document["id"]): row for row, document in enumerate(documents)}
    judged: dict[str, list[int]] = {}
    lines = data_file(f"ir/{name}.qrels.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:  # the collection "cran" marks irrelevant documents with -1
            judged.setdefault(query, []).append(rows[document])
    lines = data_file(f"ir/{name}.queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [query for query in map(json.loads, lines) if str(query["id"]) in judged]
    return Collection(
        name,
        [document.get("title") or "" for document in documents],
        [document.get("text") or "" for document in documents],
        [query["text"] for query in queries],
        [np.unique(judged[str(query["id"])]) for query in queries],
    )


def _made_up(name: str, seed: int) -> Collection:
    corpus, planted = make_topics(120, 160, 4, document_length=30, random_state=seed)
    spelled = np.array([f"w{chr(97 + i // 26)}{chr(97 + i % 26)}x" for i in range(160)])
    texts = [" ".join(np.repeat(spelled[row.indices], row.data)) for row in corpus.counts]
    topics = planted.codes.argmax(axis=1)
    asked = range(0, 120, 15)
    return Collection(
        name,
        [text.split(" ")[0] for text in texts],
        texts,
        [" ".join(texts[row].split(" ")[::6]) for row in asked],
        [np.flatnonzero(topics == topics[row]) for row in asked],
    )


def p_value(ours: np.ndarray, theirs: np.ndarray, seed: int, n: int = 20_000) -> float:
    """Test the difference of means by sign-flip permutations and return the p-value."""
    differences = np.asarray(ours) - np.asarray(theirs)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, len(differences)))
    extreme = np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12
    return float((extreme.sum() + 1) / (n + 1))
