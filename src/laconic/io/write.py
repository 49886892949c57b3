"""Corpora in the formats of other programs: counts in one file, the words in another beside it.

The names are those under which `laconic.read` finds the words again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING

from laconic.errors import LaconicError, warn
from laconic.files.atomic_file import check_file, new_file
from laconic.files.atomic_folder import check_folder

if TYPE_CHECKING:
    import numpy as np

    from laconic.corpus.corpus import Corpus

STORE = "store"
ENDINGS = {
    "": STORE,
    ".corpus": STORE,
    ".mtx": "matrixmarket",
    ".mm": "matrixmarket",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".ldac": "ldac",
}


def format_by_name(path: str) -> str | None:
    """The format that the name of an output asks for."""
    name = Path(path).name.lower()
    if "docword" in name:
        return "uci"
    return ENDINGS.get(Path(name.removesuffix(".gz")).suffix)


def write_matrixmarket(corpus: Corpus, file: IO[bytes]) -> None:
    """Documents in rows, words in columns."""
    import scipy.io

    counts = corpus.counts
    field = "integer" if counts.dtype.kind == "i" else "real"
    scipy.io.mmwrite(file, counts, field=field, symmetry="general")


def write_svmlight(corpus: Corpus, file: IO[bytes]) -> None:
    """Labels first, 0 where there are none; columns are counted from one."""
    from sklearn.datasets import dump_svmlight_file

    _, numbers = _numeric_labels(corpus)
    dump_svmlight_file(corpus.counts, numbers, file, zero_based=False)


def write_ldac(corpus: Corpus, file: IO[bytes]) -> None:
    """The number of different words, then ``column:count``, counted from zero."""
    for chunk in corpus.chunks():
        counts = chunk.load()
        columns, values = counts.indices.tolist(), counts.data.tolist()
        for start, stop in pairwise(counts.indptr.tolist()):
            pairs = zip(columns[start:stop], values[start:stop], strict=True)
            line = [str(stop - start), *(f"{column}:{value:.9g}" for column, value in pairs)]
            file.write((" ".join(line) + "\n").encode())


def write_uci(corpus: Corpus, file: IO[bytes]) -> None:
    """Three lines of sizes, then ``document word count``, counted from one."""
    import numpy as np
    import polars as pl

    n_documents, n_words = corpus.shape
    file.write(f"{n_documents}\n{n_words}\n{corpus.counts.nnz}\n".encode())
    for chunk in corpus.chunks():
        counts = chunk.load()
        rows = np.repeat(np.arange(chunk.start, chunk.stop), np.diff(counts.indptr))
        entries = pl.DataFrame([rows + 1, counts.indices.astype(np.int64) + 1, counts.data])
        entries.write_csv(file, include_header=False, separator=" ")


WRITERS: dict[str, Callable[[Corpus, IO[bytes]], None]] = {
    "matrixmarket": write_matrixmarket,
    "svmlight": write_svmlight,
    "ldac": write_ldac,
    "uci": write_uci,
}


def check_output(path: str, format: str, force: bool) -> None:
    """Complain before the work begins if the output could not be written."""
    if format == STORE:
        check_folder(path, force)
        return
    check_file(path, force)
    check_file(_beside(path, "vocab"), force)


def write(
    corpus: Corpus, path: str | Path, *, format: str | None = None, force: bool = False
) -> list[str]:
    """Write the counts of a corpus in a format of other programs, or as a store.

    Parameters
    ----------
    corpus : Corpus
    path : str or Path
        With ".gz" at the end the counts are compressed. The words go to a second file beside it,
        where `laconic.read` finds them, and so do the names of the classes of svmlight.
    format : {"matrixmarket", "svmlight", "ldac", "uci", "store"}, optional
        By default what the name says: ".mtx", ".svm", ".ldac", "docword" in the name for UCI, no
        ending or ".corpus" for a store.
    force : bool, default=False
        Replace files that exist.

    Returns
    -------
    list of str
        The files that were written.

    Examples
    --------
    >>> import tempfile, laconic
    >>> corpus = laconic.Corpus([[1, 0], [2, 3]], ["cat", "dog"])
    >>> with tempfile.TemporaryDirectory() as home:
    ...     files = write(corpus, f"{home}/pets.mtx")
    ...     laconic.read(files[0]).counts.toarray().tolist()
    [[1, 0], [2, 3]]
    """
    path = str(path)
    format = format or format_by_name(path)
    if format not in (*WRITERS, STORE):
        raise LaconicError(
            f"{path}: the name tells no format; give format= one of {', '.join(WRITERS)} or store"
            if format is None
            else f"There is no format {format!r}; there are {', '.join(WRITERS)} and store."
        )
    if corpus.weighting is not None:
        raise LaconicError("A weighted Corpus cannot be written; write the counts it came from.")
    lost = left_out(corpus, format)
    if lost:
        warn(f"{format} cannot hold {', '.join(lost)}, which are left out; a store keeps them.")
    if format == STORE:
        corpus.save(path, force=force)
        return [path]
    lists = {}
    if corpus.vocabulary is not None:
        lists[_beside(path, "vocab")] = [str(word) for word in corpus.vocabulary]
    if format == "svmlight" and (classes := _numeric_labels(corpus)[0]) is not None:
        lists[_beside(path, "labels")] = [str(name) for name in classes]
    for name, items in lists.items():
        _require_lines(items, name)
        check_file(name, force)
    with new_file(path, force) as file:
        WRITERS[format](corpus, file)
    for name, items in lists.items():
        with new_file(name, force) as file:
            file.write("".join(f"{item}\n" for item in items).encode())
    return [path, *lists]


def left_out(corpus: Corpus, format: str) -> list[str]:
    """What is known of the documents that a format cannot hold."""
    if format == STORE:
        return []
    kept = ("labels",) if format == "svmlight" else ()
    return [
        name
        for name in ("ids", "titles", "labels", "texts")
        if name not in kept and getattr(corpus, name) is not None
    ]


def _beside(path: str, what: str) -> str:
    """Name of a list that belongs to a file of counts."""
    file = Path(path)
    name = file.name.removesuffix(".gz")
    if "docword" in name:
        return str(file.with_name(name.replace("docword", what)))
    return str(file.with_name(f"{Path(name).stem}.{what}"))


def _numeric_labels(corpus: Corpus) -> tuple[np.ndarray | None, np.ndarray]:
    """Labels as svmlight has them, numbers; other labels are numbered in sorted order."""
    import numpy as np

    labels = corpus.labels
    if labels is None:
        return None, np.zeros(len(corpus), dtype=int)
    if labels.dtype.kind in "iuf":
        return None, labels
    return np.unique(labels.astype(str), return_inverse=True)


def _require_lines(items: list[str], path: str) -> None:
    for item in items:
        if not item or item != item.strip() or "\n" in item:
            raise LaconicError(
                f"{path}: {item!r} cannot stand on a line of its own; write a store instead"
            )
