"""Seeds: words that users name before a fit, and the columns of these words.

Users pass a mapping of topic name to words. In a word, a trailing ``!`` makes the word exclusive to
its topic, and a leading ``-`` keeps the word out of the topic. `read_words` splits the words into
these parts, and `find_words` finds their columns. How the seeds change the fit is described in
`laconic.models.seed_priors`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError, warn
from laconic.text.defaults import complete_settings
from laconic.wording import some

# values in the matrix of seed words
SEED = 1.0
EXCLUSIVE = 2.0
EXCLUDED = -1.0

Find = Callable[[str], int | None]


class SeedWord(NamedTuple):
    """A word of a seed: the word or its column number, and its role."""

    word: str | int
    role: float


def read_words(seeds: Any) -> dict[str, list[SeedWord]]:
    """Check the parameter `seeds`, and return the words of each topic.

    Examples
    --------
    >>> read_words({"space": ["nasa!", "orbit", "-car"]})["space"][0]
    SeedWord(word='nasa', role=2.0)
    """
    if not isinstance(seeds, Mapping) or not seeds:
        raise LaconicError(
            "seeds must map the names of topics to lists of words, as in "
            f"{{'space': ['nasa', 'orbit']}}; got {seeds!r:.60}."
        )
    return {_name(name): _words(name, words) for name, words in seeds.items()}


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise LaconicError(f"The name of a seed must be a non-empty string; got {name!r:.60}.")
    return name


def _words(name: str, words: Any) -> list[SeedWord]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise LaconicError(
            f"The words of the seed {name!r} must be a list of words; got {words!r:.60}."
        )
    parsed = [_word(name, word) for word in words]
    if not any(word.role > 0 for word in parsed):
        raise LaconicError(
            f"The seed {name!r} has no words that it should find; add at least one word without a "
            "leading '-'."
        )
    return parsed


def _word(name: str, word: Any) -> SeedWord:
    if isinstance(word, Integral) and not isinstance(word, bool):
        return SeedWord(int(word), SEED)
    if not isinstance(word, str):
        raise LaconicError(
            f"The words of the seed {name!r} must be strings or column numbers; got {word!r:.60}."
        )
    text, role = word.strip(), SEED
    if text.startswith("-"):
        text, role = text[1:].strip(), EXCLUDED
    elif text.endswith("!"):
        text, role = text[:-1].strip(), EXCLUSIVE
    if not text:
        raise LaconicError(f"The seed {name!r} contains an empty word, {word!r}; remove it.")
    return SeedWord(text, role)


def check_number(model: Any) -> None:
    """Raise an error if the seeds of a model are invalid, or more than its topics."""
    if model.seeds is None:
        return
    n_seeds = len(read_words(model.seeds))
    if n_seeds > model.n_components:
        raise LaconicError(
            f"There are {n_seeds} seeds, but n_components={model.n_components} of "
            f"{type(model).__name__} allows only that many topics; set n_components to at least "
            f"{n_seeds}, or remove seeds."
        )


def find_words(
    seeds: Mapping[str, Any], names: np.ndarray | None, n_words: int, settings: Any = None
) -> sp.csr_matrix:
    """Return the words of all seeds as a matrix of seeds x words, whose values are roles.

    Parameters
    ----------
    seeds : mapping of str to list
        The parameter `seeds` of a model.
    names : ndarray of str or None
        The word of each column. Without them, seeds must contain column numbers.
    n_words : int
        Number of columns.
    settings : mapping, optional
        Settings of the `Vectorizer` that counted the words, by which the words of seeds are
        converted to lower case, reduced to their stems, and so on.
    """
    find = _by_number(n_words) if names is None else _by_name(names, settings)
    rows: list[dict[int, float]] = []
    for name, words in read_words(seeds).items():
        found, unknown = _columns(name, words, find, n_words)
        if not any(role > 0 for role in found.values()):
            hints = _suggestions([word for word in unknown if isinstance(word, str)], names)
            raise LaconicError(
                f"The documents contain none of the words of the seed {name!r} "
                f"({some([str(word) for word in unknown])}){hints or '; choose other words.'}"
            )
        for word in unknown:
            hint = _suggestions([str(word)], names) or "."
            warn(f"The word {word!r} of the seed {name!r} is not in the documents{hint}")
        rows.append(found)
    matrix = _matrix(rows, n_words)
    _check_conflicts(matrix, list(seeds), names)
    return matrix


def _columns(
    name: str, words: list[SeedWord], find: Find, n_words: int
) -> tuple[dict[int, float], list[str | int]]:
    """Return the role of each column that was found, and the words that were not found."""
    found: dict[int, float] = {}
    unknown: list[str | int] = []
    for word, role in words:
        if isinstance(word, int) and not 0 <= word < n_words:
            raise LaconicError(
                f"The seed {name!r} contains column {word}, but columns are numbered from 0 to "
                f"{n_words - 1}."
            )
        column = word if isinstance(word, int) else find(word)
        if column is None:
            unknown.append(word)
        elif found.setdefault(column, role) != role:
            raise LaconicError(
                f"The word {word!r} is in the seed {name!r} twice, with and without '-' or '!'; "
                "keep one of them."
            )
    return found, unknown


def _by_number(n_words: int) -> Find:
    def find(word: str) -> int:
        if not word.isdecimal() or int(word) >= n_words:
            raise LaconicError(
                f"The columns have no names, so the seed word {word!r} cannot be found; fit a "
                "Corpus or a data frame, or use column numbers from 0 to "
                f"{n_words - 1} instead of words."
            )
        return int(word)

    return find


def _by_name(names: np.ndarray, settings: Mapping[str, Any] | None) -> Find:
    columns = {str(name): column for column, name in enumerate(names)}

    def find(word: str) -> int | None:
        if word in columns or settings is None:
            return columns.get(word)
        counted = _count(word, names, settings)
        # A phrase that is not in the vocabulary is not replaced by its words.
        if counted.nnz == 1 and counted.data[0] == 1 and len(word.split()) == 1:
            return int(counted.indices[0])
        return columns.get(word.lower()) if settings.get("lowercase", True) else None

    return find


def _count(word: str, names: np.ndarray, settings: Mapping[str, Any]) -> sp.csr_matrix:
    """Count a word with the given vocabulary and settings."""
    from laconic.text.vectorizer import Vectorizer

    vectorizer = Vectorizer(n_jobs=1, output="csr")
    vectorizer.vocabulary_, vectorizer.settings_ = names, complete_settings(settings)
    return sp.csr_matrix(vectorizer.transform([word]))


def _suggestions(words: list[str], names: np.ndarray | None) -> str:
    if names is None:
        return ""
    known = {str(name).lower(): str(name) for name in names}
    near = [
        known[match]
        for word in words[:5]
        for match in get_close_matches(word.lower(), known, n=2, cutoff=0.75)
    ]
    return f"; did you mean {some(dict.fromkeys(near))}?" if near else ""


def _matrix(rows: list[dict[int, float]], n_words: int) -> sp.csr_matrix:
    topics = [topic for topic, row in enumerate(rows) for _ in row]
    columns = [column for row in rows for column in row]
    roles = [role for row in rows for role in row.values()]
    matrix = sp.csr_matrix((roles, (topics, columns)), shape=(len(rows), n_words))
    matrix.sort_indices()
    return matrix


def _check_conflicts(matrix: sp.csr_matrix, seeds: list[str], names: np.ndarray | None) -> None:
    """Raise an error if a word is exclusive to one seed, but also in another seed."""
    wanted = (matrix > 0).astype(np.int64)
    is_exclusive = np.asarray((matrix == EXCLUSIVE).sum(axis=0)).ravel() > 0
    shared = np.flatnonzero(is_exclusive & (np.asarray(wanted.sum(axis=0)).ravel() > 1))
    if len(shared):
        column = int(shared[0])
        word = str(column) if names is None else str(names[column])
        owners = [seeds[topic] for topic in wanted[:, [column]].nonzero()[0]]
        raise LaconicError(
            f"The word {word!r} is exclusive ('{word}!'), but is in several seeds: "
            f"{some(owners)}; leave out the '!', or remove the word from the other seeds."
        )
