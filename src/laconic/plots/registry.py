"""Every chart by its name on the command line and in the page, and which of them a model has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from laconic.errors import LaconicError
from laconic.fitted.documents import kept_documents
from laconic.fitted.graph import partial_correlations
from laconic.fitted.pipeline_steps import encoding_step
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
from laconic.plots.words import topic_words

Topics = Sequence[int] | None


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart.

    Attributes
    ----------
    about : str
        What it shows, in one sentence.
    draw : callable
        ``draw(model, corpus=None, topics=None, word=None, random_state=0, width=None,
        letters=120)``; what a chart has no use for it leaves aside. `speed` takes a comparison
        instead of a model.
    needs : tuple of str
        What it takes beside the model: "corpus" or "word"; or "comparison" instead of it.
    takes : tuple of str
        What else of the arguments of `draw` makes a difference to it.
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


def _matrix(model: Any, topics: Topics = None, **others: Any) -> Any:
    return topic_word_matrix(model, topics)


def _groups(model: Any, corpus: Any = None, topics: Topics = None, **others: Any) -> Any:
    if topics is not None and len(topics) != 1:
        raise LaconicError("Topics over classes or time are drawn for one topic or for all.")
    return topics_over_groups(model, corpus, None if topics is None else topics[0])


def _convergence(
    model: Any, width: int | None = None, letters: int = UNMEASURED, **others: Any
) -> Any:
    return convergence(model, width=width, letters=letters)


def _path(model: Any, corpus: Any = None, random_state: int = 0, **others: Any) -> Any:
    _require(
        corpus, "The path from dense to sparse is fitted to documents; give them with corpus=."
    )
    return penalty_path(model, corpus, random_state=random_state)


def _singular_values(model: Any, corpus: Any = None, **others: Any) -> Any:
    _require(corpus, "Singular values are those of documents; give them with corpus=.")
    return singular_values(model, corpus)


def _graph(
    model: Any,
    topics: Topics = None,
    width: int | None = None,
    letters: int = UNMEASURED,
    **others: Any,
) -> Any:
    return topic_graph(model, topics, width=width, letters=letters)


def _senses(model: Any, word: str | int | None = None, **others: Any) -> Any:
    _require(word, "The chart of senses is of one word; give it with word=.")
    return word_senses(model, word)  # type: ignore[arg-type]  # it is required above


def _speed(comparison: Any, **others: Any) -> Any:
    return speed_against_quality(comparison)


def _require(value: Any, sentence: str) -> None:
    if value is None:
        raise LaconicError(sentence)


CHARTS: dict[str, ChartKind] = {
    "words": ChartKind(
        "The strongest words of each topic as bars.", _words, takes=("topics", "width", "letters")
    ),
    "map": ChartKind(
        "Topics as circles, near each other where they share words.",
        _map,
        takes=("topics", "random_state", "width", "letters"),
    ),
    "matrix": ChartKind(
        "Topics by words, a circle for each weight: shows how sparse the model is.",
        _matrix,
        takes=("topics",),
    ),
    "groups": ChartKind(
        "Topics over the classes of documents, or over time.", _groups, takes=("topics", "corpus")
    ),
    "convergence": ChartKind(
        "The objective of the fit, pass after pass.", _convergence, takes=("width", "letters")
    ),
    "path": ChartKind(
        "How well documents are explained as the model is made sparser.",
        _path,
        needs=("corpus",),
        takes=("random_state",),
    ),
    "singular-values": ChartKind(
        "Singular values of documents before PCP, and of their background after.",
        _singular_values,
        needs=("corpus",),
    ),
    "graph": ChartKind(
        "Topics that go together in documents, joined by edges.",
        _graph,
        takes=("topics", "width", "letters"),
    ),
    "senses": ChartKind("The topics of a word.", _senses, needs=("word",)),
    "speed": ChartKind(
        "Seconds to fit against the quality of models, of a comparison.",
        _speed,
        needs=("comparison",),
    ),
}


def applicable(model: Any, having: Sequence[str] = ()) -> list[str]:
    """Names of the charts that can be drawn of a model without anything more.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted.
    having : sequence of str, optional
        What there is beside it, of "corpus" and "word".

    Returns
    -------
    list of str
        Keys of `CHARTS`, in their order.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> applicable(laconic.PLSA(4).fit(corpus))
    ['words', 'map', 'matrix', 'convergence']
    >>> applicable(laconic.PLSA(4).fit(corpus), having=["word"])
    ['words', 'map', 'matrix', 'convergence', 'senses']
    """
    estimator = encoding_step(model)
    kept = kept_documents(model)
    has = {
        "words": _has_words(estimator),
        "map": True,
        "matrix": _has_words(estimator),
        "groups": "corpus" in having or (kept is not None and _has_labels(kept)),
        "convergence": len(passes_of(estimator)) > 1,
        "path": can_be_sparser(estimator),
        "singular-values": isinstance(estimator, PCP),
        "graph": _has_edges(estimator),
        "senses": _has_words(estimator),
    }
    return [name for name, ok in has.items() if ok and set(CHARTS[name].needs) <= set(having)]


def _has_words(estimator: Any) -> bool:
    return bool((estimator.components_ != 0).sum())


def _has_labels(documents: Any) -> bool:
    labels = documents.labels
    return labels is not None and len(labels) > 0 and bool(labels.ends[-1])  # any but empty ones


def _has_edges(estimator: Any) -> bool:
    precision = getattr(estimator, "topic_precision_", None)
    return precision is not None and bool(partial_correlations(precision).any())
