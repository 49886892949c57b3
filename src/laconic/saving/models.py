"""Save and load models: a folder of plain arrays and one JSON file, never a pickle.

``model.json`` names the classes, their parameters and everything they learned; arrays stand
beside it as ``.npy`` files, words in ``vocabulary.txt``. What an estimator learned is what its
public attributes ending in an underscore hold, so a new model needs no code here.

Nothing in the folder is executed or imported, and everything is checked before it is used.
Documents may be kept with the model: see ``documents.py``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from laconic import __version__
from laconic.corpus.corpus import Corpus
from laconic.corpus.store import is_store
from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import load_json, save_json
from laconic.files.atomic_folder import open_folder, write_folder
from laconic.files.json_values import VOCABULARIES, Decoder, Encoder
from laconic.fitted.documents import (
    Documents,
    documents_of,
    keep_documents,
    kept_documents,
)
from laconic.fitted.notes import keep_notes, notes_of
from laconic.fitted.pipeline_steps import last_step
from laconic.saving.documents import decode_documents, encode_documents
from laconic.saving.notes import keep_file_beside, notes_file, read_notes, write_notes

if TYPE_CHECKING:
    from laconic.retrieval.index import SearchIndex

logger = logging.getLogger(__name__)

FORMAT = 1
LEARNED = re.compile(r"[A-Za-z]\w*_")  # attributes that scikit-learn's convention calls learned

# Parameters that are neither written nor read. An engine may be the address of a Dask scheduler,
# and what a scheduler sends is unpickled: a model file must not choose where its reader connects.
UNSAVED = frozenset({"engine"})


def save(
    model: Any,
    path: str | Path,
    *,
    force: bool = False,
    corpus: Any = None,
    index: SearchIndex | None = None,
) -> Path:
    """Write a fitted model or pipeline to a folder.

    Parameters
    ----------
    model : estimator or Pipeline
        One of laconic's estimators, or a scikit-learn pipeline of them.
    path : str or Path
        The folder to make. It appears whole or not at all.
    force : bool, default=False
        Replace a saved model that is already there; it stays whole until the new one is. What
        people wrote of its topics is kept beside it, as ``PATH.notes.json``.
    corpus : Corpus, matrix or list of texts, optional
        Documents to keep with the model, so that `laconic.similar` and `laconic.top_documents` of
        the loaded one need no corpus: their codes, ids, titles and labels, not their texts.
        Without it a loaded model keeps the documents it has, unless it was fitted again.
    index : SearchIndex, optional
        What `laconic.search` made of this model and of documents, to be kept with both: words,
        codes and, for snippets, the texts. `laconic.search` of the loaded model then needs no
        corpus. Its documents are kept too, so `corpus` may be left out.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ModelFileError
        The place is taken, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(50, 100, 3, words_per_topic=10)
    >>> model = laconic.SparseLSA(n_components=3).fit(corpus)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = laconic.save(model, folder + "/small.model")
    ...     loaded = laconic.load(path)
    >>> (model.transform(corpus) != loaded.transform(corpus)).nnz
    0
    """
    if isinstance(model, Corpus):
        raise LaconicError("A Corpus is saved by its own method: corpus.save(path).")
    is_pipeline = isinstance(model, Pipeline)
    steps = model.steps if is_pipeline else [("model", model)]
    names = {cls: name for name, cls in _classes().items()}
    for _, step in steps:
        if type(step) not in names:
            raise LaconicError(
                f"{type(step).__name__} is not one of laconic's own models, so it cannot be saved;"
                f" these can: {', '.join(sorted(cls.__name__ for cls in names))}"
            )
    check_is_fitted(steps[-1][1])
    documents, notes = _documents(model, corpus, index), notes_of(model)

    def write(folder: Path) -> None:
        encoder = Encoder(folder)
        header = {
            "format": FORMAT,
            "laconic": __version__,
            "kind": "pipeline" if is_pipeline else "model",
            "steps": [_encode_step(encoder, name, step, names[type(step)]) for name, step in steps],
        }
        if documents is not None:
            header["documents"] = encode_documents(encoder, documents)
            if documents.index is not None:
                from laconic.saving.index import encode_index

                header["index"] = encode_index(encoder, documents.index)
        save_json(folder, "model", header)
        if notes:
            write_notes(folder, notes)

    replaced = notes_file(path) if force and not notes else None
    write_folder(path, force, write)
    if replaced is not None:
        kept = keep_file_beside(path, replaced)
        logger.warning("the names and notes of the old topics are kept in %s", kept)
    return Path(path)


def _documents(model: Any, corpus: Any, index: SearchIndex | None) -> Documents | None:
    """What is kept with a model."""
    if index is None:
        return kept_documents(model) if corpus is None else documents_of(model, corpus)
    if corpus is not None and corpus.shape[0] != len(index):
        raise LaconicError(
            f"The index is of {len(index):,} documents and the corpus has {corpus.shape[0]:,}; "
            "give the corpus that it was made of."
        )
    if index.documents.topics is not getattr(last_step(model), "components_", None):
        raise LaconicError(
            "The index was made with another model, or before this one was fitted again; make it "
            "anew with laconic.search(model, corpus)."
        )
    return index.documents


def load(path: str | Path, *, tokenizer: Callable[[str], list[str]] | None = None) -> Any:
    """Read a model or pipeline that `save` wrote; its arrays stay on disk, memory-mapped.

    Parameters
    ----------
    path : str or Path
        The folder.
    tokenizer : callable, optional
        The function that split texts into words when the model was fitted, if it was one's own:
        the folder holds its name only. Without it the model takes counts but no raw text.

    Returns
    -------
    estimator or Pipeline
        Transforms exactly as the one that was saved, and has the documents that were kept with it
        and the names that were given to its topics. It runs on the default engine, whatever the
        saved one ran on; choose another with ``set_params(engine=...)``.

    Raises
    ------
    ModelFileError
        The folder is missing, damaged, not to be trusted, or written by a newer laconic.
    """
    folder, header = open_model(path)
    decoder = Decoder(folder, tokenizer)
    try:
        steps = [_decode_step(decoder, step) for step in header["steps"]]
        _check_widths(folder, [step for _, step in steps])
        _load_documents(decoder, header, steps[-1][1])
        _load_notes(folder, steps[-1][1])
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, LaconicError):
            raise
        raise ModelFileError(
            folder / "model.json", f"is damaged ({type(error).__name__}: {error})"
        ) from error
    if tokenizer is not None and not decoder.needs_tokenizer:
        logger.info("%s needs no tokenizer; the one given is not used", path)
    return Pipeline(steps) if header["kind"] == "pipeline" else steps[0][1]


def _load_documents(decoder: Decoder, header: dict[str, Any], estimator: Any) -> None:
    documents, index = header.get("documents"), header.get("index")
    if documents is None:
        if index is not None:
            raise decoder.damaged("it has a search index without documents")
        return
    n_topics = estimator.components_.shape[0]
    kept = decode_documents(decoder, documents, n_topics)
    if index is not None:
        from laconic.saving.index import decode_index

        kept.index = decode_index(decoder, index, len(kept), n_topics)
    keep_documents(estimator, kept)


def _load_notes(folder: Path, estimator: Any) -> None:
    if hasattr(estimator, "components_"):
        keep_notes(estimator, read_notes(folder, estimator.components_.shape[0]))


def _classes() -> dict[str, type[BaseEstimator]]:
    """Every class that can be saved, by the name it has on disk."""
    from laconic.models import MODELS
    from laconic.text.vectorizer import Vectorizer
    from laconic.weighting import Weighting

    return {"vectorizer": Vectorizer, "weighting": Weighting, **MODELS}


def class_named(folder: Path, name: object) -> type[BaseEstimator]:
    """The class of that name on disk."""
    classes = _classes()
    if not isinstance(name, str) or name not in classes:
        raise ModelFileError(
            folder / "model.json",
            f"names the model {name!r}, which is unknown; known: {', '.join(sorted(classes))}",
        )
    return classes[name]


def open_model(path: str | Path) -> tuple[Path, dict[str, Any]]:
    """The folder and the header of a saved model."""
    if is_store(path) and not (Path(path) / "model.json").exists():
        raise ModelFileError(path, "is a corpus, not a model; open it with laconic.read")
    folder = open_folder(path, "model.json")
    header = load_json(folder, "model", newest=FORMAT)
    steps = header.get("steps")
    kind = header.get("kind")
    if kind not in ("model", "pipeline") or not isinstance(steps, list) or not steps:
        raise ModelFileError(folder / "model.json", "is damaged: it names no model")
    if kind == "model" and len(steps) > 1:
        raise ModelFileError(folder / "model.json", "is damaged: it names several models")
    return folder, header


def _encode_step(encoder: Encoder, name: str, estimator: Any, class_name: str) -> dict[str, Any]:
    """One estimator as JSON."""
    learned = {key: value for key, value in vars(estimator).items() if LEARNED.fullmatch(key)}

    def encode(values: dict[str, Any]) -> dict[str, Any]:
        return {key: encoder.encode(value, f"{name}.{key}") for key, value in values.items()}

    return {
        "name": name,
        "class": class_name,
        "params": encode(without_unsaved(estimator.get_params(deep=False))),
        "attributes": encode(dict(sorted(learned.items()))),
    }


def _decode_step(decoder: Decoder, tree: dict[str, Any]) -> tuple[str, Any]:
    """Name and estimator."""
    cls = class_named(decoder.folder, tree["class"])
    saved = without_unsaved(tree["params"])
    params = {name: decoder.decode(value) for name, value in saved.items()}
    unknown = sorted(set(params) - set(cls._get_param_names()))
    if unknown:
        raise ModelFileError(
            decoder.folder / "model.json",
            f"gives {cls.__name__} the parameter {unknown[0]!r}, which it does not have",
        )
    estimator = cls(**params)
    for name, value in tree["attributes"].items():
        if not LEARNED.fullmatch(name) or hasattr(cls, name):
            raise ModelFileError(
                decoder.folder / "model.json",
                f"sets {name!r} of {cls.__name__}, which is nothing it learns",
            )
        setattr(estimator, name, decoder.decode(value))
    return str(tree["name"]), estimator


def without_unsaved(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters that a saved model has; files of older versions may name an engine."""
    return {name: value for name, value in params.items() if name not in UNSAVED}


def _check_widths(folder: Path, steps: list[Any]) -> None:
    """Refuse parts that disagree on the number of words: a kernel would read past their end."""
    widths = {
        f"{type(step).__name__}.{name}": width
        for step in steps
        for name, value in vars(step).items()
        if (width := _width(name, value)) is not None
    }
    for step in steps:
        # without it scikit-learn would not compare the width of X with that of the model
        if hasattr(step, "components_") and not hasattr(step, "n_features_in_"):
            raise ModelFileError(folder / "model.json", "is damaged: it lacks n_features_in_")
    if len(set(widths.values())) > 1:
        found = ", ".join(f"{name} has {width}" for name, width in widths.items())
        raise ModelFileError(folder, f"its parts disagree on the number of words: {found}")


def _width(name: str, value: Any) -> int | None:
    """Number of words that a learned value speaks of, None if it speaks of none."""
    if name == "n_features_in_":
        return value
    if name in ("components_", "scale_") and value is not None:
        return value.shape[-1]
    return len(value) if name in VOCABULARIES and value is not None else None
