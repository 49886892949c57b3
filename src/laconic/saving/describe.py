"""``laconic.describe``: summarise a saved model or corpus store; reads only its JSON file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from laconic.corpus.store import FORMAT as STORE_FORMAT
from laconic.corpus.store import MARKER, is_store
from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import load_json
from laconic.files.atomic_folder import open_folder
from laconic.files.json_values import VOCABULARIES, files_of, readable
from laconic.files.leftovers import clean_up
from laconic.fitted.documents import COLUMNS
from laconic.saving.models import open_model
from laconic.saving.stand_ins import STEPS, has_stand_in
from laconic.saving.steps import class_named, without_unsaved


def describe(path: str | Path) -> dict[str, Any]:
    """Describe a saved model or corpus store without reading its arrays.

    Parameters
    ----------
    path : str or Path
        Folder of the saved model or corpus store.

    Returns
    -------
    dict
        The keys `kind` ("model", "pipeline" or "corpus"), `laconic` (the version that wrote the
        folder), `bytes` (size on disk) and `words` (number of words).

        A model also has the keys `class`, `parameters`, `shapes` (of the fitted arrays) and, if it
        is a pipeline, `steps` (all steps except the last). `edits` lists when and how its topics
        were edited. The documents saved with the model are described by `documents` (their number,
        which may be 0), `document_columns` (such as "ids") and `document_bytes`. The search index
        is described by `index_bytes` (0 if there is no index), `index_words`, `index_language` and
        `index_texts`.

        A corpus also has the keys `documents`, `nonzeros`, `columns` (its metadata columns) and
        `vectorizer`.

    Examples
    --------
    >>> import tempfile
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(50, 100, 3, words_per_topic=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = laconic.save(laconic.SparseLSA(3).fit(corpus), f"{folder}/small.model")
    ...     facts = laconic.describe(path)
    >>> facts["class"], facts["words"], facts["documents"]
    ('SparseLSA', 100, 0)
    """
    if not isinstance(path, (str, Path)):
        raise LaconicError(
            f"describe needs the path of a saved model or corpus; got {type(path).__name__}. To "
            "describe a model in memory, save it first, or use laconic.topics(model)."
        )
    if not Path(path).exists():  # A killed process may have moved the folder aside.
        with suppress(OSError):
            clean_up(Path(os.path.realpath(path)))
    if is_store(path):
        return _describe_corpus(path)
    folder, header = open_model(path)
    try:
        *before, last = header["steps"]
        facts = {
            "kind": header["kind"],
            "class": _class_name(folder, last["class"]),
            "parameters": _settings(last),
            "shapes": {
                name: value["shape"]
                for name, value in last["attributes"].items()
                if isinstance(value, dict) and "shape" in value
            },
            "words": _count_words(header["steps"]),
            "edits": _edits(last["attributes"].get("edits_")),
            "laconic": header["laconic"],
            "bytes": _bytes(folder),
            **_describe_documents(folder, header.get("documents")),
            **_describe_index(folder, header.get("index")),
        }
        if before:
            facts["steps"] = {step["name"]: _settings(step) for step in before}
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(
            folder / "model.json", f"is damaged ({error!r}); save the model again"
        ) from error
    return facts


def _edits(tree: Any) -> list[dict[str, str]]:
    """Return when each edit was made, and what it was."""
    records = [readable(record) for record in tree or []]
    return [{"when": str(record["when"]), "edit": str(record["text"])} for record in records]


def _class_name(folder: Path, name: object) -> str:
    return STEPS[name] if has_stand_in(name) else class_named(folder, name).__name__


def _describe_corpus(path: str | Path) -> dict[str, Any]:
    """Describe a corpus store."""
    folder = open_folder(path, MARKER)
    header = load_json(folder, "corpus", newest=STORE_FORMAT)
    try:
        n_documents, n_words = header["shape"]
        return {
            "kind": "corpus",
            "documents": n_documents,
            "words": n_words,
            "nonzeros": header["nonzeros"],
            "columns": header["documents"],
            "vectorizer": header["vectorizer"],
            "laconic": header["laconic"],
            "bytes": _bytes(folder),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            folder / MARKER, f"is damaged ({error!r}); save the corpus again"
        ) from error


def _describe_documents(folder: Path, tree: dict[str, Any] | None) -> dict[str, Any]:
    """Describe the documents saved with a model."""
    if tree is None:
        return {"documents": 0, "document_columns": [], "document_bytes": 0}
    files = files_of(tree)
    return {
        "documents": tree["count"],
        "document_columns": [name for name in COLUMNS if tree.get(name) is not None],
        "document_bytes": _bytes_of(folder, files),
    }


def _describe_index(folder: Path, tree: dict[str, Any] | None) -> dict[str, Any]:
    """Describe the search index saved with a model."""
    if tree is None:
        return {"index_bytes": 0}
    return {
        "index_bytes": _bytes_of(folder, files_of(tree)),
        "index_words": tree["stems"]["count"],
        "index_language": tree["language"],
        "index_texts": tree["texts"] is not None,
    }


def _settings(step: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a step for display, with `settings_` of a fitted vectoriser."""
    saved = without_unsaved(step["params"])
    settings = {name: readable(value) for name, value in saved.items()}
    return {**settings, **(readable(step["attributes"].get("settings_")) or {})}


def _count_words(steps: list[dict[str, Any]]) -> int | None:
    """Return the number of words in the vocabulary of a model."""
    for step in steps:
        attributes = step["attributes"]
        for name in VOCABULARIES:
            if isinstance(attributes.get(name), dict):
                return attributes[name].get("count")
    return steps[-1]["attributes"].get("n_features_in_")


def _bytes(folder: Path) -> int:
    """Return the total size in bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def _bytes_of(folder: Path, files: set[str]) -> int:
    return sum(entry.lstat().st_size for entry in folder.iterdir() if entry.name in files)
