"""Places for topics on a plane: near each other where they are alike, none on top of another.

The distance of two topics is √(1 - likeness), which is Euclidean where likeness is a cosine.
Classical scaling gives the first places, t-SNE moves neighbours together, the whole is turned so
that it is wider than high and stretched to its field; then circles that overlap push each other
apart a little. All of it on one thread: the same seed gives the same places, bit for bit.
"""

from __future__ import annotations

from hashlib import blake2b
from importlib import import_module
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree
from scipy.stats import rankdata

FEW = 6  # topics below which classical scaling says all
NEIGHBOURS = 15.0  # t-SNE's perplexity: how many topics count as near
STEPS, ANGLE = 350, 0.7  # as exact as can be seen
COVERED = 0.2  # of the field, by circles
SMALLEST, LARGEST = 3.5, 62.0  # radius of a circle, in points
BY_RANK, BESIDE = 0.35, 0.02  # shares of a place, and of the field at each edge
GAP = 2.0  # between circles
PUSHES, LOOK_AGAIN = 200, 4  # pushes, and after how many of them neighbours are looked up again
UPRIGHT = 1.1  # times its width that a field is higher when the whole is turned
REMEMBERED = 4  # maps
SPRING_STEPS = 200
GOLDEN_ANGLE = 2.399963  # no two small multiples of it point the same way

# Limits on threads are set for the whole process; two maps at once would undo each other's.
_one_at_a_time = Lock()
_remembered: dict[Any, np.ndarray] = {}  # who lies where, for a field of any size


class Field(NamedTuple):
    """The room on which topics are placed, in points."""

    width: float
    height: float


def place(likeness: np.ndarray, radii: np.ndarray, field: Field, random_state: int) -> np.ndarray:
    """Centres of the circles of topics, an array of (n_topics, 2).

    Examples
    --------
    >>> alike = np.array([[1.0, 0.9, 0], [0.9, 1, 0], [0, 0, 1]])
    >>> x = place(alike, np.full(3, 10.0), Field(300, 200), 0)[:, 0]
    >>> bool(abs(x[0] - x[1]) < abs(x[0] - x[2]))
    True
    """
    places = _turn(_known_places(likeness, random_state))
    if field.height > UPRIGHT * field.width:
        places = places[:, ::-1]
    return push_apart(_stretch(places, radii, field), radii, field)


def _known_places(likeness: np.ndarray, random_state: int) -> np.ndarray:
    """Places by likeness alone, of which the last few are remembered."""
    key = (blake2b(likeness.tobytes()).digest(), random_state)
    with _one_at_a_time:
        if key not in _remembered:
            _remembered[key] = embed(_distances(likeness), random_state)
        _remembered[key] = _remembered.pop(key)  # the last one used is the last one dropped
        if len(_remembered) > REMEMBERED:
            del _remembered[next(iter(_remembered))]
        return _remembered[key]


def _distances(likeness: np.ndarray) -> np.ndarray:
    likeness = np.clip(np.nan_to_num(likeness), -1, 1)
    distances = np.sqrt(1 - (likeness + likeness.T) / 2)
    np.fill_diagonal(distances, 0)
    return np.asarray(distances)


def spread(edges: np.ndarray, radii: np.ndarray, field: Field) -> np.ndarray:
    """Centres of the nodes of a graph: edges are springs, and all nodes push each other away.

    `edges` are strengths from 0 to 1, nodes x nodes. The springs begin where nodes are as far
    apart as the way between them along the edges.
    """
    lengths = np.where(edges > 0, 2 - edges, 0)
    ways = shortest_path(csr_matrix(lengths), directed=False)
    known = np.isfinite(ways)
    ways[~known] = ways[known].max() + 1
    with _one_at_a_time:
        places = _embed_ways(ways)
    places = _relax(places / max(float(np.abs(places).max()), 1e-12), edges)
    return push_apart(_stretch(_turn(places), radii, field), radii, field)


def radii_of(shares: np.ndarray, field: Field) -> np.ndarray:
    """Radii of circles whose areas are the shares, within what can be seen and what fits."""
    shares = np.maximum(shares, 0)
    area = COVERED * field.width * field.height * shares / (shares.sum() or 1.0)
    return np.clip(np.sqrt(area / np.pi), SMALLEST, LARGEST)


def embed(distances: np.ndarray, random_state: int) -> np.ndarray:
    """Places on a plane: by classical scaling where there are few, by t-SNE from there on."""
    n = len(distances)
    if n < 3 or not distances.any():
        return np.arange(n, dtype=float)[:, None] * [1.0, 0.0]
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        places = _classical_scaling(distances)
        if n < FEW:
            return places
        _count_cores()
        # topics that are alike to none start in one place, from which nothing would move them
        noise = np.random.default_rng(random_state).standard_normal(places.shape)
        tsne = TSNE(
            perplexity=min(NEIGHBOURS, (n - 1) / 3),
            metric="precomputed",
            init=1e-4 * (places / max(float(places.std()), 1e-12) + 0.1 * noise),
            max_iter=STEPS,
            angle=ANGLE,
            random_state=random_state,
        )
        return np.asarray(tsne.fit_transform(distances), dtype=np.float64)


def _count_cores() -> None:
    """Let joblib count the cores before t-SNE, which needs none but one, makes it do so.

    Where a machine does not tell how many physical cores it has (one without ``lscpu``), joblib
    warns of it and prints a traceback; its own count, whose result it remembers, does neither.
    """
    cores = import_module("joblib.externals.loky.backend.context")
    getattr(cores, "_count_physical_cores", bool)()  # another joblib may be without it


def _embed_ways(ways: np.ndarray) -> np.ndarray:
    """Places whose distances come near to all ways: metric scaling from the classical start."""
    if len(ways) < 3:
        return np.arange(len(ways), dtype=float)[:, None] * [1.0, 0.0]
    from sklearn.manifold import smacof
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        start = _classical_scaling(ways)
        return np.asarray(smacof(ways, init=start, n_init=1, eps=1e-6, normalized_stress=False)[0])


def _classical_scaling(distances: np.ndarray) -> np.ndarray:
    """Places in a plane whose distances come near to those given, by their largest eigenvalues.

    scikit-learn has ``ClassicalMDS`` since 1.8 only.
    """
    squares = distances**2
    means = squares.mean(axis=0)
    centred = (means[:, None] + means[None, :] - squares - means.mean()) / 2
    last = len(distances) - 1
    values, vectors = eigh(centred, subset_by_index=[last - 1, last])
    strongest = np.abs(vectors).argmax(axis=0)  # its sign is positive, whatever LAPACK gives
    vectors *= np.sign(vectors[strongest, [0, 1]])
    return (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]


def _relax(places: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Springs that pull, nodes that push, and a weak pull to the middle, until all is calm."""
    rest = 1.5 / np.sqrt(len(places))  # the length of a spring at rest
    for step in np.linspace(0.1, 0.001, SPRING_STEPS):
        apart = places[:, None] - places[None]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-3)
        force = (rest / distance) ** 2 - (0.3 + edges) * (edges > 0) * distance / rest
        move = (apart * force[:, :, None]).sum(axis=1) - places
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-12)
        places = places + move / length * np.minimum(length, step)
    return places


def _turn(places: np.ndarray) -> np.ndarray:
    """The longest direction across, the first topic in the upper left."""
    centred = places - places.mean(axis=0)
    (xx, xy), (_, yy) = centred.T @ centred
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = centred @ np.array([[cos, -sin], [sin, cos]])
    return turned * np.where(turned[0] > 0, [-1, 1], [1, -1])


def _stretch(places: np.ndarray, radii: np.ndarray, field: Field) -> np.ndarray:
    """Over the whole field, the circles inside of it; what has no extent goes to its middle.

    Among many a part of each coordinate is its rank, which gives crowds more room; and there is
    room beside the outermost ones, should they be in each other's way.
    """
    low, high = places.min(axis=0), places.max(axis=0)
    wide = high - low > 1e-9 * max(float((high - low).max()), 1e-300)
    relative = np.where(wide, (places - low) / np.where(wide, high - low, 1), 0.5)
    many = len(places) >= FEW
    if many:
        ranks = np.array([rankdata(column) - 0.5 for column in places.T]).T / len(places)
        relative = np.where(wide, (1 - BY_RANK) * relative + BY_RANK * ranks, 0.5)
    margin = radii[:, None] + (BESIDE * np.array(field) if many else 0)
    return margin + relative * (np.array(field) - 2 * margin)


def push_apart(centres: np.ndarray, radii: np.ndarray, field: Field) -> np.ndarray:
    """Move circles that overlap away from each other, the smaller one more, within the field."""
    centres, margin = centres.copy(), radii[:, None]
    for step in range(PUSHES):
        fresh = step % LOOK_AGAIN == 0
        if fresh:
            pairs = _near(centres, radii)
        first, second = pairs.T
        apart = centres[second] - centres[first]
        distance = np.linalg.norm(apart, axis=1)
        missing = radii[first] + radii[second] + GAP - distance
        overlap = missing > 1e-3
        if not overlap.any():
            if fresh:
                break
            continue
        first, second, missing = first[overlap], second[overlap], missing[overlap, None]
        way = _directions(apart[overlap], distance[overlap], second)
        weight = (radii[second] / (radii[first] + radii[second]))[:, None]
        np.add.at(centres, first, -0.5 * missing * weight * way)
        np.add.at(centres, second, 0.5 * missing * (1 - weight) * way)
        centres = np.clip(centres, margin, np.array(field) - margin)
    return centres


def _near(centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Pairs of circles that may overlap, in order."""
    pairs = cKDTree(centres).query_pairs(2 * radii.max() + 2 * GAP, output_type="ndarray")
    return pairs[np.lexsort(pairs.T[::-1])]


def _directions(apart: np.ndarray, distance: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Unit vectors from one circle to the other; circles in one place get one by their number."""
    angles = GOLDEN_ANGLE * numbers
    anywhere = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    same = (distance < 1e-9)[:, None]
    return np.where(same, anywhere, apart / np.where(same, 1, distance[:, None]))
