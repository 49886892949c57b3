"""Save and load a model as a folder of arrays and one JSON file, without pickle.

``model.json`` contains the class, the parameters and the fitted attributes of each estimator.
Arrays are in separate ``.npy`` files, and words are in ``vocabulary.txt``. Fitted attributes are
the public attributes whose names end in an underscore, so a new model class needs no code in this
module.

Nothing in the folder is executed or imported, and everything is checked before it is used.
Documents can be saved with the model (see ``documents.py``).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic import __version__
from laconic.corpus.corpus import Corpus
from laconic.corpus.store import is_store
from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import load_json, save_json
from laconic.files.atomic_folder import open_folder, write_folder
from laconic.files.json_values import Decoder, Encoder
from laconic.files.leftovers import delete
from laconic.files.manifest import SMALL, Manifest, load_manifest, no_manifest, write_manifest
from laconic.fitted.automatic import facts_of, keep_facts
from laconic.fitted.documents import (
    Documents,
    documents_of,
    keep_documents,
    kept_documents,
)
from laconic.fitted.notes import keep_notes, notes_of
from laconic.fitted.pipeline_steps import last_step
from laconic.models.edits.records import edits_of
from laconic.saving.automatic import read_facts, write_facts
from laconic.saving.checks import check_attributes, check_coding, check_estimator
from laconic.saving.documents import decode_documents, encode_documents
from laconic.saving.history import keep_history, next_history
from laconic.saving.notes import keep_old_notes, read_notes, write_notes
from laconic.saving.stand_ins import StandIn, StandInPipeline, can_code, has_stand_in
from laconic.saving.steps import (
    check_order,
    check_widths,
    classes,
    clause,
    decode_step,
    encode_step,
    shown_parameters,
)

if TYPE_CHECKING:
    from laconic.retrieval.index import SearchIndex

logger = logging.getLogger(__name__)

FORMAT = 2  # format 1 stored documents and search indexes in other files
MAX_STEPS = 100
MAX_VERSION = 100  # maximum length of a version number


# Errors that unexpected values in ``model.json`` cause.
DAMAGE = (LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError)


def save(
    model: Any,
    path: str | Path,
    *,
    force: bool = False,
    corpus: Any = None,
    index: SearchIndex | None = None,
) -> Path:
    """Save a fitted model or pipeline to a folder.

    Parameters
    ----------
    model : estimator or Pipeline
        One of laconic's estimators, or a scikit-learn pipeline of them.
    path : str or Path
        Folder to create. The folder is written atomically, so an error changes nothing on disk.
    force : bool, default=False
        Whether to replace an existing saved model, which stays intact until the new model is
        complete. The names and notes of the old model's topics are saved to the file
        ``PATH.notes.json``.
    corpus : Corpus, matrix or list of texts, optional
        Documents whose codes, ids, titles and labels, but not texts, are saved with the model. For
        the loaded model, `laconic.similar` and `laconic.top_documents` then need no corpus. By
        default, the documents of a loaded model are saved again, unless the model was refitted.
    index : SearchIndex, optional
        Index to save with the model, which `laconic.search` built from this model and documents.
        The index contains words, codes and the texts from which snippets are taken. For the loaded
        model, `laconic.search` then needs no corpus. The documents of the index are also saved, so
        `corpus` may be omitted.

    Returns
    -------
    Path
        Path of the folder that was written.

    Raises
    ------
    ModelFileError
        The path exists or cannot be written.

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
        raise LaconicError("laconic.save saves only models; save a Corpus with corpus.save(path).")
    is_pipeline, steps, names = _steps_to_save(model)
    documents, notes = _documents(model, corpus, index), notes_of(model)

    def write(folder: Path) -> None:
        encoder = Encoder(folder)
        header: dict[str, Any] = {
            "format": FORMAT,
            "laconic": __version__,
            "kind": "pipeline" if is_pipeline else "model",
            "steps": [
                encode_step(encoder, *step, cls) for step, cls in zip(steps, names, strict=True)
            ],
        }
        if documents is not None:
            header["documents"] = encode_documents(encoder, documents)
            if documents.has_index:
                from laconic.saving.index import encode_index

                header["index"] = encode_index(encoder, documents)
        save_json(folder, "model", header)
        if notes:
            write_notes(folder, notes)
        if facts := facts_of(model):
            write_facts(folder, facts)
        write_manifest(
            folder,
            header["kind"],
            parameters={step["name"]: shown_parameters(step) for step in header["steps"]},
            history=next_history(last_step(model)),
        )

    # The notes are copied before the model is replaced, so that a kill does not lose them.
    kept = keep_old_notes(path) if force and not notes else None
    try:
        write_folder(path, force, write)
    except BaseException:
        if kept is not None and kept[1]:
            delete(kept[0])
        raise
    if kept is not None:
        logger.warning(
            "the names and notes of the replaced model's topics were saved to %s", kept[0]
        )
    return Path(path)


def _steps_to_save(model: Any) -> tuple[bool, list[tuple[str, Any]], list[str]]:
    """Return whether a model is a pipeline, its steps, and the names of their classes."""
    if isinstance(model, StandInPipeline):
        return True, model.steps, [step.SAVED_NAME for _, step in model.steps]
    if isinstance(model, StandIn):
        return False, [("model", model)], [model.SAVED_NAME]
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import check_is_fitted

    is_pipeline = isinstance(model, Pipeline)
    steps = model.steps if is_pipeline else [("model", model)]
    names = {cls: name for name, cls in classes().items()}
    for _, step in steps:
        if type(step) not in names:
            raise LaconicError(
                f"{type(step).__name__} cannot be saved, because it is not a laconic estimator;"
                f" supported classes: {', '.join(sorted(cls.__name__ for cls in names))}"
            )
    check_is_fitted(steps[-1][1])
    return is_pipeline, steps, [names[type(step)] for _, step in steps]


def _documents(model: Any, corpus: Any, index: SearchIndex | None) -> Documents | None:
    """Return the documents to save with a model."""
    if index is None:
        return kept_documents(model) if corpus is None else documents_of(model, corpus)
    if corpus is not None and corpus.shape[0] != len(index):
        raise LaconicError(
            f"The index has {len(index):,} documents, but the corpus has {corpus.shape[0]:,}; pass "
            "the corpus from which the index was built, or omit corpus=."
        )
    if index.documents.topics is not getattr(last_step(model), "components_", None):
        raise LaconicError(
            "The index was built with another model, or before this model was fitted again; build "
            "it again with laconic.search(model, corpus)."
        )
    return index.documents


def load(
    path: str | Path,
    *,
    tokenizer: Callable[[str], list[str]] | None = None,
    lemmatizer: Callable[[str], str] | None = None,
    verify: bool = False,
) -> Any:
    """Load a model or pipeline saved with `save`; its arrays are memory-mapped.

    Parameters
    ----------
    path : str or Path
        Folder of the saved model.
    tokenizer : callable, optional
        The custom tokenizer with which the model was fitted, if any, because the folder stores only
        the name of the tokenizer. Without the tokenizer, the model accepts counts but no texts.
    lemmatizer : callable, optional
        The custom lemmatizer with which the model was fitted, if any.
    verify : bool, default=False
        Whether to compare the checksums of all files with the manifest of the folder, which reads
        the whole folder. By default, only files of at most 1 MB are compared. See `laconic.verify`.

    Returns
    -------
    estimator or Pipeline
        Model that transforms documents exactly like the saved model, and that includes the
        documents and topic names saved with it. The model uses the default engine, because the
        engine is not saved; choose another engine with ``set_params(engine=...)``.

    Raises
    ------
    ModelFileError
        The folder is missing, damaged, not trustworthy, or was written by a newer version of
        laconic.

    Examples
    --------
    >>> import tempfile
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(50, 100, 3, words_per_topic=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = laconic.save(laconic.SparseLSA(3).fit(corpus), f"{folder}/small.model")
    ...     model = laconic.load(path, verify=True)
    >>> model.transform(corpus).shape
    (50, 3)
    """
    folder, header, manifest = _open(path, None if verify else SMALL)
    if manifest is None and verify:
        raise no_manifest(path)
    functions = {"tokenizer": tokenizer, "lemmatizer": lemmatizer}
    decoder = Decoder(folder, functions)
    steps = decode_steps(decoder, header, manifest)
    for name, function in functions.items():
        if function is not None and name not in decoder.needed_functions:
            logger.info("%s does not use a custom %s, so %s= is ignored", path, name, name)
    if header["kind"] == "model":
        return steps[0][1]
    from laconic.models.pipeline import TopicPipeline

    return TopicPipeline(steps)


def load_to_show(path: str | Path) -> Any:
    """Load a model whose attributes are shown, but that is not used: a model of stand-ins.

    Everything that is loaded is checked as by `load`, except the types of parameters, which need
    the estimators. Parameters are only shown, and `save` has checked them. If no manifest says that
    the folder is as `save` wrote it, the estimators are loaded.
    """
    loaded = _stand_ins(path, check_attributes)
    return load(path) if loaded is None else loaded[0]


def load_to_search(path: str | Path) -> Any:
    """Load a model whose documents are searched: a model of stand-ins that code texts, if possible.

    Everything that a search uses is checked as by `load`. The estimators are loaded if a stand-in
    cannot code texts, because of the class or the parameters of a step.
    """
    loaded = _stand_ins(path, check_coding)
    return loaded[0] if loaded is not None and all(map(can_code, *loaded[1:])) else load(path)


def _stand_ins(
    path: str | Path, check: Callable[[str, Any], None]
) -> tuple[Any, list[str], list[Any]] | None:
    """Return a model of stand-ins, their names in ``model.json``, and the stand-ins.

    If there is no manifest, or a class is unknown, return None.
    """
    folder, header, manifest = _open(path, SMALL)
    trees = header["steps"]
    if manifest is None or not all(
        isinstance(tree, dict) and has_stand_in(tree.get("class")) for tree in trees
    ):
        return None
    steps = decode_steps(Decoder(folder, {}), header, manifest, check)
    model = StandInPipeline(steps) if header["kind"] == "pipeline" else steps[0][1]
    return model, [tree["class"] for tree in trees], [step for _, step in steps]


def _open(path: str | Path, limit: int | None) -> tuple[Path, dict[str, Any], Manifest | None]:
    """Return the folder, the header and the manifest of a model, and compare the files.

    Checksums are compared of files of at most `limit` bytes.
    """
    folder, header = open_model(path, check=False)
    manifest = load_manifest(folder)
    if manifest is not None:
        manifest.check(limit=limit)
    return folder, header, manifest


def decode_steps(
    decoder: Decoder,
    header: dict[str, Any],
    manifest: Manifest | None,
    check_stand_in: Callable[[str, Any], None] | None = None,
) -> list[tuple[str, Any]]:
    """Return the names and the checked estimators of a model, with its documents and notes.

    If `check_stand_in` is passed, stand-ins take the place of the estimators.
    """
    check = check_stand_in or check_estimator
    folder, trees = decoder.folder, header["steps"]
    with _checking(folder):
        steps = [decode_step(decoder, tree, check_stand_in is not None) for tree in trees]
        check_order(trees)
        check_widths(folder, [step for _, step in steps])
        for (_, step), tree in zip(steps, trees, strict=True):
            check(tree["class"], step)
        _load_documents(decoder, header, steps[-1][1])
        _load_notes(folder, steps[-1][1])
        if manifest is not None:
            keep_history(steps[-1][1], manifest.tree.get("history"))
    return steps


@contextmanager
def _checking(folder: Path) -> Iterator[None]:
    """Convert the errors that damaged files cause to ModelFileError."""
    try:
        yield
    except ModelFileError:
        raise
    except LaconicError as error:
        raise ModelFileError(folder, f"is damaged: {clause(error)}") from error
    except DAMAGE as error:
        raise ModelFileError(
            folder / "model.json", f"is damaged ({type(error).__name__}: {error})"
        ) from error


def _load_documents(decoder: Decoder, header: dict[str, Any], estimator: Any) -> None:
    """Open the documents of a model; the files are read, and the index decoded, when used."""
    documents, index = header.get("documents"), header.get("index")
    if documents is None:
        if index is not None:
            raise decoder.damaged("it contains a search index but no documents")
        return
    saved = decode_documents(
        decoder, documents, estimator.components_.shape[0], edits_of(estimator)
    )
    if index is not None:
        decoder.open(index)

        def read() -> Any:
            from laconic.saving.index import decode_index

            with _checking(decoder.folder):
                return decode_index(decoder, index, saved.rows)

        saved.index = read
    keep_documents(estimator, saved)


def _load_notes(folder: Path, estimator: Any) -> None:
    if hasattr(estimator, "components_"):
        n_topics = estimator.components_.shape[0]
        keep_notes(estimator, read_notes(folder, n_topics))
        keep_facts(estimator, read_facts(folder, n_topics))


def open_model(path: str | Path, *, check: bool = True) -> tuple[Path, dict[str, Any]]:
    """Return the folder and the header of a saved model; if `check`, verify the header."""
    if is_store(path) and not (Path(path) / "model.json").exists():
        raise ModelFileError(path, "is a corpus, not a model; open it with laconic.read")
    folder = open_folder(path, "model.json")
    if check and (manifest := load_manifest(folder)) is not None:
        manifest.check(only="model.json")
    header = load_json(folder, "model", newest=FORMAT)
    steps = header.get("steps")
    kind = header.get("kind")
    if kind not in ("model", "pipeline") or not isinstance(steps, list) or not steps:
        raise ModelFileError(folder / "model.json", "is damaged: it contains no model")
    if not isinstance(header.get("laconic"), str) or len(header["laconic"]) > MAX_VERSION:
        raise ModelFileError(folder / "model.json", "is damaged: it has no version of laconic")
    if len(steps) > MAX_STEPS:
        raise ModelFileError(folder / "model.json", f"is damaged: it has {len(steps):,} steps")
    if kind == "model" and len(steps) > 1:
        raise ModelFileError(folder / "model.json", "is damaged: it contains several models")
    return folder, header
