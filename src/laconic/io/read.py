"""``laconic.read``: anything that holds documents goes in, a Corpus comes out."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Mapping, Sequence
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

    No document is dropped: an empty one is kept, and one log line counts them.

    Parameters
    ----------
    source : str, Path, list of str, data frame, matrix or Corpus
        A path (``"-"`` is standard input; files may be gzipped), strings from any iterable, a
        pandas or polars frame or series, or a matrix of counts.
    format : str, optional
        One of ``laconic.io.READERS``; told from name and content when left out.
    text : str or list of str, optional
        Column with the text; several are joined by newlines. Left out: the only column of strings,
        or one called text, body, content or abstract.
    label, title, id : str, optional
        Columns with the class, the title and the id of each document. Columns called exactly
        ``title`` and ``id`` are taken unasked.
    encoding : str, default="utf-8"
        How text files are encoded.
    vocabulary : path, list of str, Corpus, Vectorizer, pipeline or model, optional
        For text: count only these words; a corpus or model also brings the settings that counted
        its own. For a bag of words: the words of its columns, or, when the file has a vocabulary of
        its own, the words to match it to.
    keep_texts : bool, default=True
        Keep the texts in ``Corpus.texts``.
    **vectorizer
        Settings of `Vectorizer`, for text: ``stop_words="english"``, ``min_df=5``, …

    Returns
    -------
    Corpus

    Raises
    ------
    ReadError
        The source cannot be read; the sentence names the file and, where it can, the line.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.read(["the cat sat", "", "the dog ran"], stop_words=["the"])
    >>> corpus.shape
    (3, 4)
    >>> corpus.vocabulary.tolist()
    ['cat', 'dog', 'ran', 'sat']
    """
    _require_known_settings(vectorizer)
    options = Options(text, label, title, id, encoding, vocabulary, keep_texts, vectorizer)
    if isinstance(source, (str, os.PathLike)):
        with closing(Source(os.fspath(source), encoding)) as file:
            corpus = _reader(format, file)(file, options)
        where = file.name
    else:
        if format is not None:
            raise LaconicError(f"format={format!r} is for files; leave it out for data in memory")
        corpus = read_memory(source, options)
        where = type(source).__name__
    if corpus.n_empty:
        logger.info("%s: %d of %d documents are empty", where, corpus.n_empty, len(corpus))
    return corpus


def _reader(format: str | None, source: Source) -> Any:
    if format is not None and format not in READERS:
        raise LaconicError(f"format={format!r} is not known; give one of {', '.join(READERS)}")
    source.require()
    return READERS[format or detect(source)]


def _require_known_settings(given: Mapping[str, Any]) -> None:
    """Name a mistyped option, as Python would, with the ones there are."""
    if not given:
        return
    from laconic.text.vectorizer import Vectorizer

    own = [
        name for name in inspect.signature(read).parameters if name not in ("source", "vectorizer")
    ]
    known = list(dict.fromkeys([*own, *inspect.signature(Vectorizer).parameters]))
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
            raise TypeError(f"read() got an unexpected keyword argument {name!r}; {hint}")
