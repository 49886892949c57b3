"""Words of the columns of a count matrix, from a nearby file or from ``vocabulary=``.

If ``vocabulary=`` is a list or a file, it *names* the columns of a bag of words. If ``vocabulary=``
is a corpus, vectoriser, pipeline or model, it provides words and vectoriser settings. In text, only
these words are counted, with the same settings. A bag of words that has its own vocabulary file is
aligned to the words of ``vocabulary=``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import is_store
from laconic.corpus.vocabulary import Vocabulary, as_strings
from laconic.errors import LaconicError, ReadError
from laconic.files.json_values import FUNCTIONS
from laconic.io.companions import finish_interrupted_write
from laconic.io.options import Options
from laconic.io.source import Source

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer

logger = logging.getLogger(__name__)


class ColumnInfo(NamedTuple):
    """Columns that ``vocabulary=`` requires: their words or, if unknown, only their number."""

    words: np.ndarray | None  # None if only the number of columns is known
    width: int | None
    settings: Mapping[str, Any]  # parameters of the vectoriser that counted the words
    fitted: bool  # True for a corpus or estimator, to which columns are aligned by word
    origin: str


def requested_columns(options: Options) -> ColumnInfo | None:
    """Return the columns that ``vocabulary=`` requires, or None without ``vocabulary=``."""
    vocabulary = options.vocabulary
    return None if vocabulary is None else column_info(vocabulary, options.encoding)


def column_info(vocabulary: Any, encoding: str = "utf-8") -> ColumnInfo:
    """Return the columns that a file, list, mapping, corpus or estimator describes."""
    if isinstance(vocabulary, (str, Path)):
        return _info_from_path(Path(vocabulary), encoding)
    if isinstance(vocabulary, Corpus):
        corpus = vocabulary
        origin = "the corpus in vocabulary="
        return _info(corpus.vocabulary, corpus.shape[1], corpus.vectorizer, True, origin)
    origin = "the given vocabulary"
    if isinstance(vocabulary, Vocabulary):
        return _info(vocabulary.words, None, None, False, origin)
    if isinstance(vocabulary, Mapping):
        return _info(_words_by_column(vocabulary), None, None, False, origin)
    if hasattr(vocabulary, "get_params"):
        return _info_from_estimator(vocabulary)
    return _info(_as_words(vocabulary), None, None, False, origin)


def vectorizer_for(options: Options) -> Vectorizer:
    """Return the Vectorizer for `options`, which override the settings of the vocabulary."""
    from laconic.text.vectorizer import Vectorizer  # needed only for text

    columns = requested_columns(options)
    if columns is None:
        return Vectorizer(**options.vectorizer)
    if columns.words is None:
        raise LaconicError(
            f"{columns.origin} contains no words for its columns, so it cannot be used to count "
            "text; set vocabulary= to a corpus, model or file that has words"
        )
    settings = {**columns.settings, **options.vectorizer}
    for name in FUNCTIONS:
        if ":" in str(settings.get(name)) and not callable(settings[name]):
            raise LaconicError(
                f"{columns.origin} was counted with the custom {name} {settings[name]}, but only "
                f"the name of the {name} was saved; pass the function with {name}="
            )
    return Vectorizer(**{**settings, "vocabulary": columns.words})


def read_words(source: Source) -> np.ndarray:
    """Read one word per line; trailing blank lines are ignored."""
    words = list(source.lines())
    while words and not words[-1].strip():
        words.pop()
    if not words:
        raise source.error(None, "is empty; a vocabulary file needs one word per line")
    blank = next((line for line, word in enumerate(words, 1) if not word.strip()), None)
    if blank is not None:
        raise source.error(blank, "the line is blank; a vocabulary file needs one word per line")
    return as_strings([word.strip() for word in words])


def find_vocabulary_file(path: Path | None) -> Path | None:
    """Return the vocabulary file that belongs to the bag of words at `path`, or None.

    The vocabulary file must be in the folder of the bag of words. If the bag is called
    ``docword.NAME.txt``, the first name tried is ``vocab.NAME.txt``. If the bag is called
    ``NAME.EXT``, the names ``NAME.vocab``, ``NAME.vocab.txt`` and ``vocab.NAME.txt`` are tried. The
    last names tried are ``vocab.txt`` and ``vocabulary.txt``. Each name may be followed by ``.gz``.
    """
    if path is None:
        return None
    name = path.name.removesuffix(".gz")
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    names = []
    if "docword" in name:
        names += [name.replace("docword", "vocab"), stem.replace("docword", "vocab")]
    for base in (stem, name):
        names += [f"{base}.vocab", f"{base}.vocab.txt", f"vocab.{base}.txt"]
    names += ["vocab.txt", "vocabulary.txt"]
    for candidate in names:
        for ending in ("", ".gz"):
            file = path.with_name(candidate + ending)
            if file != path and file.is_file():
                return file
    return None


def corpus_with_words(
    counts: Any, source: Source, options: Options, *, fixed_width: bool, labels: Any = None
) -> Corpus:
    """Build a Corpus from a count matrix and the words of its columns.

    If `fixed_width` is true, the file itself states the number of columns. Otherwise, the largest
    column index determines the width, and a vocabulary with more words adds empty columns.
    """
    requested = requested_columns(options)
    if source.path is not None:
        finish_interrupted_write(source.path)
    file = find_vocabulary_file(source.path)
    if requested is None or (requested.fitted and file is not None):
        columns = None if file is None else _info_from_path(file, options.encoding)
        if file is not None:
            logger.info("%s: words read from %s", source.name, file)
    else:
        columns, requested = requested, None
    if columns is not None:
        counts = _resize(counts, columns, source, fixed_width)
    try:
        corpus = Corpus(counts, None if columns is None else columns.words, labels=labels)
    except LaconicError as error:
        raise source.error(None, str(error)) from error
    return align_to(corpus, requested)


def named_corpus(counts: Any, own: ColumnInfo | None, options: Options) -> Corpus:
    """Build a Corpus from bags of words in memory, which may have words of their own."""
    requested = requested_columns(options)
    if own is None or (requested is not None and not requested.fitted):
        own, requested = requested, None
    if own is not None:
        expected = own.width if own.words is None else len(own.words)
        if expected is not None and expected < counts.shape[1]:
            raise LaconicError(
                f"the bags of words use word number {counts.shape[1] - 1}, but {own.origin} has "
                f"only {expected} words; pass the dictionary that belongs to them"
            )
        counts.resize(counts.shape[0], expected or counts.shape[1])
    else:
        logger.info("the words have no names; set vocabulary= to a dictionary or a list of words")
    return align_to(Corpus(counts, None if own is None else own.words), requested)


def align_to(corpus: Corpus, columns: ColumnInfo | None) -> Corpus:
    """Align the corpus to the words of `columns`, if the words are known."""
    return corpus if columns is None or columns.words is None else corpus.align(columns.words)


def _resize(counts: Any, columns: ColumnInfo, source: Source, fixed_width: bool) -> Any:
    """Add empty columns to reach the required width; if that is not possible, raise an error."""
    n_documents, width = counts.shape
    expected = columns.width if columns.words is None else len(columns.words)
    if expected is None or expected == width:
        return counts
    if not fixed_width and expected > width:
        counts.resize(n_documents, expected)
        return counts
    kind = "columns" if columns.words is None else "words"
    if n_documents == expected:
        remedy = (
            f"the matrix has {n_documents} rows, so its rows may be the words; set transpose=True "
            "(--transpose)"
        )
    else:
        remedy = "set vocabulary= to the vocabulary that belongs to this file"
    mismatch = f"the matrix has {width} columns, but {columns.origin} has {expected} {kind}"
    raise source.error(None, f"{mismatch}; {remedy}")


def _info(
    words: np.ndarray | None,
    width: int | None,
    settings: Mapping[str, Any] | None,
    fitted: bool,
    origin: str,
) -> ColumnInfo:
    others = {name: value for name, value in (settings or {}).items() if name != "vocabulary"}
    return ColumnInfo(words, len(words) if words is not None else width, others, fitted, origin)


def _info_from_path(path: Path, encoding: str) -> ColumnInfo:
    if is_store(path):
        return column_info(Corpus.open(path))
    if path.is_dir():
        raise ReadError(
            path, None, "is a folder; set vocabulary= to a file with one word per line, or to a "
            "model opened with laconic.load"
        )  # fmt: skip
    source = Source(path, encoding)
    source.require()
    return _info(read_words(source), None, None, False, f"the vocabulary {path}")


def _info_from_estimator(estimator: Any) -> ColumnInfo:
    """Return the words and settings of the first step with words, or the number of columns."""
    name = type(estimator).__name__
    origin = f"the {name} in vocabulary="
    steps = [step for _, step in getattr(estimator, "steps", [(name, estimator)])]
    for step in steps:
        words = _first_attribute(step, "vocabulary_", "feature_names_in_")
        if words is not None:
            words = _words_by_column(words) if isinstance(words, Mapping) else _as_words(words)
            return _info(words, None, _first_attribute(step, "settings_"), True, origin)
    for step in steps:
        width = _first_attribute(step, "n_features_in_")
        if width is not None:
            return _info(None, int(width), None, True, origin)
    raise LaconicError(f"vocabulary= is a {name} that is not fitted; fit the {name} first")


def _first_attribute(estimator: Any, *names: str) -> Any:
    """Return the value of the first attribute in `names` that is not None."""
    values = (getattr(estimator, name, None) for name in names)
    return next((value for value in values if value is not None), None)


def _words_by_column(columns: Mapping[Any, Any]) -> np.ndarray:
    """Return the words of a mapping from words to columns, or from columns to words (gensim)."""
    numbers = [key for key in columns if isinstance(key, (int, np.integer))]
    if not numbers or len(numbers) < len(columns):
        return _as_words(sorted(columns, key=lambda word: columns[word]))
    if sorted(numbers) != list(range(len(numbers))):
        raise LaconicError(
            f"vocabulary= must number its {len(numbers)} words from 0 to {len(numbers) - 1}; for a "
            "Dictionary of gensim, call compactify() before you make the bags of words"
        )
    return _as_words([columns[number] for number in range(len(numbers))])


def _as_words(vocabulary: Any) -> np.ndarray:
    if not isinstance(vocabulary, Iterable) or isinstance(vocabulary, bytes):
        raise LaconicError(
            "vocabulary= must be a file, a list of words, a Corpus, a Vectorizer, a pipeline or a "
            f"model; got {type(vocabulary).__name__}"
        )
    words = list(vocabulary)
    invalid = next((word for word in words if not isinstance(word, str)), None)
    if invalid is not None:
        raise LaconicError(
            f"vocabulary= must contain only strings; got {invalid!r} ({type(invalid).__name__})"
        )
    return as_strings(words)


def read_word_list(path: str) -> list[str]:
    """Read a list of words from a file with one word per line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "words.txt")
    ...     _ = path.write_text("cat\\ndog\\n")
    ...     list(map(str, read_word_list(path)))
    ['cat', 'dog']
    """
    source = Source(path)
    source.require()
    return list(read_words(source))
