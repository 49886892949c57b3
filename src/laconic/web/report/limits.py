"""How much the report shows of each topic, so that the file stays small with many topics."""

from __future__ import annotations

from dataclasses import dataclass

ALL = 200  # so many topics are shown in full
FEW = 25  # a topic with no more words shows all of them
BEST = 15  # of one with more, so many
BEST_OF_MANY = 10  # the same where there are many topics
INDEXED, INDEXED_OF_MANY = 8, 4  # words of a topic that are in the index


@dataclass(frozen=True)
class Limits:
    """What is shown, by the number of topics.

    Examples
    --------
    >>> Limits(n_topics=100, n_documents=5).documents(rank=100)
    5
    >>> Limits(n_topics=1000, n_documents=5).documents(rank=201)
    1
    """

    n_topics: int
    n_documents: int

    @property
    def many(self) -> bool:
        """Whether there are too many topics to show all of each."""
        return self.n_topics > ALL

    @property
    def slider(self) -> bool:
        """Whether the words of a topic can be ordered by relevance."""
        return not self.many

    @property
    def indexed(self) -> int:
        """Words of each topic in the index."""
        return INDEXED_OF_MANY if self.many else INDEXED

    def words(self, n_words: int) -> int:
        """Words of a topic that are shown."""
        if self.many:
            return BEST_OF_MANY
        return n_words if n_words <= FEW else BEST

    def documents(self, rank: int) -> int:
        """Documents of the topic of this rank by share."""
        return self.n_documents if rank <= ALL else min(1, self.n_documents)

    def excerpts(self, rank: int) -> bool:
        """Whether its documents show a passage."""
        return rank <= ALL

    def left_out(self) -> str | None:
        """What a reader should know is missing."""
        if not self.many:
            return None
        documents = (
            f" Documents are shown with a passage for the {ALL} largest topics; every other topic "
            "has the title of its first document."
            if self.n_documents
            else ""
        )
        return (
            f"There are {self.n_topics:,} topics, so this page shows only part of each: up to "
            f"{BEST_OF_MANY} words, and {INDEXED_OF_MANY} of them in the index.{documents}"
        )
