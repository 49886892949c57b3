"""``laconic.verify``: check all files of a saved model or corpus store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import MARKER, is_store
from laconic.errors import LaconicError, ModelFileError
from laconic.files.atomic_folder import open_folder
from laconic.files.manifest import combined, load_manifest, no_manifest
from laconic.fitted.documents import Documents, kept_documents
from laconic.fitted.pipeline_steps import last_step
from laconic.saving.models import load
from laconic.saving.notes import check_notes
from laconic.wording import plural, size


@dataclass(frozen=True)
class Verified:
    """What `laconic.verify` checked.

    Attributes
    ----------
    path : str
    kind : str
        "model", "pipeline" or "corpus".
    files : int
        Number of files whose checksums agree.
    bytes : int
        Total size of these files.
    laconic : str
        Version of laconic that saved the folder.
    saved : str
        Time at which the folder was saved (ISO 8601, UTC).
    """

    path: str
    kind: str
    files: int
    bytes: int
    laconic: str
    saved: str

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.kind}, {plural(self.files, 'file')} verified "
            f"({size(self.bytes)}), saved {self.saved[:16].replace('T', ' ')} UTC by laconic "
            f"{self.laconic}"
        )


def verify(path: str | Path) -> Verified:
    """Check that no file of a saved model or corpus store is damaged.

    The checksum of every file is compared with the manifest of the folder, and all contents are
    checked as when they are loaded. This detects damage, such as a flipped bit, a file that was cut
    short, or a file of another save. It cannot detect forgery, because whoever changes a file can
    also change the manifest.

    Parameters
    ----------
    path : str or Path
        Folder of the saved model or corpus store.

    Returns
    -------
    Verified
        Number and size of the files, and when and by which version they were saved.

    Raises
    ------
    ModelFileError
        A file is missing, damaged or was changed; the message lists all such files. Also if the
        folder has no manifest, because a version of laconic without manifests saved it.

    Examples
    --------
    >>> import tempfile
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(50, 100, 3, words_per_topic=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = corpus.save(folder + "/small.corpus")
    ...     verified = laconic.verify(path)
    >>> verified.kind, verified.files
    ('corpus', 6)
    """
    if not isinstance(path, (str, Path)):
        raise LaconicError(
            f"verify needs the path of a saved model or corpus; got {type(path).__name__}."
        )
    verified, problems = check_folder(path)
    if verified is None:
        raise combined(path, problems)
    return verified


def check_folder(path: str | Path) -> tuple[Verified | None, list[ModelFileError]]:
    """Check a folder; return what was checked, or None, and one error for each problem."""
    folder = Path(path)
    try:
        is_model = not is_store(folder)
        open_folder(folder, "model.json" if is_model else MARKER)
        manifest = load_manifest(folder)
        if manifest is None:
            raise no_manifest(path)
    except ModelFileError as error:
        return None, [error]
    problems = manifest.problems(limit=None)
    if not problems:
        try:
            if is_model:
                _check_model(folder)
            else:
                _check_corpus(folder)
        except ModelFileError as error:
            problems.append(error)
    tree = manifest.tree
    kind, laconic, saved = (str(tree.get(key)) for key in ("kind", "laconic", "saved"))
    verified = Verified(str(path), kind, len(manifest.files), manifest.n_bytes, laconic, saved)
    return (None, problems) if problems else (verified, problems)


def _check_model(folder: Path) -> None:
    """Load a model, and read all of its documents, which are otherwise read on use."""
    model = load(folder)
    check_notes(folder)
    documents = kept_documents(model) if hasattr(last_step(model), "components_") else None
    if isinstance(documents, Documents):
        documents.check()
        if documents.has_index:
            from laconic.saving.index import check_index

            check_index(documents.index)


def _check_corpus(folder: Path) -> None:
    """Read all counts and all columns of a corpus store."""
    corpus = Corpus.open(folder)
    corpus.counts  # noqa: B018 - reading the property checks the counts
    for name in ("ids", "titles", "labels", "texts"):
        getattr(corpus, name)
