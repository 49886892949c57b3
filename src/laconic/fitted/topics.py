"""Topics of a model: ``laconic.topics``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.errors import LaconicError, check_at_least
from laconic.fitted.automatic import AutomaticFacts
from laconic.fitted.model import TopicView
from laconic.fitted.notes import TopicNote
from laconic.fitted.ranking import RELEVANCE
from laconic.fitted.topic_list import Topic, Topics

if TYPE_CHECKING:
    import polars as pl


def topics(
    model: Any,
    n_words: int = 10,
    *,
    relevance: float = RELEVANCE,
    weak: bool = True,
    vocabulary: Any = None,
) -> Topics:
    """Return the topics of a fitted model or pipeline, largest share first.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model that has ``components_``: a model of laconic or, for example, scikit-learn's
        NMF, LatentDirichletAllocation or TruncatedSVD, alone or as the last step of a pipeline.
    n_words : int, default=10
        Maximum number of words per topic, strongest first; words with negative weight have the
        prefix ``-``.
    relevance : float, default=0.6
        Used if topics are distributions over words: words are ranked by ``relevance`` times log p
        plus ``1 - relevance`` times the log of the lift p / p(word), where p is the probability of
        the word in the topic and p(word) its overall probability. With 1, words are ranked by p
        alone, so frequent words of the corpus are listed in every topic. With 0, words are ranked
        by the lift alone.
    weak : bool, default=True
        Whether to include topics that few documents share, which are often the signature of one
        author. See `laconic.metrics.minimum_support` for the rule.
    vocabulary : optional
        The words of the columns: a list or array of words, a fitted vectorizer, a dict that maps
        words to columns (such as ``CountVectorizer.vocabulary_``) or columns to words, a Dictionary
        of gensim, a Corpus, or another model. By default, the words are those of the Corpus or the
        data frame that the model was fitted on, or of the steps of its pipeline
        (``get_feature_names_out``). If no words are known, column numbers are shown.

    Returns
    -------
    Topics
        Prints as a table; ``.frame`` is a polars DataFrame, ``.to_pandas()`` a pandas DataFrame,
        and ``topics[3]`` is topic 3 with the weights of its words.

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> print(topics(SparseLSA(2, alpha=0.1).fit(corpus)))
    topic  share  words
        0  94.2%  cat, purr
        1   5.8%  dog

    Words come from the steps of a scikit-learn pipeline:

    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> pipe = make_pipeline(TfidfVectorizer(), SparseLSA(1, alpha=0.1))
    >>> sorted(topics(pipe.fit(["cats purr", "cats purr", "cats sleep"]), n_words=2)[0].words)
    ['cats', 'purr']
    """
    check_at_least("n_words", n_words)
    if not 0 <= relevance <= 1:
        raise LaconicError(f"relevance must be between 0 and 1; got {relevance}.")
    view = TopicView.of(model, relevance, vocabulary=vocabulary)
    found = [_topic(view, topic, n_words) for topic in view.order if weak or not view.weak[topic]]
    return Topics(found, view.n_topics, has_words=view.names is not None)


def _topic(view: TopicView, topic: int, n_words: int) -> Topic:
    note = view.notes.get(topic, TopicNote())
    fact = view.facts.get(topic, AutomaticFacts())
    return Topic(
        number=topic,
        name=view.given_names.get(topic),
        share=float(view.shares[topic]) if view.has_shares else None,
        documents=None if view.support is None else float(view.support[topic]),
        n_words=int(view.n_words_of[topic]),
        weights=view.top(topic, n_words),
        weak=None if view.support is None else bool(view.weak[topic]),
        hidden=note.hidden,
        note=note.note,
        stability=fact.stability,
    )


def with_names(table: pl.DataFrame, view: TopicView, **columns: str) -> pl.DataFrame:
    """If any topic has a name, add a column of topic names for each given column of topics."""
    import polars as pl

    names_of = view.given_names
    for name, topics in columns.items() if names_of else ():
        names = [names_of.get(topic) for topic in table[topics].to_list()]
        table = table.with_columns(pl.Series(name, names, dtype=pl.String))
    return table
