"""``laconic.read``: build a Corpus from a file, a folder, standard input or data in memory."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from difflib import get_close_matches
from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.io.formats import READERS, detect
from laconic.io.in_memory import read_memory
from laconic.io.options import Options
from laconic.io.source import Source

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
    vocabulary: Any = None,
    keep_texts: bool = True,
    **vectorizer: Any,
) -> Corpus:
    """Read documents from a file, a folder, standard input or memory.

    No document is dropped. Empty documents are kept, and their number is logged.

    Parameters
    ----------
    source : str, Path, list of str, data frame, matrix or Corpus
        A path (``"-"`` is standard input; files may be gzipped), any iterable of strings, a
        pandas or polars data frame or series, or a matrix of counts.
    format : str, optional
        One of the names in ``laconic.io.READERS``. By default, the format is detected from the name
        and the content of the file.
    text : str or list of str, optional
        Column with the text; several columns are joined by newlines. By default, the text is in the
        only column of strings, or in a column called "text", "body", "content" or "abstract".
    label, title, id : str, optional
        Columns with the class, the title and the id of each document. Columns called exactly
        ``title`` and ``id`` are used by default.
    encoding : str, default="utf-8"
        Encoding of text files.
    vocabulary : path, list of str, Corpus, Vectorizer, pipeline or model, optional
        For text, the only words to count; a corpus or model also provides the settings of its
        vectoriser. For a bag of words, the words of its columns or, if the bag has its own
        vocabulary file, the words to which its columns are aligned.
    keep_texts : bool, default=True
        Whether to keep the texts in ``Corpus.texts``.
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
    _check_parameter_names(vectorizer)
    options = Options(text, label, title, id, encoding, vocabulary, keep_texts, vectorizer)
    if isinstance(source, (str, os.PathLike)):
        with closing(Source(os.fspath(source), encoding)) as file:
            corpus = _reader(format, file)(file, options)
        where = file.name
    else:
        if format is not None:
            raise LaconicError(
                f"format={format!r} applies only to files; omit format= for data in memory"
            )
        corpus = read_memory(source, options)
        where = type(source).__name__
    if corpus.n_empty:
        logger.info("%s: %d of %d documents are empty", where, corpus.n_empty, len(corpus))
    return corpus


def _reader(format: str | None, source: Source) -> Any:
    if format is not None and format not in READERS:
        raise LaconicError(
            f"format={format!r} is not a known format; use one of {', '.join(READERS)}"
        )
    source.require()
    return READERS[format or detect(source)]


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
