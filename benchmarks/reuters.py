"""Stories of Reuters-21578, whose titles are a substitute for keywords chosen by people.

Only stories with a title and a body are used, in the order of the collection. Settings must be
chosen on the stories of `Stories.others`, which are neither among the first thousand stories nor
among the longest thousand.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
import scipy.sparse as sp

from benchmarks.data import data_file
from benchmarks.harness import Run
from laconic import Vectorizer
from laconic.datasets import make_topics
from laconic.text.stop_words import stop_words

STORIES = "reuters21578.jsonl.gz"
N_SCORED = 1000
N_FREQUENT = 3000
WORD = re.compile(r"[a-z][a-z]+")


@dataclass(frozen=True)
class Stories:
    """Titles and bodies of stories; only the complete collection has labels."""

    titles: list[str]
    bodies: list[str]
    labels: list[str | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.titles)

    def at(self, rows: Iterable[int]) -> Stories:
        rows = list(rows)
        return Stories([self.titles[row] for row in rows], [self.bodies[row] for row in rows])

    @property
    def n_scored(self) -> int:
        """Number of scored stories: 1,000, but at most a third of all stories."""
        return min(N_SCORED, len(self) // 3)

    def first(self, n: int | None = None) -> Stories:
        return self.at(range(min(n or self.n_scored, len(self))))

    def longest(self, n: int | None = None) -> Stories:
        """Return the stories with the longest bodies, in the order of the collection."""
        return self.at(sorted(self._by_length[: n or self.n_scored]))

    def others(self, n: int | None = None, seed: int = 0) -> Stories:
        """Draw stories for choosing settings; these stories are never scored."""
        scored = {*range(self.n_scored), *self._by_length[: self.n_scored]}
        rows = [row for row in range(len(self)) if row not in scored]
        if n is not None and n < len(rows):
            rows = sorted(np.random.default_rng(seed).choice(rows, n, replace=False).tolist())
        return self.at(rows)

    def texts(self, with_title: bool) -> list[str]:
        """Return the bodies of the stories; if `with_title`, each with its title before it."""
        if not with_title:
            return self.bodies
        return [f"{title}\n{body}" for title, body in zip(self.titles, self.bodies, strict=True)]

    def title_words(self) -> list[set[str]]:
        """Return the words of each title, without stop words."""
        return [words_of(title) - _stop_words() for title in self.titles]

    @cached_property
    def _by_length(self) -> list[int]:
        lengths = [len(WORD.findall(body.lower())) for body in self.bodies]
        return sorted(range(len(self)), key=lambda row: (-lengths[row], row))


@dataclass(frozen=True)
class TitledCounts:
    """Word counts of stories and, with the same columns, of their titles."""

    counts: sp.csr_matrix  # float64
    titles: sp.csr_matrix
    vocabulary: np.ndarray


def reuters(run: Run) -> Stories:
    """Return 19,043 stories with title and body; in a smoke run, synthetic stories."""
    return _made_up(run.seed) if run.smoke else _stories()


def words_of(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


def counted(
    stories: Stories,
    *,
    with_title: bool = False,
    title_words: bool = True,
    n_frequent: int = N_FREQUENT,
) -> TitledCounts:
    """Count words as in the paper: the most frequent words and the words of titles."""
    texts = stories.texts(with_title)
    words = Vectorizer(max_features=n_frequent, **_options()).fit(texts).vocabulary_
    if title_words:
        named = Vectorizer(**_options()).fit(stories.titles).vocabulary_
        words = np.union1d(words, named)
    fixed = Vectorizer(vocabulary=words, **_options())
    counts, titles = (
        fixed.fit_transform(part).counts.astype(np.float64) for part in (texts, stories.titles)
    )
    occurs = counts.getnnz(axis=0) > 0
    return TitledCounts(counts[:, occurs], titles[:, occurs], words[occurs])


def _options() -> dict[str, object]:
    pattern = rf"(?u){WORD.pattern}"
    return {"stop_words": "english", "token_pattern": pattern, "min_df": 1, "max_df": 1.0}


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(stop_words("english"))


@cache
def _stories() -> Stories:
    titles, bodies, labels = [], [], []
    with gzip.open(data_file(STORIES), "rt", encoding="utf-8") as lines:
        for line in lines:
            story = json.loads(line)
            if story["title"] and story["text"]:
                titles.append(story["title"])
                bodies.append(story["text"])
                labels.append(story["label"])
    return Stories(titles, bodies, labels)


# --- synthetic stories ---------------------------------------------------------------------------

N_MADE_UP = 60


@cache
def _made_up(seed: int) -> Stories:
    """Generate stories from topics; two words of each title are repeated in the body."""
    random = np.random.default_rng(seed)
    corpus, planted = make_topics(N_MADE_UP, 120, 4, document_length=40, random_state=seed)
    names = np.array([f"word{_letters(word)}" for word in range(corpus.shape[1])])
    titles, bodies = [], []
    for number, row in enumerate(corpus.counts.astype(int)):
        own = [f"name{_letters(number)}", str(random.choice(names))]
        words = random.permutation(np.r_[np.repeat(names[row.indices], row.data), own * 3])
        topic = int(planted.codes[number].argmax())
        titles.append(f"{own[0]} {own[1]} topic{_letters(topic)}".upper())
        bodies.append(_sentences([own[0], *words.tolist()]))
    return Stories(titles, bodies)


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:03d}")


def _sentences(words: list[str]) -> str:
    parts = [" ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    return ". ".join(part.capitalize() for part in parts) + "."
