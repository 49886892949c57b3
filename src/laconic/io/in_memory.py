"""Reader for data in memory: texts, tokens, bags of words, tables, matrices or a Corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.tokens import COUNT_TOKENS, SEPARATOR, SPLIT_TEXTS, are_tokens, join_tokens
from laconic.errors import LaconicError, ReadError
from laconic.io.bag_of_words import Entries, batches
from laconic.io.column_names import align_to, column_info, named_corpus, requested_columns
from laconic.io.expression import corpus_of_anndata
from laconic.io.frames import (
    Frame,
    arrow_frame,
    columns_frame,
    pandas_frame,
    pandas_ids,
    polars_frame,
)
from laconic.io.matrix import corpus_of_numbers
from laconic.io.metadata import Row, as_labels
from laconic.io.options import Options
from laconic.io.rows import count_texts
from laconic.io.table import SAMPLE, Record, Table, is_null, is_number, table_info

NO_DOCUMENTS = "the input contains no documents; pass at least one document"
BATCH = 5_000  # number of bags of words that are converted at once
ACCEPTED = (
    "laconic.read accepts a path, a list of strings or of lists of tokens, a data frame, a dict of "
    "lists, a matrix of counts, or an object of gensim, datasets, anndata or scikit-learn"
)


def read_memory(data: Any, options: Options, format: str | None = None) -> Corpus:
    """Build a Corpus from data in memory."""
    if isinstance(data, Corpus):
        return _from_corpus(data, options)
    if sp.issparse(data) or (isinstance(data, np.ndarray) and data.ndim == 2):
        return _from_counts(data, options)
    package, kind = _package_name(data), type(data).__name__
    if package == "anndata" and hasattr(data, "obs_names"):
        return corpus_of_anndata(data, options, None)
    if package == "sklearn" and isinstance(data, Mapping) and "data" in data:
        return _from_bunch(data, options, format)
    frame = _frame_of(data, package, options)
    if frame is not None:
        return _from_frame(frame, options, format)
    options.reject_special(None, f"data of type {kind}")
    if package == "datasets" and hasattr(data, "column_names"):
        return _from_dataset(data, options)
    if isinstance(data, (bytes, Mapping)) or not isinstance(data, Iterable):
        raise LaconicError(f"{ACCEPTED}; got {kind}")
    return _from_documents(data, options)


def _from_corpus(corpus: Corpus, options: Options) -> Corpus:
    options.reject_special(None, "a Corpus")
    options.reject_columns(None, "a Corpus has no named columns to choose from; omit it")
    options.reject_settings(None, "the words of a Corpus are already counted")
    return align_to(corpus, requested_columns(options))


def _from_counts(counts: Any, options: Options) -> Corpus:
    options.reject_special(None, "matrix")
    options.reject_columns(None, "each column of a count matrix is a word; omit it")
    options.reject_settings(None, "the words of a count matrix are already counted")
    columns = requested_columns(options)
    counts = counts.T if options.transpose else counts
    return Corpus(counts, None if columns is None else columns.words)


# --- tables --------------------------------------------------------------------------------------


def _frame_of(data: Any, package: str, options: Options) -> Frame | None:
    """Describe a table in memory, or return None if `data` is not a table."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        return polars_frame(data)
    if package == "pandas" and hasattr(data, "columns"):
        return pandas_frame(data, options)
    if package == "pyarrow" and hasattr(data, "schema"):
        return arrow_frame(data)
    if not isinstance(data, Mapping) or not data or package == "gensim":
        return None
    if package == "datasets":  # a DatasetDict
        names = ", ".join(map(repr, data))
        raise LaconicError(
            f"the {type(data).__name__} contains several datasets ({names}); pass one of them, "
            f"such as dataset[{next(iter(data))!r}]"
        )
    if any(
        isinstance(part, (str, bytes)) or not hasattr(part, "__len__") for part in data.values()
    ):
        return None
    return columns_frame(data)


def _from_frame(frame: Frame, options: Options, format: str | None) -> Corpus:
    if frame.n_rows == 0:
        raise ReadError(None, None, NO_DOCUMENTS)
    if format == "matrix" or _has_only_numbers(frame, options):
        options.reject_special(None, "matrix")
        return corpus_of_numbers(frame, options, None)
    options.reject_special(None, "a table with texts")
    rows, _ = frame.rows(options, None)
    return count_texts(rows, options, None, NO_DOCUMENTS)


def _has_only_numbers(frame: Frame, options: Options) -> bool:
    named = {options.label, options.title, options.id}
    columns = zip(frame.names, frame.numeric, strict=True)
    rest = [numeric for name, numeric in columns if name not in named]
    return options.text is None and bool(rest) and all(rest)


def _from_rows(rows: Iterator[Mapping[str, Any]], options: Options, classes: Any = None) -> Corpus:
    """Read dicts, one per document; numbers are the counts of words."""
    sample = list(islice(rows, SAMPLE))
    records: list[Record] = [(None, row) for row in sample]
    keys = list(dict.fromkeys(key for row in sample for key in row))
    values = [value for row in sample for value in row.values()]
    if options.text is None and values and all(map(is_number, values)):
        return _from_counters(chain(sample, rows), options)
    info = table_info(records, keys, None, noun="key", complete=False)
    table = Table(info, lambda _: ((None, row) for row in chain(sample, rows)))
    return count_texts(_with_classes(table.rows(options)[0], classes), options, None, NO_DOCUMENTS)


def _from_counters(rows: Iterator[Mapping[str, Any]], options: Options) -> Corpus:
    """Read one dict of word counts per document."""
    from sklearn.feature_extraction import DictVectorizer

    options.reject_columns(None, "each key of a dict of counts is a word; omit it")
    options.reject_settings(None, "the words of a dict of counts are already counted")
    vectorizer = DictVectorizer()
    counts = vectorizer.fit_transform(rows)
    corpus = Corpus(counts, vectorizer.get_feature_names_out())
    return align_to(corpus, requested_columns(options))


def _from_dataset(dataset: Any, options: Options) -> Corpus:
    """Read a dataset of Hugging Face, in batches; classes are given by their names."""
    features = dataset.features or {}
    classes = getattr(features.get(options.label), "names", None)
    if not hasattr(dataset, "select_columns") or not hasattr(dataset, "__len__"):
        return _from_rows(iter(dataset), options, classes)
    if len(dataset) == 0:
        raise ReadError(None, None, NO_DOCUMENTS)
    plain = dataset.with_format(None)
    names = list(plain.column_names)
    sample: list[Record] = [(None, plain[row]) for row in range(min(SAMPLE, len(plain)))]

    def records(used: list[str]) -> Iterator[Record]:
        for batch in plain.select_columns(used).iter(batch_size=BATCH):
            for row in zip(*(batch[name] for name in used), strict=True):
                yield None, dict(zip(used, row, strict=True))

    rows, _ = Table(table_info(sample, names, None), records).rows(options)
    return count_texts(_with_classes(rows, classes), options, None, NO_DOCUMENTS)


def _with_classes(rows: Iterator[Row], classes: list[str] | None) -> Iterator[Row]:
    """Replace the number of a class by its name; -1 means that there is no class."""
    for row in rows:
        if classes is not None and isinstance(row.label, int):
            name = classes[row.label] if 0 <= row.label < len(classes) else None
            row = row._replace(label=name)
        yield row


def _from_bunch(bunch: Mapping[str, Any], options: Options, format: str | None) -> Corpus:
    """Read a Bunch of scikit-learn; its target, given by name if possible, are the labels."""
    corpus = read_memory(bunch["data"], options, format)
    names = bunch.get("feature_names")
    if corpus.vocabulary is None and names is not None and len(names) == corpus.shape[1]:
        corpus = corpus.replace(vocabulary=[str(name) for name in names])
    target = bunch.get("target")
    if corpus.labels is not None or target is None or getattr(target, "ndim", 1) != 1:
        return corpus
    classes = bunch.get("target_names")
    numbers = np.asarray(target)
    if classes is not None and numbers.dtype.kind in "iu" and len(classes) > numbers.max():
        return corpus.replace(labels=np.array([str(classes[number]) for number in numbers]))
    return corpus.replace(labels=as_labels(numbers.tolist()))


# --- lists and other iterables -------------------------------------------------------------------


def _from_documents(data: Iterable[Any], options: Options) -> Corpus:
    """Read an iterable; its first document that is not empty shows what the documents are."""
    for method in ("to_pylist", "to_list"):  # Arrow arrays, and series whose values are lists
        if hasattr(data, method):
            ids = pandas_ids(data.index) if hasattr(data, "index") and method == "to_list" else None
            return _from_list(getattr(data, method)(), options, ids)
    return _from_list(data, options, None, getattr(data, "id2word", None))


def _from_list(
    data: Iterable[Any], options: Options, ids: list[str] | None, words: Any = None
) -> Corpus:
    documents = iter(data)
    skipped: list[Any] = []
    first: Any = None
    for first in documents:
        skipped.append(first)
        if not (_is_missing(first) or (_is_list(first) and len(first) == 0)):
            break
    if _is_list(first) and len(first) == 0:
        raise ReadError(None, None, "all documents are empty lists; pass at least one word")
    documents = chain(skipped, documents)
    if isinstance(first, Mapping):
        return _from_rows(documents, options)
    options.reject_columns(None, "a list of documents has no columns; omit it or pass a data frame")
    if _is_list(first) and len(first) and _is_list(first[0]) and len(first[0]) == 2:
        return _from_pairs(documents, options, words)
    if _is_list(first) and len(first) and is_number(first[0]):
        return _from_counts(np.array(list(documents)), options)
    if _is_list(first) and are_tokens(first):
        return _from_tokens(documents, options, ids)
    if isinstance(first, str):
        _reject_file_names(first)
    return count_texts(_with_ids(_rows(documents), ids), options, None, NO_DOCUMENTS)


def _reject_file_names(text: str) -> None:
    """Raise if the first text is the name of a file."""
    looks_like_name = len(text) <= 255 and "." in text and not set("\n\0") & set(text)
    if looks_like_name and os.path.isfile(text):
        raise LaconicError(
            f"{text!r} is the name of a file, but a list of strings is a list of documents; to "
            "read several files, pass a list of pathlib.Path or a pattern such as 'posts/*.csv'"
        )


def _from_tokens(documents: Iterator[Any], options: Options, ids: list[str] | None) -> Corpus:
    """Count tokens as they are; the settings of the Vectorizer that select words apply."""
    for name in ("token_pattern", "tokenizer"):
        if options.vectorizer.get(name) is not None:
            raise LaconicError(
                f"{name}= splits texts, but the documents are lists of tokens; omit it"
            )
    settings = {**COUNT_TOKENS, **options.vectorizer}
    corpus = count_texts(
        _with_ids(_token_rows(documents), ids), replace(options, vectorizer=settings), None
    )
    return corpus.replace(vectorizer={**(corpus.vectorizer or {}), **SPLIT_TEXTS})


def _token_rows(documents: Iterator[Any]) -> Iterator[Row]:
    for position, document in enumerate(documents):
        tokens = [] if _is_missing(document) else document
        if not _is_list(tokens):
            raise LaconicError(
                f"document {position} (counted from 0) has type {type(document).__name__}, but the "
                "first document is a list of tokens; pass all documents as lists of tokens"
            )
        joined = join_tokens(tokens, position)
        yield Row(joined.replace(SEPARATOR, " "), counted=joined)


def _from_pairs(documents: Iterator[Any], options: Options, words: Any) -> Corpus:
    """Read bags of words as gensim has them: lists of (column, count)."""
    options.reject_settings(None, "the words of a bag of words are already counted")
    entries, n_documents = Entries.empty(), 0
    for batch in batches(documents, BATCH):
        bags = [_checked_bag(bag, n_documents + number) for number, bag in enumerate(batch)]
        lengths = [len(bag) for bag in bags]
        pairs = np.concatenate(bags)
        rows = np.repeat(np.arange(n_documents, n_documents + len(bags)), lengths)
        entries.add(rows, pairs[:, 0].astype(np.int64), pairs[:, 1])
        n_documents += len(batch)
    own = column_info(words) if isinstance(words, Mapping) and len(words) else None
    return named_corpus(entries.matrix(n_documents), own, options)


def _checked_bag(bag: Any, position: int) -> np.ndarray:
    if bag is None or len(bag) == 0:
        return np.zeros((0, 2))
    try:
        pairs = np.array(bag, dtype=float)
    except (TypeError, ValueError):
        pairs = np.zeros(0)
    is_valid = pairs.ndim == 2 and pairs.shape[1] == 2 and pairs[:, 0].min() >= 0
    if not is_valid or (pairs[:, 0] % 1).any():
        raise LaconicError(
            f"document {position} (counted from 0) must be a list of pairs (word number, count); "
            f"got {str(bag)[:60]}"
        )
    return pairs


def _rows(texts: Iterable[Any]) -> Iterator[Row]:
    for position, text in enumerate(texts):
        if isinstance(text, str):
            yield Row(str(text))
        elif _is_missing(text):
            yield Row("")
        else:
            remedy = "pass every document as a string (str)"
            if isinstance(text, (bytes, bytearray)):
                remedy = (
                    "decode it, as in text.decode('utf-8'); sklearn.datasets.load_files does that "
                    "if encoding= is set"
                )
            raise ReadError(
                None,
                None,
                f"document {position} (counted from 0) has type {type(text).__name__}; {remedy}",
            )


def _with_ids(rows: Iterator[Row], ids: list[str] | None) -> Iterator[Row]:
    if ids is None:
        return rows
    return (row._replace(id=id_) for row, id_ in zip(rows, ids, strict=True))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _is_missing(value: Any) -> bool:
    return is_null(value) or type(value).__name__ == "NAType"


def _package_name(data: Any) -> str:
    """Return the name of the package that defines the type of `data`; import nothing."""
    return type(data).__module__.partition(".")[0]
