"""Map of topics: a circle for each topic, and the words of a topic beside the map."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.models.edits.assembly import assemble
from laconic.models.edits.records import edits_of, removed_topics
from laconic.plots.layout import Field, embedding, fit, radii_of
from laconic.web.page_data import PageData
from laconic.web.views.common import check_topic, rounded, topic_stub

MOST = 5_000  # maximum number of topics on the map
SEED = 0  # seed of the layout
WORDS = 20  # number of words beside the map
ROOM = 0.7  # height of a wide map relative to its width
UPRIGHT = 460  # width in pixels below which a map is higher than wide
TALL = 1.15  # height of a narrow map relative to its width


def topic_map(page_data: PageData, width: int = 700) -> dict[str, Any]:
    """Return the positions and radii of the topics that are not hidden, largest share first.

    Nearby topics share words, and the areas of the circles are the shares of the topics. Topics
    that are hidden or edited do not move the others.
    """
    hidden = {topic for topic, note in page_data.notes.items() if note.hidden}
    topics = [topic for topic in page_data.order if topic not in hidden][:MOST]
    field = Field(width, round(width * (TALL if width < UPRIGHT else ROOM)))
    radii = radii_of(page_data.shares[topics], field)
    centres = fit(_places(page_data, topics), radii, field)
    circles = zip(topics, centres.tolist(), radii.tolist(), strict=True)
    return {
        "width": field.width,
        "height": field.height,
        "circles": [
            [topic, round(x, 1), round(y, 1), round(radius, 1)] for topic, (x, y), radius in circles
        ],
    }


def _places(page_data: PageData, topics: list[int]) -> np.ndarray:
    """Return the places of topics, which are computed only if one of the topics has none yet."""
    number = len(edits_of(page_data.estimator))
    places = page_data.places.get(number)
    if places is None or np.isnan(places[topics]).any():
        places = np.full((page_data.n_topics, 2), np.nan)
        places[topics] = embedding(page_data.likeness[np.ix_(topics, topics)], SEED)
        page_data.places[number] = places
    return places[topics]


def keep_places(before: PageData, after: PageData) -> None:
    """Keep the places of topics after an edit; a new topic is between the topics it replaces."""
    edits = edits_of(after.estimator)
    places = dict(before.places)
    after.places = {number: places[number] for number in places if number <= len(edits)}
    old = places.get(len(edits) - 1)
    if old is None or len(edits) in after.places:  # an undone edit left the places as they were
        return
    new = old[removed_topics(edits[-1])].mean(axis=0)
    after.places[len(edits)] = assemble(old, np.asarray(edits[-1]["sources"]), new)


def topic_words(page_data: PageData, topic: int) -> dict[str, Any]:
    """Return the top words of a topic with their weights in the topic and in all topics.

    Weights are multiplied by the shares of the topics, so that the weight of a word in all topics
    is the sum of its weights in each topic.
    """
    check_topic(page_data, topic)
    total = float(page_data.shares.sum()) or 1.0
    share = float(page_data.shares[topic]) / total
    columns = page_data.columns(topic, WORDS)
    weights = page_data.weights[[topic]].toarray().ravel()[columns]
    return {
        **topic_stub(page_data, topic),
        "share": rounded(page_data.shares[topic]),
        "words": [
            [str(page_data.words[column]), rounded(share * weight), rounded(overall)]
            for column, weight, overall in zip(
                columns.tolist(), weights.tolist(), page_data.overall[columns].tolist(), strict=True
            )
        ],
    }
