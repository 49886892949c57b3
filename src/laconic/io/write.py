"""``laconic.write``: write a corpus in file formats that other programs read.

Counts and words are written to two files. `laconic.read` finds the file of the words by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING

from laconic.errors import LaconicError, warn
from laconic.files.atomic_file import check_file, new_files
from laconic.files.atomic_folder import check_folder
from laconic.files.tables import disk_errors
from laconic.io.companions import companion, finish_interrupted_write

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
    """Return the format that the file name implies, or None if the name implies no format."""
    name = Path(path).name.lower()
    if "docword" in name:
        return "uci"
    return ENDINGS.get(Path(name.removesuffix(".gz")).suffix)


def write_matrixmarket(corpus: Corpus, file: IO[bytes]) -> None:
    """Write a matrix with documents in rows and words in columns."""
    chunks = corpus.chunks()
    if not chunks or chunks[0].load().dtype.kind == "f":  # SciPy knows how to write real numbers.
        import scipy.io

        scipy.io.mmwrite(file, corpus.counts, field="real", symmetry="general")
        return
    n_documents, n_words = corpus.shape
    file.write(b"%%MatrixMarket matrix coordinate integer general\n%\n")
    file.write(f"{n_documents} {n_words} {corpus.n_nonzeros}\n".encode())
    _write_entries(corpus, file)


def write_svmlight(corpus: Corpus, file: IO[bytes]) -> None:
    """Write one line per document, with its label or 0 first; column numbers start at 1."""
    from sklearn.datasets import dump_svmlight_file

    _, numbers = _numeric_labels(corpus)
    for chunk in corpus.chunks():
        labels = numbers[chunk.start : chunk.stop]
        dump_svmlight_file(chunk.load(), labels, file, zero_based=False)


def write_ldac(corpus: Corpus, file: IO[bytes]) -> None:
    """Write lines ``n column:count …``, where n is the number of pairs; columns start at 0."""
    for chunk in corpus.chunks():
        counts = chunk.load()
        columns, values = counts.indices.tolist(), counts.data.tolist()
        for start, stop in pairwise(counts.indptr.tolist()):
            pairs = zip(columns[start:stop], values[start:stop], strict=True)
            line = [str(stop - start), *(f"{column}:{value:.9g}" for column, value in pairs)]
            file.write((" ".join(line) + "\n").encode())


def write_uci(corpus: Corpus, file: IO[bytes]) -> None:
    """Write three header lines, then lines ``document word count``; numbers start at 1."""
    n_documents, n_words = corpus.shape
    file.write(f"{n_documents}\n{n_words}\n{corpus.n_nonzeros}\n".encode())
    _write_entries(corpus, file)


def _write_entries(corpus: Corpus, file: IO[bytes]) -> None:
    """Write lines ``document word count``; numbers start at 1."""
    import numpy as np
    import polars as pl

    for chunk in corpus.chunks():
        counts = chunk.load()
        rows = np.repeat(np.arange(chunk.start, chunk.stop), np.diff(counts.indptr))
        entries = pl.DataFrame([rows + 1, counts.indices.astype(np.int64) + 1, counts.data])
        with disk_errors():
            entries.write_csv(file, include_header=False, separator=" ")


WRITERS: dict[str, Callable[[Corpus, IO[bytes]], None]] = {
    "matrixmarket": write_matrixmarket,
    "svmlight": write_svmlight,
    "ldac": write_ldac,
    "uci": write_uci,
}


def check_output(path: str, format: str, force: bool) -> None:
    """Raise if the output cannot be written; called before any other work."""
    if format == STORE:
        check_folder(path, force)
        return
    check_file(path, force)
    check_file(companion(path, "vocab"), force)


def write(
    corpus: Corpus, path: str | Path, *, format: str | None = None, force: bool = False
) -> list[str]:
    """Write a corpus as a corpus store, or its counts in a format that other programs read.

    Parameters
    ----------
    corpus : Corpus
    path : str or Path
        If the path ends in ".gz", the counts are compressed. The words are written to a second file
        in the same folder, where `laconic.read` finds them. For "svmlight", labels that are not
        numbers are replaced by class numbers, and the class names are written to a third file.
    format : {"matrixmarket", "svmlight", "ldac", "uci", "store"}, optional
        By default, the name of the file determines the format. The extensions are ".mtx", ".svm"
        and ".ldac"; a UCI file has "docword" in its name; a corpus store has the extension
        ".corpus" or no extension.
    force : bool, default=False
        Whether to overwrite existing files.

    Returns
    -------
    list of str
        The paths of the written files.

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
            f"{path}: the file name does not determine the format; set format= to one of "
            f"{', '.join(WRITERS)} or store"
            if format is None
            else f"format={format!r} is not a format that can be written; use "
            f"{', '.join(WRITERS)} or store."
        )
    if corpus.weighting is not None:
        raise LaconicError(
            "A weighted Corpus cannot be written; write the Corpus of counts to which the "
            "weighting was applied."
        )
    lost = left_out(corpus, format)
    if lost:
        warn(
            f"The format {format!r} cannot store {', '.join(lost)}, so they are not written. "
            "Use format='store' to keep them."
        )
    if format == STORE:
        corpus.save(path, force=force)
        return [path]
    lists = {}
    if corpus.vocabulary is not None:
        lists[companion(path, "vocab")] = [str(word) for word in corpus.vocabulary]
    if format == "svmlight" and (classes := _numeric_labels(corpus)[0]) is not None:
        lists[companion(path, "labels")] = [str(name) for name in classes]
    for name, items in lists.items():
        _require_single_lines(items, name)
    finish_interrupted_write(path)
    with new_files([path, *lists], force) as [counts, *others]:
        WRITERS[format](corpus, counts)
        for items, file in zip(lists.values(), others, strict=True):
            file.write("".join(f"{item}\n" for item in items).encode())
    return [path, *lists]


def left_out(corpus: Corpus, format: str) -> list[str]:
    """Return the names of the metadata in the corpus that the format cannot store."""
    if format == STORE:
        return []
    supported = ("labels",) if format == "svmlight" else ()
    return [
        name
        for name in ("ids", "titles", "labels", "texts")
        if name not in supported and corpus.has(name)
    ]


def _numeric_labels(corpus: Corpus) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the class names (None if labels are numbers) and each document's class number."""
    import numpy as np

    labels = corpus.labels
    if labels is None:
        return None, np.zeros(len(corpus), dtype=int)
    if labels.dtype.kind in "iuf":
        return None, labels
    return np.unique(labels.astype(str), return_inverse=True)


def _require_single_lines(items: list[str], path: str) -> None:
    for item in items:
        if not item or item != item.strip() or "\n" in item:
            raise LaconicError(
                f"{path}: {item!r} cannot be written as one line (it is empty, contains a line "
                'break, or starts or ends with a space); use format="store"'
            )
