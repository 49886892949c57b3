"""Topics of a model as objects that print as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from laconic.errors import LaconicError
from laconic.tables import Cell, Column, html_table, printable, text_table
from laconic.wording import WEAK_LEGEND, some

if TYPE_CHECKING:
    import polars as pl

SCHEMA: dict[str, Any] = {
    "topic": int,
    "name": str,
    "share": float,
    "documents": float,
    "n_words": int,
    "words": list[str],
    "weak": bool,
    "hidden": bool,
    "note": str,
}
NO_WORDS = (
    "The words are column numbers, because the model does not know its words; pass them as "
    "vocabulary=."
)


class UnknownTopicError(LaconicError, IndexError, KeyError):
    """There is no topic with this number or name."""

    __str__ = Exception.__str__  # the method of KeyError would add quotation marks


@dataclass(frozen=True, repr=False)
class Topic:
    """One topic of a model; ``print(topic)`` shows its words and their weights.

    Attributes
    ----------
    number : int
        Row of ``components_``.
    name : str or None
        Name that a user gave to the topic (see `laconic.explore`), or else its automatic name (see
        `laconic.name_topics`).
    share : float or None
        Share of the topic in the documents of the fit.
    documents : float or None
        Effective number of documents of the topic.
    n_words : int
        Number of words with non-zero weight.
    weights : list of (str, float)
        The strongest words and their weights, strongest first.
    weak : bool or None
        Whether few documents share the topic.
    hidden : bool
        Whether a user hid the topic.
    note : str
        Note of a user.
    stability : float or None
        How well refits find the topic again, from 0 to 1, if it was measured; see
        `laconic.topic_stability`.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = laconic.SparseLSA(2, alpha=0.1).fit(corpus)
    >>> topic = laconic.topics(model)[0]
    >>> topic.words, topic.n_words
    (['cat', 'purr'], 2)
    """

    number: int
    name: str | None
    share: float | None
    documents: float | None
    n_words: int
    weights: list[tuple[str, float]]
    weak: bool | None = None
    hidden: bool = False
    note: str = ""
    stability: float | None = None

    @property
    def words(self) -> list[str]:
        """The strongest words, strongest first; words with negative weight have the prefix ``-``.

        Examples
        --------
        >>> Topic(0, None, 0.5, None, 2, [("cat", 0.9), ("dog", -0.1)]).words
        ['cat', '-dog']
        """
        return [("-" if weight < 0 else "") + word for word, weight in self.weights]

    def __repr__(self) -> str:
        return printable(f"{self._heading()}: {', '.join(self.words)}")

    def __str__(self) -> str:
        columns = [Column("word"), Column("weight", "right")]
        rows = [[[word], f"{weight:.3g}"] for word, weight in self.weights]
        return f"{printable(self._heading())}\n{text_table(columns, rows)}"

    def _heading(self) -> str:
        facts = [] if self.share is None else [f"share {self.share:.1%}"]
        if self.documents is not None:
            facts.append(f"{_documents(self.documents)} documents")
        name = "" if self.name is None else f" {self.name!r}"
        return f"Topic {self.number}{name}" + (f" ({', '.join(facts)})" if facts else "")


class Topics:
    """Topics of a model, largest share first; returned by `laconic.topics`.

    In a terminal and in a notebook, `Topics` is shown as a table. An asterisk marks topics that few
    documents share.

    - ``topics[3]`` is the topic in row 3 of ``components_``, and ``topics["music"]`` the topic that
      a user named "music" (see `laconic.explore`). Both return a `Topic`.
    - ``for topic in topics`` goes through the topics, largest share first.
    - ``topics.frame`` is a polars DataFrame, and ``topics.to_pandas()`` a pandas DataFrame.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> topics = laconic.topics(laconic.SparseLSA(2, alpha=0.1).fit(corpus))
    >>> print(topics)
    topic  share  words
        0  94.2%  cat, purr
        1   5.8%  dog
    >>> topics[1].words
    ['dog']
    >>> topics.frame["words"].to_list()
    [['cat', 'purr'], ['dog']]
    """

    def __init__(self, topics: Sequence[Topic], n_topics: int, *, has_words: bool = True) -> None:
        self._topics = list(topics)
        self._n_topics = n_topics  # number of topics of the model, including those left out
        self._has_words = has_words

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The topics as a polars DataFrame.

        The columns are ``topic`` (row of ``components_``), ``name`` (given by a user, or
        automatic), ``share``, ``documents`` (effective number of documents), ``n_words`` (number of
        words with non-zero
        weight), ``words`` (list of str), ``weak`` (whether few documents share the topic),
        ``hidden`` and ``note`` (given by a user). If it was measured, ``stability`` is the last
        column. A value that is not known is null.
        """
        import polars as pl

        rows = [
            (t.number, t.name, t.share, t.documents, t.n_words, t.words, t.weak, t.hidden, t.note)
            for t in self._topics
        ]
        frame = pl.DataFrame(rows, SCHEMA, orient="row")
        if not self._shows("stability"):
            return frame
        values = [topic.stability for topic in self._topics]
        return frame.with_columns(pl.Series("stability", values, dtype=pl.Float64))

    def to_pandas(self) -> Any:
        """Return the topics as a pandas DataFrame with the columns of `frame`."""
        try:
            import pandas as pd
        except ImportError as error:
            raise LaconicError(
                "to_pandas needs pandas; install it with: pip install pandas, or use .frame, which "
                "is a polars DataFrame."
            ) from error
        return pd.DataFrame(self.frame.to_dict(as_series=False))

    def head(self, n: int = 5) -> Topics:
        """Return the `n` largest topics."""
        return Topics(self._topics[:n], self._n_topics, has_words=self._has_words)

    def __len__(self) -> int:
        return len(self._topics)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self._topics)

    def __getitem__(self, key: int | str) -> Topic:
        if isinstance(key, str):
            return self._by_name(key)
        if isinstance(key, slice):
            raise LaconicError(
                "Topics are chosen one by one, by number or name; use head(n) for the n largest "
                "topics, or slice the table .frame."
            )
        if not isinstance(key, (int, np.integer)) or isinstance(key, bool):
            raise LaconicError(
                f"A topic is chosen by its number (int) or name (str); got {type(key).__name__}."
            )
        for topic in self._topics:
            if topic.number == key:
                return topic
        if 0 <= key < self._n_topics:
            raise UnknownTopicError(
                f"Topic {key} is not among these {len(self)} of {self._n_topics} topics; "
                "laconic.topics(model) returns all topics."
            )
        raise UnknownTopicError(
            f"There is no topic {key}; topics are numbered 0 to {self._n_topics - 1}."
        )

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            import polars as pl

            hint = f"; use .frame.{name}, since .frame is a polars DataFrame"
            is_public = not name.startswith("_") and hasattr(pl.DataFrame, name)
            raise AttributeError(f"Topics has no attribute {name!r}{hint if is_public else ''}")

    def __repr__(self) -> str:
        if not self._topics:
            return "no topics"
        return "\n".join([text_table(*self._table()), *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(*self._table(), self._notes())

    def _by_name(self, name: str) -> Topic:
        matches = [topic for topic in self._topics if topic.name == name]
        if len(matches) == 1:
            return matches[0]
        if matches:
            numbers = some([topic.number for topic in matches], 10)
            raise UnknownTopicError(
                f"{len(matches)} topics have the name {name!r}; choose one by its number: "
                f"{numbers}."
            )
        if name in SCHEMA:
            raise UnknownTopicError(
                f"No topic has the name {name!r}; for the column of the table, use "
                f".frame[{name!r}]."
            )
        names = {topic.name.lower(): topic.name for topic in self._topics if topic.name}
        similar = [names[match] for match in get_close_matches(name.lower(), names, n=3)]
        hint = "topics have no names yet; choose a topic by its number"
        if names:
            hint = f"the names are {some(map(repr, names.values()))}"
        if similar:
            hint = f"did you mean {' or '.join(map(repr, similar))}?"
        raise UnknownTopicError(f"No topic has the name {name!r}; {hint}{'' if similar else '.'}")

    def _table(self) -> tuple[list[Column], list[list[Cell]]]:
        """Return the columns in which any topic has a value, and the cells of each row."""
        columns = [Column("topic", "right")]
        columns += [Column("name", wraps=True)] if self._shows("name", "hidden") else []
        columns += [Column("share", "right")] if self._shows("share") else []
        columns += [Column("documents", "right")] if self._shows("documents") else []
        columns += [Column("stability", "right")] if self._shows("stability") else []
        columns += [Column("words", wraps=True)]
        strong = " " if self._shows("weak") else ""
        rows = []
        for topic in self:
            cells: dict[str, Cell] = {
                "topic": f"{topic.number}{'*' if topic.weak else strong}",
                "name": f"{topic.name or ''}{' (hidden)' if topic.hidden else ''}",
                "share": "" if topic.share is None else f"{topic.share:.1%}",
                "documents": "" if topic.documents is None else _documents(topic.documents),
                "stability": "" if topic.stability is None else f"{topic.stability:.2f}",
                "words": topic.words,
            }
            rows.append([cells[column.heading] for column in columns])
        return columns, rows

    def _shows(self, *fields: str) -> bool:
        """Return whether any topic has a value in one of these fields."""
        return any(getattr(topic, field) not in (None, False) for topic in self for field in fields)

    def _notes(self) -> list[str]:
        weak = [WEAK_LEGEND] if any(topic.weak for topic in self._topics) else []
        return [*weak, *([] if self._has_words else [NO_WORDS])]


def _documents(number: float) -> str:
    """Format an effective number of documents."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}"
