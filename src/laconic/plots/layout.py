"""Layout of topics on a plane: similar topics are near each other, and circles do not overlap.

The distance between two topics is √(1 - likeness), which is Euclidean if the likeness is a cosine.
Classical scaling initialises the positions, and t-SNE moves similar topics together. Then the
layout is rotated so that it is wider than high, it is stretched to fill the field, and overlapping
circles are pushed apart. Everything runs on one thread, so that the same seed always gives exactly
the same positions.
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

FEW = 6  # minimum number of topics for t-SNE; fewer topics are placed by classical scaling only
NEIGHBOURS = 15.0  # perplexity of t-SNE: number of topics that count as neighbours
# Number of iterations and angle of t-SNE; more exact settings make no visible difference
STEPS, ANGLE = 350, 0.7
COVERED = 0.2  # fraction of the field that the circles cover in total
SMALLEST, LARGEST = 3.5, 62.0  # minimum and maximum radius of a circle, in points
BY_RANK = 0.35  # a coordinate is a mix of position and rank; this is the weight of the rank
BESIDE = 0.02  # margin, as a fraction of the field
GAP = 2.0  # minimum gap between circles, in points
# Maximum number of steps that push circles apart, and number of steps after which the pairs of
# neighbours are computed again
PUSHES, NEIGHBOUR_STEPS = 200, 4
UPRIGHT = 1.1  # x and y are swapped if height / width of the field exceeds this value
CACHE_SIZE = 4  # maximum number of cached layouts
SPRING_STEPS = 200
GOLDEN_ANGLE = 2.399963  # in radians; multiples of this angle point in different directions

# Only one layout is computed at a time, because thread limits apply to the whole process, and two
# layouts would reset each other's limits.
_lock = Lock()
_cache: dict[Any, np.ndarray] = {}  # positions of topics, not yet fitted to a field


class Field(NamedTuple):
    """Width and height of the area in which topics are placed, in points."""

    width: float
    height: float


def place(likeness: np.ndarray, radii: np.ndarray, field: Field, random_state: int) -> np.ndarray:
    """Return the centres of the topics' circles as an array of shape (n_topics, 2).

    Examples
    --------
    >>> likeness = np.array([[1.0, 0.9, 0], [0.9, 1, 0], [0, 0, 1]])
    >>> x = place(likeness, np.full(3, 10.0), Field(300, 200), 0)[:, 0]
    >>> bool(abs(x[0] - x[1]) < abs(x[0] - x[2]))
    True
    """
    return fit(embedding(likeness, random_state), radii, field)


def fit(positions: np.ndarray, radii: np.ndarray, field: Field) -> np.ndarray:
    """Fit embedded topics to a field, and return the centres of their circles."""
    positions = _rotate(positions)
    if field.height > UPRIGHT * field.width:
        positions = positions[:, ::-1]
    return push_apart(_stretch(positions, radii, field), radii, field)


def embedding(likeness: np.ndarray, random_state: int) -> np.ndarray:
    """Embed topics in a plane by their likeness; the last `CACHE_SIZE` embeddings are cached."""
    key = (blake2b(likeness.tobytes()).digest(), random_state)
    with _lock:
        if key not in _cache:
            _cache[key] = embed(_distances(likeness), random_state)
        _cache[key] = _cache.pop(key)  # move to the end; old entries are dropped from the start
        if len(_cache) > CACHE_SIZE:
            del _cache[next(iter(_cache))]
        return _cache[key]


def _distances(likeness: np.ndarray) -> np.ndarray:
    likeness = np.clip(np.nan_to_num(likeness), -1, 1)
    distances = np.sqrt(1 - (likeness + likeness.T) / 2)
    np.fill_diagonal(distances, 0)
    return np.asarray(distances)


def spread(edges: np.ndarray, radii: np.ndarray, field: Field) -> np.ndarray:
    """Return the centres of the nodes of a graph in a force-directed layout.

    Edges act as springs, and all nodes repel each other. `edges` is a matrix (nodes x nodes) of
    strengths from 0 to 1. In the initial layout, the distances between nodes approximate the
    lengths of the shortest paths.
    """
    lengths = np.where(edges > 0, 2 - edges, 0)
    paths = shortest_path(csr_matrix(lengths), directed=False)
    is_connected = np.isfinite(paths)
    paths[~is_connected] = paths[is_connected].max() + 1
    with _lock:
        positions = _embed_paths(paths)
    positions = _relax(positions / max(float(np.abs(positions).max()), 1e-12), edges)
    return push_apart(_stretch(_rotate(positions), radii, field), radii, field)


def radii_of(shares: np.ndarray, field: Field) -> np.ndarray:
    """Return the radii of circles whose areas are proportional to the shares.

    The radii are limited to the range from `SMALLEST` to `LARGEST`.
    """
    shares = np.maximum(shares, 0)
    area = COVERED * field.width * field.height * shares / (shares.sum() or 1.0)
    return np.clip(np.sqrt(area / np.pi), SMALLEST, LARGEST)


def embed(distances: np.ndarray, random_state: int) -> np.ndarray:
    """Embed topics in a plane by t-SNE, or by classical scaling if there are fewer than `FEW`."""
    n = len(distances)
    if n < 3 or not distances.any():
        return np.arange(n, dtype=float)[:, None] * [1.0, 0.0]
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        positions = _classical_scaling(distances)
        if n < FEW:
            return positions
        _count_cores()
        # noise separates the topics that are not similar to any other and start at the same point
        noise = np.random.default_rng(random_state).standard_normal(positions.shape)
        tsne = TSNE(
            perplexity=min(NEIGHBOURS, (n - 1) / 3),
            metric="precomputed",
            init=1e-4 * (positions / max(float(positions.std()), 1e-12) + 0.1 * noise),
            max_iter=STEPS,
            angle=ANGLE,
            random_state=random_state,
        )
        return np.asarray(tsne.fit_transform(distances), dtype=np.float64)


def _count_cores() -> None:
    """Make joblib count and cache the number of physical cores before t-SNE needs it.

    If the cores cannot be counted (for example, because ``lscpu`` is missing), t-SNE would make
    joblib emit a warning and print a traceback. The private function of joblib that is called here
    counts the cores without a warning and without a traceback.
    """
    cores = import_module("joblib.externals.loky.backend.context")
    # other versions of joblib may not have this function
    getattr(cores, "_count_physical_cores", bool)()


def _embed_paths(paths: np.ndarray) -> np.ndarray:
    """Embed nodes by metric scaling, so that their distances approximate the lengths of paths.

    Classical scaling initialises the positions.
    """
    if len(paths) < 3:
        return np.arange(len(paths), dtype=float)[:, None] * [1.0, 0.0]
    from sklearn.manifold import smacof
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        init = _classical_scaling(paths)
        return np.asarray(smacof(paths, init=init, n_init=1, eps=1e-6, normalized_stress=False)[0])


def _classical_scaling(distances: np.ndarray) -> np.ndarray:
    """Embed points in a plane by classical multidimensional scaling.

    ``ClassicalMDS`` of scikit-learn requires version 1.8 or later.
    """
    squares = distances**2
    means = squares.mean(axis=0)
    centred = (means[:, None] + means[None, :] - squares - means.mean()) / 2
    last = len(distances) - 1
    values, vectors = eigh(centred, subset_by_index=[last - 1, last])
    # the sign of a vector from LAPACK is arbitrary, so its largest entry is made positive
    strongest = np.abs(vectors).argmax(axis=0)
    vectors *= np.sign(vectors[strongest, [0, 1]])
    return (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]


def _relax(positions: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Simulate springs, repulsion and a weak pull to the centre, with decreasing step sizes."""
    rest = 1.5 / np.sqrt(len(positions))  # length of a spring at rest
    for step in np.linspace(0.1, 0.001, SPRING_STEPS):
        apart = positions[:, None] - positions[None]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-3)
        force = (rest / distance) ** 2 - (0.3 + edges) * (edges > 0) * distance / rest
        move = (apart * force[:, :, None]).sum(axis=1) - positions
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-12)
        positions = positions + move / length * np.minimum(length, step)
    return positions


def _rotate(positions: np.ndarray) -> np.ndarray:
    """Rotate the longest direction to the horizontal and put the first topic in the upper left."""
    centred = positions - positions.mean(axis=0)
    (xx, xy), (_, yy) = centred.T @ centred
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = centred @ np.array([[cos, -sin], [sin, cos]])
    return turned * np.where(turned[0] > 0, [-1, 1], [1, -1])


def _stretch(positions: np.ndarray, radii: np.ndarray, field: Field) -> np.ndarray:
    """Stretch positions so that the circles fill the field.

    If all topics have the same x or y, this coordinate is centred. If there are at least `FEW`
    topics, their ranks are mixed into the coordinates to spread crowded regions, and a margin
    leaves room to push the outermost circles apart.
    """
    low, high = positions.min(axis=0), positions.max(axis=0)
    wide = high - low > 1e-9 * max(float((high - low).max()), 1e-300)
    relative = np.where(wide, (positions - low) / np.where(wide, high - low, 1), 0.5)
    many = len(positions) >= FEW
    if many:
        ranks = np.array([rankdata(column) - 0.5 for column in positions.T]).T / len(positions)
        relative = np.where(wide, (1 - BY_RANK) * relative + BY_RANK * ranks, 0.5)
    margin = radii[:, None] + (BESIDE * np.array(field) if many else 0)
    return margin + relative * (np.array(field) - 2 * margin)


def push_apart(centres: np.ndarray, radii: np.ndarray, field: Field) -> np.ndarray:
    """Move overlapping circles apart within the field; smaller circles move further."""
    centres, margin = centres.copy(), radii[:, None]
    for step in range(PUSHES):
        is_fresh = step % NEIGHBOUR_STEPS == 0
        if is_fresh:
            pairs = _near(centres, radii)
        first, second = pairs.T
        apart = centres[second] - centres[first]
        distance = np.linalg.norm(apart, axis=1)
        missing = radii[first] + radii[second] + GAP - distance
        overlap = missing > 1e-3
        if not overlap.any():
            if is_fresh:
                break
            continue
        first, second, missing = first[overlap], second[overlap], missing[overlap, None]
        direction = _directions(apart[overlap], distance[overlap], second)
        weight = (radii[second] / (radii[first] + radii[second]))[:, None]
        np.add.at(centres, first, -0.5 * missing * weight * direction)
        np.add.at(centres, second, 0.5 * missing * (1 - weight) * direction)
        centres = np.clip(centres, margin, np.array(field) - margin)
    return centres


def _near(centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Return the sorted pairs of circles that may overlap."""
    pairs = cKDTree(centres).query_pairs(2 * radii.max() + 2 * GAP, output_type="ndarray")
    return pairs[np.lexsort(pairs.T[::-1])]


def _directions(apart: np.ndarray, distance: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return unit vectors between circles; arbitrary vectors for circles at the same position."""
    angles = GOLDEN_ANGLE * numbers
    arbitrary = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    same = (distance < 1e-9)[:, None]
    return np.where(same, arbitrary, apart / np.where(same, 1, distance[:, None]))
