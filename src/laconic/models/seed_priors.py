"""How seeds change a fit: a prior that holds throughout the fit, and initial topics.

The prior counts the seed words of each topic again, as part of the topic, `strength` times:

==============  ====================================================================================
models          prior
==============  ====================================================================================
PLSA, STC,      The occurrences of each seed word are added to its expected count in the topic. The
MedSTC          objective has the additional term - Σ τ_kn ln β_kn, where τ_kn is `strength` times
                the number of occurrences of the word (a Dirichlet prior).
SCTM, sparse    The objective has the additional term Σ_k τ_k/2 |t_k - s_k|², where s_k is the
coding          direction of the seed words and τ_k is `strength` times their weight in the
                documents. This adds τ_k to the curvature of the topic, and τ_k s_k to its products.
Sparse LSA      The objective has the additional term - Σ c_kn a_kn, where c_kn is `strength` times
                the norm of the word's column. This adds c_kn to the entry of B = U'X.
==============  ====================================================================================

A word that is excluded from a topic, or exclusive to another topic, has the weight zero in the
topic. This is a constraint, so the weight is exactly zero, whatever the strength.

Topics with seeds come first, in the order of the seeds. They replace those initial topics that
have most of the weight of their seed words, so that no other topic begins as a copy of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.engines.stats import Stats
from laconic.errors import LaconicError
from laconic.models.seeding import EXCLUSIVE
from laconic.wording import plural

# Factor of the quadratic prior. With a larger prior, topics consist of little but their seed words,
# so that other topics take over the subject.
QUADRATIC = 0.2
SEED_SHARE = 0.2  # share of the seed words in an initial topic, besides their contexts


@dataclass
class Pairs:
    """Pairs of word and topic with a value, in ascending order of the words."""

    words: np.ndarray
    topics: np.ndarray
    values: np.ndarray

    def within(self, rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the pairs of a range of words; words are counted from the start of the range."""
        first, last = np.searchsorted(self.words, (rows.start, rows.stop))
        part = slice(first, last)
        return self.words[part] - rows.start, self.topics[part], self.values[part]

    def rows(self, n_topics: int, n_words: int) -> sp.csr_matrix:
        """Return the values as a matrix of topics x words."""
        shape = n_topics, n_words
        return sp.csr_matrix((self.values, (self.topics, self.words)), shape=shape)


def _sorted(words: np.ndarray, topics: np.ndarray, values: np.ndarray) -> Pairs:
    order = np.lexsort((topics, words))
    return Pairs(words[order], topics[order], values[order])


class Seeding:
    """The seeds of a fit.

    Parameters
    ----------
    words : csr_matrix of shape (n_seeds, n_words)
        Roles of words, see `laconic.models.seeding`.
    strength : float
    n_topics : int
    """

    def __init__(self, words: sp.csr_matrix, strength: float, n_topics: int) -> None:
        self.strength = strength
        self.n_seeds, self.n_words = words.shape
        self.n_topics = n_topics
        if n_topics < self.n_seeds:
            raise LaconicError(
                f"There are {self.n_seeds} seeds, but the documents allow only "
                f"{plural(n_topics, 'topic')}; add documents, or remove seeds."
            )
        entries = words.tocoo()
        wanted = entries.data > 0
        columns, topics = entries.col.astype(np.intp), entries.row.astype(np.intp)
        self.seeds = _sorted(columns[wanted], topics[wanted], np.ones(int(wanted.sum())))
        self.excluded = self._excluded(columns, topics, entries.data)

    def _excluded(self, columns: np.ndarray, topics: np.ndarray, roles: np.ndarray) -> Pairs:
        """Return the pairs of word and topic whose weight must be zero."""
        banned = np.zeros((len(columns), self.n_topics), dtype=bool)
        banned[roles == EXCLUSIVE] = True
        own = np.arange(len(columns)), topics
        banned[own] = roles < 0
        entries, others = np.nonzero(banned)
        pairs = np.unique(np.column_stack([columns[entries], others]), axis=0)
        return Pairs(pairs[:, 0], pairs[:, 1], np.zeros(len(pairs)))

    def prior(self, weights: np.ndarray) -> SeedPrior:
        """Return the prior, given the weight of each seed word, in the order of `seeds`."""
        pairs = Pairs(self.seeds.words, self.seeds.topics, self.strength * weights)
        return SeedPrior(pairs, self.excluded)

    def pull(self, squares: np.ndarray, power: int) -> Pull:
        """Return the quadratic prior, given the sum of squares of each seed word.

        `squares` are in the order of `seeds`. With the norms r of the seed words of a topic,
        s = r / |r| and τ is `strength` times |r|² / 5, where |r| is the l1 norm (``power=1``) if
        topics are distributions, and the l2 norm (``power=2``) if topics are in the unit ball. |r|²
        is the curvature of a topic that consists only of its seed words.
        """
        seeds = Pairs(self.seeds.words, self.seeds.topics, np.sqrt(squares))
        rows = seeds.rows(self.n_topics, self.n_words)
        norms = np.asarray(rows.power(power).sum(axis=1)).ravel() ** (1 / power)
        scales = np.divide(1.0, norms, where=norms > 0, out=np.zeros(len(norms)))
        directions = sp.csr_matrix(sp.diags(scales) @ rows)
        return Pull(QUADRATIC * self.strength * norms**2, directions, self.excluded)

    def of_words(self, totals: np.ndarray) -> np.ndarray:
        """Return the entries of an array with one value per word, in the order of `seeds`."""
        return np.asarray(totals, np.float64)[self.seeds.words]

    def place(self, weights: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Return initial topics (words x topics) that begin with the topics of seeds.

        Each seed takes one of the initial topics `weights`: topics are assigned so that they have
        as much as possible of the weight of the seed words. `starts` (words x seeds) contains a
        distribution for each seed. It is mixed with the topic, which counts as much as its share of
        the seed words: a topic that has none of them is replaced.
        """
        order, shares = self.match(weights)
        placed = weights[:, order]
        totals = np.abs(placed[:, : self.n_seeds]).sum(axis=0)
        scales = np.divide(shares, totals, where=totals > 0, out=np.zeros(len(shares)))
        placed[:, : self.n_seeds] *= scales
        placed[:, : self.n_seeds] += (1 - shares) * starts
        placed[self.excluded.words, self.excluded.topics] = 0
        return placed

    def match(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the topics, beginning with the topics that match the seeds.

        Also return the share of the weight of the seed words that each of the matching topics has.
        """
        sizes = np.abs(weights[self.seeds.words]).astype(np.float64)
        totals = sizes.sum(axis=1, keepdims=True)
        shares = np.divide(sizes, totals, where=totals > 0, out=np.zeros(sizes.shape))
        scores = np.zeros((self.n_seeds, weights.shape[1]))
        np.add.at(scores, self.seeds.topics, shares)
        scores /= np.bincount(self.seeds.topics, minlength=self.n_seeds)[:, None]
        rows, chosen = linear_sum_assignment(scores, maximize=True)
        rest = np.setdiff1d(np.arange(weights.shape[1]), chosen)
        return np.concatenate([chosen, rest]), scores[rows, chosen]

    def contexts(self, engine: Engine, chunks: list[Chunk], totals: np.ndarray) -> np.ndarray:
        """Return a distribution over words for each seed (words x seeds).

        It is the mean word distribution of the documents that contain the seed words, weighted by
        the share of the seed words in the document, with some more weight on the seed words. All
        words of a seed count alike, however frequent they are.
        """
        counts = self.of_words(totals)
        weights = np.divide(1.0, counts, where=counts > 0, out=np.zeros(len(counts)))
        pairs = Pairs(self.seeds.words, self.seeds.topics, weights)
        selector = pairs.rows(self.n_seeds, self.n_words).T.tocsr()
        contexts: Contexts = engine.map_reduce(sum_contexts, selector, chunks)
        found = contexts.sums / np.maximum(contexts.sums.sum(axis=0), 1e-300)
        own = np.zeros(found.shape)
        own[self.seeds.words, self.seeds.topics] = 1 + 1e-6 * counts
        own /= own.sum(axis=0)
        return (1 - SEED_SHARE) * found + SEED_SHARE * own


@dataclass
class Contexts(Stats):
    """Sums of the word frequencies of documents, weighted by the share of seed words in them."""

    sums: np.ndarray  # words x seeds


def sum_contexts(selector: sp.csr_matrix, chunk: Chunk, state: None) -> tuple[Contexts, None]:
    """Engine step: sum the word frequencies of the documents that contain seed words."""
    X = abs(chunk.load().astype(np.float64))
    lengths = np.asarray(X.sum(axis=1)).ravel()
    X = sp.diags(np.divide(1.0, lengths, where=lengths > 0, out=np.zeros(len(lengths)))) @ X
    return Contexts(np.asarray((X.T @ (X @ selector)).todense())), None


@dataclass
class SeedPrior:
    """Prior of the topics: additional weight of the seed words, and words that are excluded."""

    added: Pairs
    excluded: Pairs

    def add(self, counts: np.ndarray, rows: slice) -> None:
        """Add the prior to the counts of a range of words (words x topics), in place."""
        words, topics, values = self.added.within(rows)
        counts[words, topics] += values.astype(counts.dtype)

    def exclude(self, counts: np.ndarray, rows: slice) -> np.ndarray:
        """Set the counts of excluded words to zero, in place; return what each topic loses."""
        words, topics, _ = self.excluded.within(rows)
        lost = np.bincount(topics, counts[words, topics], minlength=counts.shape[1])
        counts[words, topics] = 0
        return lost

    def log_value(self, word_topics: np.ndarray) -> float:
        """Return - Σ τ ln β for topics (words x topics)."""
        weights = word_topics[self.added.words, self.added.topics].astype(np.float64)
        logs = np.log(np.maximum(weights, np.finfo(np.float64).tiny))
        return -float(self.added.values @ logs)


@dataclass
class Pull:
    """Quadratic prior Σ τ_k/2 |t_k - s_k|² of topics (topics x words), and excluded words.

    Attributes
    ----------
    curvature : ndarray of shape (n_topics,)
        τ, which is zero for topics without a seed.
    directions : csr_matrix of shape (n_topics, n_words)
        s, with the words of each seed.
    excluded : Pairs
    """

    curvature: np.ndarray
    directions: sp.csr_matrix
    excluded: Pairs
    forces: sp.csr_matrix = field(init=False)  # τ s

    def __post_init__(self) -> None:
        self.forces = sp.csr_matrix(sp.diags(self.curvature) @ self.directions)

    @property
    def is_seeded(self) -> np.ndarray:
        """Whether each topic has a seed."""
        return self.curvature > 0

    def exclude(self, rows: np.ndarray, start: int = 0, value: float = 0.0) -> None:
        """Set the weights of excluded words in some topics, beginning with `start`, in place."""
        topics = self.excluded.topics - start
        inside = (topics >= 0) & (topics < len(rows))
        rows[topics[inside], self.excluded.words[inside]] = value

    def value(self, topics: np.ndarray) -> float:
        """Return the prior for given topics (topics x words)."""
        seeded = np.flatnonzero(self.curvature)
        gaps = topics[seeded].astype(np.float64) - self.directions[seeded].toarray()
        return 0.5 * float(self.curvature[seeded] @ np.einsum("ij,ij->i", gaps, gaps))

    def curved(self, moments: np.ndarray) -> np.ndarray:
        """Return C (topics x topics) with the curvature of the prior."""
        return moments + np.diag(self.curvature)

    def add_forces(self, pulls: np.ndarray, scale: np.ndarray) -> None:
        """Add τ s, with row k multiplied by scale[k], to an array of topics x words in place."""
        entries = self.forces.tocoo()
        forces = entries.data * scale[entries.row]
        pulls[entries.row, entries.col] += forces.astype(pulls.dtype)


@dataclass
class SeedDocuments(Stats):
    """Number of documents whose strongest topic is each of the topics with seeds."""

    counts: np.ndarray
