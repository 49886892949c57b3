"""Registry of all charts by name, and selection of the charts that apply to a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.documents import kept_documents
from laconic.fitted.graph import partial_correlations
from laconic.fitted.pipeline_steps import laconic_step
from laconic.models import PCP
from laconic.plots.comparison import speed_against_quality
from laconic.plots.graph import topic_graph
from laconic.plots.groups import topics_over_groups
from laconic.plots.labels import UNMEASURED
from laconic.plots.map import topic_map
from laconic.plots.matrix import topic_word_matrix
from laconic.plots.objective import convergence, passes_of
from laconic.plots.penalties import can_be_sparser, penalty_path
from laconic.plots.senses import word_senses
from laconic.plots.spectrum import singular_values
from laconic.plots.tree import topic_dendrogram
from laconic.plots.word_groups import topic_groups
from laconic.plots.words import topic_words

Topics = Sequence[int] | None


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart.

    Attributes
    ----------
    about : str
        One-sentence description.
    draw : callable
        Function with the signature ``draw(model, corpus=None, topics=None, word=None,
        random_state=0, width=None, letters=120)``. Each chart ignores the arguments that it does
        not use. The chart "speed" takes a comparison instead of a model.
    needs : tuple of str
        Required arguments in addition to the model: "corpus" or "word". If it is "comparison", a
        comparison is required instead of a model.
    takes : tuple of str
        Optional arguments of `draw` that the chart uses.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = laconic.SparseLSA(2, alpha=0.1).fit(corpus)
    >>> chart = laconic.plots.CHARTS["words"].draw(model)
    >>> chart.to_dict()["title"]["text"]
    'Words of topics'
    """

    about: str
    draw: Callable[..., Any]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


def _words(
    model: Any,
    topics: Topics = None,
    width: int | None = None,
    letters: int = UNMEASURED,
    **others: Any,
) -> Any:
    return topic_words(model, topics, width=width, letters=letters)


def _map(
    model: Any,
    topics: Topics = None,
    random_state: int = 0,
    width: int | None = None,
    letters: int = UNMEASURED,
    **others: Any,
) -> Any:
    return topic_map(model, topics, random_state=random_state, width=width, letters=letters)


def _word_groups(model: Any, topics: Topics = None, **others: Any) -> Any:
    return topic_groups(model, topics)


def _matrix(model: Any, topics: Topics = None, **others: Any) -> Any:
    return topic_word_matrix(model, topics)


def _groups(model: Any, corpus: Any = None, topics: Topics = None, **others: Any) -> Any:
    if topics is not None and len(topics) != 1:
        raise LaconicError(
            f"The chart 'groups' shows one topic or all topics; got a list of {len(topics)}."
        )
    return topics_over_groups(model, corpus, None if topics is None else topics[0])


def _convergence(
    model: Any, width: int | None = None, letters: int = UNMEASURED, **others: Any
) -> Any:
    return convergence(model, width=width, letters=letters)


def _path(model: Any, corpus: Any = None, random_state: int = 0, **others: Any) -> Any:
    _require(
        corpus, "The sparsity path needs documents to refit the model; pass them with corpus=."
    )
    return penalty_path(model, corpus, random_state=random_state)


def _singular_values(model: Any, corpus: Any = None, **others: Any) -> Any:
    _require(corpus, "Singular values need documents; pass them with corpus=.")
    return singular_values(model, corpus)


def _graph(
    model: Any,
    topics: Topics = None,
    width: int | None = None,
    letters: int = UNMEASURED,
    **others: Any,
) -> Any:
    return topic_graph(model, topics, width=width, letters=letters)


def _tree(model: Any, **others: Any) -> Any:
    return topic_dendrogram(model)


def _senses(model: Any, word: str | int | None = None, **others: Any) -> Any:
    _require(word, "The chart of senses needs a word; pass it with word=.")
    return word_senses(model, word)  # type: ignore[arg-type]  # `_require` has excluded None


def _speed(comparison: Any, **others: Any) -> Any:
    return speed_against_quality(comparison)


def _require(value: Any, message: str) -> None:
    if value is None:
        raise LaconicError(message)


CHARTS: dict[str, ChartKind] = {
    "words": ChartKind(
        "Top words of each topic as bars.", _words, takes=("topics", "width", "letters")
    ),
    "map": ChartKind(
        "Topics as circles; nearby topics share words.",
        _map,
        takes=("topics", "random_state", "width", "letters"),
    ),
    "matrix": ChartKind(
        "Matrix of topics and words with a circle per weight; shows the sparsity.",
        _matrix,
        takes=("topics",),
    ),
    "word-groups": ChartKind(
        "Groups of words in each topic as bars, for models fitted with groups.",
        _word_groups,
        takes=("topics",),
    ),
    "groups": ChartKind(
        "Topic shares by class of documents, or over time.", _groups, takes=("topics", "corpus")
    ),
    "convergence": ChartKind(
        "Objective of the fit after each pass.", _convergence, takes=("width", "letters")
    ),
    "path": ChartKind(
        "Prediction of held-out words as the model is made sparser.",
        _path,
        needs=("corpus",),
        takes=("random_state",),
    ),
    "singular-values": ChartKind(
        "Singular values of the documents and of their PCP background.",
        _singular_values,
        needs=("corpus",),
    ),
    "graph": ChartKind(
        "Graph of correlated topics.",
        _graph,
        takes=("topics", "width", "letters"),
    ),
    "tree": ChartKind("Tree of topics, in which similar topics are joined first.", _tree),
    "senses": ChartKind("Topics of a word.", _senses, needs=("word",)),
    "speed": ChartKind(
        "Seconds to fit against quality, for the models of a comparison.",
        _speed,
        needs=("comparison",),
    ),
}


def applicable(model: Any, having: Sequence[str] = ()) -> list[str]:
    """Return the names of the charts that can be drawn for a model.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    having : sequence of str, optional
        Arguments that are available in addition to the model: "corpus", "word".

    Returns
    -------
    list of str
        Keys of `CHARTS`, in the order of `CHARTS`.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> applicable(laconic.PLSA(4).fit(corpus))
    ['words', 'map', 'matrix', 'convergence', 'tree']
    >>> applicable(laconic.PLSA(4).fit(corpus), having=["word"])
    ['words', 'map', 'matrix', 'convergence', 'tree', 'senses']
    """
    estimator = laconic_step(model)
    saved_documents = kept_documents(model)
    has_words = bool((estimator.components_ != 0).sum())
    has = {
        "words": has_words,
        "map": True,
        "matrix": has_words,
        "word-groups": has_words and hasattr(estimator, "group_members_"),
        "groups": "corpus" in having
        or (saved_documents is not None and _has_labels(saved_documents)),
        "convergence": len(passes_of(estimator)) > 1,
        "path": can_be_sparser(estimator),
        "singular-values": isinstance(estimator, PCP),
        "graph": _has_edges(estimator),
        "tree": estimator.components_.shape[0] > 1,
        "senses": has_words,
    }
    return [name for name, ok in has.items() if ok and set(CHARTS[name].needs) <= set(having)]


def _has_labels(documents: Any) -> bool:
    labels = documents.labels
    # `ends[-1]` is the total length of all labels
    return labels is not None and len(labels) > 0 and bool(labels.ends[-1])


def _has_edges(estimator: Any) -> bool:
    precision = getattr(estimator, "topic_precision_", None)
    return precision is not None and bool(partial_correlations(precision).any())
