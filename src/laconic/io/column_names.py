"""Names for columns: from a file beside the counts, or from what the caller gives.

A list or a file *names* the columns of a bag of words. A corpus, a vectorizer, a pipeline or a
model brings the words it was fitted on: text is counted over these words in the same way, and a
bag of words that has a vocabulary of its own is matched to them by word.
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
from laconic.io.options import Options
from laconic.io.source import Source

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer

logger = logging.getLogger(__name__)


class Known(NamedTuple):
    """What is known of the columns in advance."""

    words: np.ndarray | None  # None: columns without names, of which only the number is known
    width: int | None
    settings: Mapping[str, Any]  # of the vectorizer that counted them
    fitted: bool  # a corpus or an estimator: its words are matched by name
    origin: str


def columns_from(options: Options) -> Known | None:
    """What is known of the columns from ``vocabulary=``; None where it is not given."""
    given = options.vocabulary
    return None if given is None else known_columns(given, options.encoding)


def known_columns(given: Any, encoding: str = "utf-8") -> Known:
    """The words behind a path, list, mapping, corpus, vectorizer, pipeline or model."""
    if isinstance(given, (str, Path)):
        return _named_by_path(Path(given), encoding)
    if isinstance(given, Corpus):
        return _known(given.vocabulary, given.shape[1], given.vectorizer, True, "the given corpus")
    if isinstance(given, Vocabulary):
        return _known(given.words, None, None, False, "the given vocabulary")
    if isinstance(given, Mapping):
        return _known(_by_column(given), None, None, False, "the given vocabulary")
    if hasattr(given, "get_params"):
        return _known_to_estimator(given)
    return _known(_as_words(given), None, None, False, "the given vocabulary")


def vectorizer_for(options: Options) -> Vectorizer:
    """The vectorizer that `options` ask for: its own settings come before the vocabulary's."""
    from laconic.text.vectorizer import Vectorizer  # late: a bag of words needs none

    known = columns_from(options)
    if known is None:
        return Vectorizer(**options.vectorizer)
    if known.words is None:
        raise LaconicError(
            f"{known.origin} has columns without names, so text cannot be counted over them; "
            "give vocabulary= something that has words"
        )
    settings = {**known.settings, **options.vectorizer}
    if isinstance(settings.get("tokenizer"), str):
        raise LaconicError(
            f"{known.origin} was counted with the tokenizer {settings['tokenizer']}, of which a "
            "saved corpus keeps only the name; give the function with tokenizer="
        )
    return Vectorizer(**{**settings, "vocabulary": known.words})


def read_words(source: Source) -> np.ndarray:
    """One word on each line; blank lines at the end are no words."""
    words = list(source.lines())
    while words and not words[-1].strip():
        words.pop()
    if not words:
        raise source.error(None, "is empty; a vocabulary has one word on each line")
    blank = next((line for line, word in enumerate(words, 1) if not word.strip()), None)
    if blank is not None:
        raise source.error(blank, "is blank; a vocabulary has one word on each line")
    return as_strings([word.strip() for word in words])


def beside(path: Path | None) -> Path | None:
    """The vocabulary file that lies beside a bag of words by one of the usual names, if any.

    For ``docword.NAME.txt``: ``vocab.NAME.txt``. For ``NAME.EXT``: ``NAME.vocab``,
    ``NAME.vocab.txt``, ``vocab.NAME.txt``. Then ``vocab.txt`` and ``vocabulary.txt``. Each also
    with ``.gz``.
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


def named_corpus(
    counts: Any, source: Source, options: Options, *, fixed_width: bool, labels: Any = None
) -> Corpus:
    """A Corpus of counts whose columns get their words.

    With `fixed_width` the file itself says how many columns there are; otherwise the matrix is as
    wide as the largest column used, and a longer vocabulary makes it wider.
    """
    known = columns_from(options)
    file = beside(source.path)
    if known is None or (known.fitted and file is not None):
        own = None if file is None else _named_by_path(file, options.encoding)
        if file is not None:
            logger.info("%s: the words are taken from %s", source.name, file)
    else:
        own, known = known, None
    if own is not None:
        counts = _fitted_to(counts, own, source, fixed_width)
    try:
        corpus = Corpus(counts, None if own is None else own.words, labels=labels)
    except LaconicError as error:
        raise source.error(None, str(error)) from error
    return aligned(corpus, known)


def aligned(corpus: Corpus, known: Known | None) -> Corpus:
    """The corpus over the words that are known, where there are any."""
    return corpus if known is None or known.words is None else corpus.align(known.words)


def _fitted_to(counts: Any, own: Known, source: Source, fixed_width: bool) -> Any:
    n_documents, width = counts.shape
    wanted = own.width if own.words is None else len(own.words)
    if wanted is None or wanted == width:
        return counts
    if not fixed_width and wanted > width:
        counts.resize(n_documents, wanted)
        return counts
    kind = "columns" if own.words is None else "words"
    turned = "; its rows would fit, so transpose it" if n_documents == wanted else ""
    raise source.error(
        None,
        f"the matrix has {width} columns, but {own.origin} has {wanted} {kind}"
        f"{turned or '; give the vocabulary= that belongs to it'}",
    )


def _known(
    words: np.ndarray | None,
    width: int | None,
    settings: Mapping[str, Any] | None,
    fitted: bool,
    origin: str,
) -> Known:
    kept = {name: value for name, value in (settings or {}).items() if name != "vocabulary"}
    return Known(words, len(words) if words is not None else width, kept, fitted, origin)


def _named_by_path(path: Path, encoding: str) -> Known:
    if is_store(path):
        return known_columns(Corpus.open(path))
    if path.is_dir():
        raise ReadError(
            path, None, "is a folder; vocabulary= takes a file with one word on each line, or a "
            "model opened with laconic.load"
        )  # fmt: skip
    source = Source(path, encoding)
    source.require()
    return _known(read_words(source), None, None, False, f"the vocabulary {path}")


def _known_to_estimator(estimator: Any) -> Known:
    """Words and settings of the first step that has them; else the number of columns."""
    name = type(estimator).__name__
    steps = [step for _, step in getattr(estimator, "steps", [(name, estimator)])]
    for step in steps:
        words = _learned(step, "vocabulary_", "feature_names_in_")
        if words is not None:
            words = _by_column(words) if isinstance(words, Mapping) else _as_words(words)
            return _known(words, None, _learned(step, "settings_"), True, f"the given {name}")
    for step in steps:
        width = _learned(step, "n_features_in_")
        if width is not None:
            return _known(None, int(width), None, True, f"the given {name}")
    raise LaconicError(f"vocabulary= got a {name} that is not fitted; fit it first")


def _learned(estimator: Any, *names: str) -> Any:
    values = (getattr(estimator, name, None) for name in names)
    return next((value for value in values if value is not None), None)


def _by_column(columns: Mapping[str, Any]) -> np.ndarray:
    return _as_words(sorted(columns, key=lambda word: columns[word]))


def _as_words(given: Any) -> np.ndarray:
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise LaconicError(
            "vocabulary= takes a file, a list of words, a Corpus, a Vectorizer, a pipeline or a "
            f"model; got {type(given).__name__}"
        )
    words = list(given)
    stranger = next((word for word in words if not isinstance(word, str)), None)
    if stranger is not None:
        raise LaconicError(f"vocabulary= takes words; got {stranger!r} among them")
    return as_strings(words)


def read_word_list(path: str) -> list[str]:
    """The words of a file, one on each line."""
    source = Source(path)
    source.require()
    return list(read_words(source))
