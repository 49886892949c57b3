"""Map of documents: each document lies in the disc of its main topic, near its second topic.

The discs are placed like the circles of the topic map, with areas proportional to the numbers of
documents. In a disc, the documents with the largest share of the topic are in the centre, and the
others lie towards their second topic. A document that belongs to two topics almost equally lies
between the two discs. The layout needs one pass over the codes and uses no random numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.fitted.document_sums import block_totals, code_blocks
from laconic.fitted.documents import Documents
from laconic.plots.layout import Field, place
from laconic.web.page_data import PageData
from laconic.web.views.common import NotFoundError

MOST = 20_000  # maximum number of documents on the map; of more, evenly spaced ones are shown
FIELD = Field(1000, 660)
COVERED = 0.36  # fraction of the field that the discs cover
SMALLEST = 4.0  # minimum radius of a disc
SEED = 0
GOLDEN = 0.6180339887498949  # multiples of it are spread evenly over the unit interval
BETWEEN = 0.3  # share of the second topic in both topics from which a document leaves its disc
CLASSES = 7  # number of classes that have a colour


class Strongest(NamedTuple):
    """The two topics with the largest absolute weights of each document; -1 if there is none."""

    topics: np.ndarray  # shape (n, 2)
    shares: np.ndarray  # shape (n, 2)


def document_map(page_data: PageData) -> dict[str, Any]:
    """Return the positions of documents, in columns, and the discs of their topics."""
    documents = page_data.documents
    if documents is None or not len(documents):
        raise NotFoundError("No documents were saved with this model; pass them with --corpus.")
    rows = chosen_rows(len(documents))
    strongest = strongest_topics(documents, rows)
    has_topic = strongest.topics[:, 0] >= 0
    rows, strongest = rows[has_topic], Strongest(*(part[has_topic] for part in strongest))
    centres, radii = discs(page_data, strongest.topics[:, 0])
    points = positions(strongest, centres, radii)
    used = np.unique(strongest.topics[:, 0])
    return {
        "n_documents": len(documents),
        "width": FIELD.width,
        "height": FIELD.height,
        "rows": rows.tolist(),
        "x": np.rint(points[:, 0] * 10).astype(int).tolist(),  # in tenths, to keep numbers short
        "y": np.rint(points[:, 1] * 10).astype(int).tolist(),
        "topics": strongest.topics[:, 0].tolist(),
        **_classes(page_data, rows),
        "discs": [[int(k), *(round(float(v), 1) for v in (*centres[k], radii[k]))] for k in used],
    }


def chosen_rows(n_documents: int) -> np.ndarray:
    """Return the documents on the map: all of them, or `MOST` that are evenly spaced.

    Examples
    --------
    >>> len(chosen_rows(1_000_000)), chosen_rows(3).tolist()
    (20000, [0, 1, 2])
    """
    if n_documents <= MOST:
        return np.arange(n_documents)
    return np.arange(MOST) * n_documents // MOST


def strongest_topics(documents: Documents, rows: np.ndarray) -> Strongest:
    """Return the two strongest topics of the given documents, which are in ascending order."""
    topics = np.full((len(rows), 2), -1)
    shares = np.zeros((len(rows), 2))
    for start, block in code_blocks(documents):
        here = slice(*np.searchsorted(rows, [start, start + block.shape[0]]))
        part = block[rows[here] - start]
        topics[here], shares[here] = _two_strongest(part)
    return Strongest(topics, shares)


def _two_strongest(codes: sp.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    n = codes.shape[0]
    sizes = np.abs(codes.data.astype(np.float64))
    rows = np.repeat(np.arange(n), np.diff(codes.indptr))
    order = np.lexsort((codes.indices, -sizes, rows))
    totals = block_totals(codes)
    topics, shares = np.full((n, 2), -1), np.zeros((n, 2))
    for rank in range(2):
        has = np.flatnonzero((np.diff(codes.indptr) > rank) & (totals > 0))
        entries = order[codes.indptr[has] + rank]
        topics[has, rank] = codes.indices[entries]
        shares[has, rank] = sizes[entries] / totals[has]
    return topics, shares


def discs(page_data: PageData, main: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres and radii of the discs of all topics; unused topics have radius 0."""
    sizes = np.bincount(main, minlength=page_data.n_topics)
    used = np.flatnonzero(sizes)
    area = COVERED * FIELD.width * FIELD.height / max(1, len(main))
    radii = np.zeros(page_data.n_topics)
    radii[used] = np.maximum(np.sqrt(area * sizes[used] / np.pi), SMALLEST)
    centres = np.zeros((page_data.n_topics, 2))
    likeness = page_data.likeness[np.ix_(used, used)]
    centres[used] = place(likeness, radii[used], FIELD, SEED)
    return centres, radii


def positions(strongest: Strongest, centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Return the positions of documents, as an array of shape (n, 2)."""
    main, second = strongest.topics.T
    own, other = strongest.shares.T
    mixed = np.where(second >= 0, other / np.maximum(own + other, 1e-12), 0.0)  # 0 to 0.5
    ranks, sizes = _ranks(main, -own)
    distance = radii[main] * np.sqrt((ranks + 0.5) / sizes)
    towards = centres[np.where(second >= 0, second, main)] - centres[main]
    angle = np.arctan2(towards[:, 1], towards[:, 0])
    spread = 2 * np.pi * ((ranks * GOLDEN) % 1 - 0.5)  # from -π to π
    angle = angle + spread * (1 - 1.2 * mixed)
    points = centres[main] + distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    # almost equal shares: up to the middle between the two discs
    reach = np.clip((mixed - BETWEEN) / (0.5 - BETWEEN), 0, 1) * ((ranks * GOLDEN * GOLDEN) % 1)
    has_disc = (second >= 0) & (radii[second] > 0)
    points += np.where(has_disc, 0.5 * reach**2, 0.0)[:, None] * towards
    return np.clip(points, 2, [FIELD.width - 2, FIELD.height - 2])


def _ranks(groups: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank of each entry in its group, by key, and the size of its group."""
    order = np.lexsort((keys, groups))
    sizes = np.bincount(groups)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - starts[groups[order]]
    return ranks, sizes[groups]


def _classes(page_data: PageData, rows: np.ndarray) -> dict[str, Any]:
    """Return the class of each document: the largest classes, or the period of its time."""
    groups = page_data.groups
    if groups is None:
        return {"classes": None, "names": []}
    members = groups.members[rows]
    if groups.kind == "time":
        parts = np.array_split(np.arange(len(groups.names)), min(CLASSES, len(groups.names)))
        part_of = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        names = [f"{groups.names[p[0]]} to {groups.names[p[-1]]}" for p in parts]
        classes = np.where(members >= 0, part_of[members], -1)
    else:
        names = groups.names[:CLASSES]
        classes = np.where(members < len(names), members, -1)
    return {"classes": classes.tolist(), "names": names}
