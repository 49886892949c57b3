"""``laconic.read``: build a Corpus from a file, a folder, standard input or data in memory."""

from __future__ import annotations

import dataclasses
import inspect
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import is_store
from laconic.engines import is_distributed
from laconic.errors import LaconicError
from laconic.files.atomic_folder import check_folder
from laconic.io.checks import log_problems
from laconic.io.distributed import store_files
from laconic.io.formats import READERS, detect
from laconic.io.in_memory import read_memory
from laconic.io.options import Options
from laconic.io.paths import expand
from laconic.io.rows import count_or_store, store_texts
from laconic.io.several import read_several
from laconic.io.source import Source
from laconic.wording import plural

logger = logging.getLogger(__name__)


def read(
    source: Any,
    *,
    format: str | None = None,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    title: str | None = None,
    id: str | None = None,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    sheet: str | int | None = None,
    layer: str | None = None,
    transpose: bool = False,
    vocabulary: Any = None,
    keep_texts: bool = True,
    verify: bool = False,
    **vectorizer: Any,
) -> Corpus:
    """Read documents from files, a folder, standard input or memory.

    No document is dropped. Empty documents are kept, and their number is logged.

    Parameters
    ----------
    source : str, Path, list, data frame, matrix, Corpus or object of another library
        A path (``"-"`` is standard input; files may be gzipped), a pattern such as
        ``"logs/*.jsonl"``, a list of `Path`, any iterable of strings or of lists of tokens, a table
        (pandas, polars, Arrow, a Hugging Face dataset, a dict of lists or a list of dicts), a
        matrix of counts, bags of words of gensim, AnnData, or a scikit-learn ``Bunch``. A list of
        strings is a list of documents, not of files.
    format : str, optional
        One of the names in ``laconic.io.READERS``. By default, the format is detected from the name
        and the content of the file. Use "matrix" for a table of numbers with a word in each column.
    text : str or list of str, optional
        Column with the text; several columns are joined by newlines. ``"title,body"`` stands for
        two columns. By default, the text is in the only column of strings, or in a column called
        "text", "body", "content" or "abstract".
    label, title, id : str, optional
        Columns with the class, the title and the id of each document. Columns called exactly
        ``title`` and ``id`` are used by default.
    encoding : str, default="utf-8"
        Encoding of text files. A byte order mark of UTF-16 or UTF-32 is recognised.
    delimiter : str, optional
        Character between the fields of a CSV file, or "tab". By default, the delimiter is detected
        from the first lines: a comma, a semicolon, a tab or "|".
    sheet : str or int, optional
        Sheet of an Excel file, by its name or its number, which starts at 1. By default, the first.
    layer : str, optional
        Layer of AnnData that contains the counts. By default, the counts are in ``X``.
    transpose : bool, default=False
        Whether the rows of a matrix are words and its columns are documents.
    vocabulary : path, list of str, Corpus, Vectorizer, pipeline, model or dictionary, optional
        For text, the only words to count; a corpus or model also provides the settings of its
        vectoriser. For a bag of words, the words of its columns or, if the bag has its own
        vocabulary file, the words to which its columns are aligned.
    keep_texts : bool, default=True
        Whether to keep the texts in ``Corpus.texts``.
    verify : bool, default=False
        Whether to compare the checksums of all files of a saved corpus first, which reads the whole
        folder; see `laconic.verify`.
    **vectorizer
        Parameters of `Vectorizer`, which apply only to text, such as ``stop_words="english"`` and
        ``min_df=5``.

    Returns
    -------
    Corpus

    Raises
    ------
    ReadError
        The source cannot be read; the message names the file and, where possible, the line.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.read(["the cat sat", "", "the dog ran"], stop_words=["the"])
    >>> corpus.shape
    (3, 4)
    >>> corpus.vocabulary.tolist()
    ['cat', 'dog', 'ran', 'sat']
    """
    options = Options(
        text=text,
        label=label,
        title=title,
        id=id,
        encoding=encoding,
        delimiter=delimiter,
        sheet=sheet,
        layer=layer,
        transpose=transpose,
        vocabulary=vocabulary,
        keep_texts=keep_texts,
        verify=verify,
        vectorizer=vectorizer,
    )
    return read_with(options, source, format)


def convert(
    source: Any,
    path: str | Path,
    *,
    force: bool = False,
    format: str | None = None,
    engine: str = "threads",
    **options: Any,
) -> Corpus:
    """Read documents into a corpus store, in memory that does not grow with their number.

    The result is the same as that of ``laconic.read(source, ...).save(path)``. Texts are read once:
    their counts and metadata are written to temporary files inside the new folder, which takes its
    name only when it is complete.

    Parameters
    ----------
    source : str, Path, list, data frame, matrix, Corpus or object of another library
        See `laconic.read`. If the source contains counts, they are read into memory.
    path : str or Path
        The folder to create.
    force : bool, default=False
        Whether to replace an existing corpus.
    format : str, optional
        Format of the source; see `laconic.read`.
    engine : str, default="threads"
        "threads" reads one file after the other and counts words on threads. "dask", or the address
        of a Dask scheduler, distributes several files with texts over worker processes, which must
        see the files and the new folder under the same paths. The result is the same.
    **options
        Other parameters of `laconic.read`.

    Returns
    -------
    Corpus
        The corpus on disk.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     convert(["the cat sat", "the dog ran"], f"{home}/pets.corpus", stop_words=["the"])
    Corpus of 2 documents x 4 words (4 non-zero; texts; on disk)
    """
    check_folder(str(path), force)
    if is_distributed(engine):
        paths = _paths(source, format) or []
        if len(paths) > 1 and options.get("vocabulary") is None:
            return _convert_on_cluster(paths, format, options, Path(path), force, engine)
        logger.info("Only several files without a fixed vocabulary are read on a cluster.")
    stored: list[Corpus] = []

    def count(*arguments: Any) -> Corpus:
        stored.append(store_texts(*arguments, path=Path(path), force=force))
        return stored[0]

    corpus = read_with(_options(options, count), source, format)
    if [corpus] != stored:  # The source contained counts, or the reader changed the corpus.
        corpus.save(path, force=force or bool(stored))
        corpus = Corpus.open(path)
    return corpus


def _convert_on_cluster(
    paths: list[str],
    format: str | None,
    given: dict[str, Any],
    path: Path,
    force: bool,
    engine: str,
) -> Corpus:
    options = _options(given)
    _check_format(format)
    _check_parameter_names(options.vectorizer)
    corpus = store_files(paths, format, options, path=path, force=force, engine=engine)
    log_problems(corpus, plural(len(paths), "file"), all_ids=True)
    return corpus


def read_any_size(source: Any, *, format: str | None = None, **options: Any) -> Corpus:
    """Read documents like `read`, but count large texts into a temporary corpus store.

    The store is deleted with the Corpus, or at the end of the process.

    Examples
    --------
    >>> import laconic.io
    >>> laconic.io.read_any_size(["a cat", "a dog"], stop_words=None, min_df=1, max_df=1.0)
    Corpus of 2 documents x 2 words (2 non-zero; texts)
    """
    return read_with(_options(options, count_or_store), source, format)


def _options(given: dict[str, Any], count: Callable[..., Corpus] | None = None) -> Options:
    names = {field.name for field in dataclasses.fields(Options)} - {"count", "vectorizer"}
    vectorizer = {name: value for name, value in given.items() if name not in names}
    others = {name: value for name, value in given.items() if name in names}
    return Options(**others, vectorizer=vectorizer, count=count)


def read_with(options: Options, source: Any, format: str | None = None) -> Corpus:
    """Read documents; see `read`."""
    _check_parameter_names(options.vectorizer)
    paths = _paths(source, format)
    if paths is not None:
        corpus, where = _read_files(paths, format, options)
    else:
        if format not in (None, "matrix"):
            raise LaconicError(
                f"format={format!r} applies only to files; omit format= for data in memory"
            )
        corpus = read_memory(source, options, format)
        where = type(source).__name__
    if corpus.n_empty:
        logger.info("%s: %d of %d documents are empty", where, corpus.n_empty, len(corpus))
    if options.vocabulary is None:  # The documents are probably read to fit a model.
        is_checked = paths is not None and is_store(paths[0])  # It was checked when it was made.
        log_problems(corpus, where, all_ids=not is_checked)
    return corpus


def _paths(source: Any, format: str | None) -> list[str] | None:
    """Return the files to read, or None for data in memory."""
    if isinstance(source, (str, os.PathLike)):
        return expand(os.fspath(source), format)
    if isinstance(source, (list, tuple)) and source and isinstance(source[0], os.PathLike):
        return [file for path in source for file in expand(os.fspath(path), format)]
    return None


def _read_files(paths: list[str], format: str | None, options: Options) -> tuple[Corpus, str]:
    _check_format(format)
    if len(paths) > 1:
        return read_several(paths, format, options), plural(len(paths), "file")
    with closing(Source(paths[0], options.encoding)) as file:
        file.require()
        kind = format or ("csv" if options.delimiter else detect(file))
        options.reject_special(file.name, kind)
        try:
            return READERS[kind](file, options), file.name
        except MemoryError as error:
            raise file.error(
                None, "needs more memory than there is; check that the file is not damaged"
            ) from error


def _check_format(format: str | None) -> None:
    if format is not None and format not in READERS:
        raise LaconicError(
            f"format={format!r} is not a known format; use one of {', '.join(READERS)}"
        )


def _check_parameter_names(names: Iterable[str]) -> None:
    """Raise TypeError if a keyword argument is unknown; the message suggests a valid name."""
    if not names:
        return
    from laconic.text.vectorizer import Vectorizer

    of_read = [
        name for name in inspect.signature(read).parameters if name not in ("source", "vectorizer")
    ]
    valid = list(dict.fromkeys([*of_read, *inspect.signature(Vectorizer).parameters]))
    for name in names:
        if name not in valid:
            near = get_close_matches(name, valid, n=1)
            hint = f"did you mean {near[0]}?" if near else f"use {', '.join(valid)}"
            raise TypeError(f"read() got an unexpected keyword argument {name!r}; {hint}")
