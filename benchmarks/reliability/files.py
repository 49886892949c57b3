"""Damaged and edited folders: bits flipped in every kind of file, and folders edited by hand.

*Bit flips*: one bit of one file is flipped. `laconic.verify` must detect it, unless the flip has no
effect, such as another space in a JSON file.

*Edited folders*: an attacker changes arrays, JSON, words or columns so that the files stay
consistent, and removes or recomputes the manifest. A folder must be refused with a message, or be
usable in every way, with finite results. Another finite weight makes another valid model, which no
check can tell from the original; with the original manifest, the change must be detected.
"""

from __future__ import annotations

import json
import logging
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import laconic
from benchmarks.harness import ROOT, Run, at_least, at_most
from benchmarks.reliability.edits import edit, forge_manifest
from benchmarks.reliability.folders import STORES, make_corpus, write_folders
from benchmarks.reliability.use_folders import plain
from laconic.corpus.store import is_store
from laconic.errors import LaconicError
from laconic.fitted.documents import kept_documents
from laconic.fitted.notes import notes_of
from laconic.saving.verify import check_folder

FLIPPED = ("pipeline of slsa", "medstc", "store")
FLIPS = 500
EDITS = 24  # of each folder
SECONDS = 90
BAD = ("traceback", "NaN", "crash", "hang")


@contextmanager
def without_log() -> Iterator[None]:
    """Hide the log messages about notes without a valid checksum."""
    logger = logging.getLogger("laconic")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


# --- bit flips -----------------------------------------------------------------------------------


@without_log()
def bit_flips(run: Run) -> None:
    """Bits flipped in every kind of file of a saved model and a corpus store, with `verify`."""
    flips, draw = 3 if run.smoke else FLIPS, random.Random(run.seed)
    corpus = make_corpus()
    with tempfile.TemporaryDirectory() as home:
        names = FLIPPED[-2:] if run.smoke else FLIPPED
        folders = write_folders(Path(home), list(names))
        before = {folder: _effect(folder, corpus) for folder in folders.values()}
        kinds: dict[str, list[Path]] = {}
        for name, folder in folders.items():
            for path in sorted(folder.iterdir()):
                kinds.setdefault(_kind(path, name), []).append(path)
        for kind, files in kinds.items():
            outcomes: Counter[str] = Counter()
            for _ in range(flips):
                path = draw.choice(files)
                outcomes[_flip(path, draw, before[path.parent], corpus)] += 1
            missed = outcomes.pop("missed", 0)
            run.row(
                f"bits flipped in {kind} that verify misses, of {flips}",
                missed,
                "",
                goal=at_most(0, of="value"),
                why=", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())),
                tolerance=None,
            )
    run.note(
        "A flip is detected by verify, or has no effect on what users of the folder see, such as "
        "another character between two values of a JSON file."
    )


def _kind(path: Path, name: str) -> str:
    """Return the kind of a file, such as "index data" for a part of a CSR matrix of the index."""
    parts = path.name.split(".")
    kind = "corpus" if name in STORES else "model"
    if path.suffix != ".npy":
        return f"{path.name} of a {kind}"
    part = parts[-2] if parts[-2] in ("data", "indices", "indptr", "ends", "classes_") else "values"
    return f"{parts[0]} arrays ({part}) of a {kind}"


def _flip(path: Path, draw: random.Random, before: Any, corpus: Any) -> str:
    """Flip a bit of a file, verify its folder, and undo the flip."""
    folder = path.parent
    original = path.read_bytes()
    data = bytearray(original)
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)
    try:
        if check_folder(folder)[1]:
            return "detected"
        return "without effect" if _effect(folder, corpus) == before else "missed"
    finally:
        path.write_bytes(original)


def _effect(folder: Path, corpus: Any) -> Any:
    """Return what users of a folder see."""
    try:
        if is_store(folder):
            stored = laconic.read(folder)
            columns = (stored.ids, stored.titles, stored.labels, stored.texts)
            return plain([stored.counts, stored.vocabulary, *columns, stored.vectorizer])
        model = laconic.load(folder)
        documents = kept_documents(model)
        codes = None if documents is None else documents.codes
        notes = sorted(notes_of(model).items())
        return plain([model.transform(corpus), codes, str(notes), laconic.describe(folder)])
    except LaconicError as error:
        return str(error)


# --- edited folders ------------------------------------------------------------------------------


@without_log()
def edited_folders(run: Run) -> None:
    """Edited folders of every model and of stores: refused, or usable with finite results."""
    draw = random.Random(run.seed)
    names = ["pipeline of slsa", "store"] if run.smoke else None
    outcomes: Counter[str] = Counter()
    detected = expected = 0
    with tempfile.TemporaryDirectory() as home:
        folders = write_folders(Path(home), names)
        user = FolderUser()
        for name, folder in folders.items():
            for number in range(3 if run.smoke else EDITS):
                copy = Path(home, f"edited-{number}")
                shutil.copytree(folder, copy)
                what = edit(copy, draw)
                if not what.startswith("notes.json"):  # Users may edit this file.
                    expected += not _same_files(folder, copy)
                    detected += not _same_files(folder, copy) and bool(check_folder(copy)[1])
                what = f"{what}; {forge_manifest(copy, draw)}"
                outcome, message = user.use(copy, folder)
                outcomes[outcome] += 1
                if outcome in BAD or os.environ.get("LACONIC_VERBOSE"):
                    print(f"{name}: {what}: {outcome}: {message}", file=sys.stderr)
                shutil.rmtree(copy)
        user.close()
    total = outcomes.total()
    for outcome in BAD:
        run.row(
            f"edited folders that end in a {outcome}, of {total}",
            outcomes.pop(outcome, 0),
            "",
            goal=at_most(0, of="value"),
            tolerance=None,
        )
    for outcome, count in sorted(outcomes.items()):
        run.row(f"edited folders: {outcome}, of {total}", count, "", tolerance=None)
    run.row(
        f"edited folders that verify detects with the original manifest, of {expected}",
        detected,
        "",
        goal=at_least(expected, of="value"),
        tolerance=None,
    )
    run.note(
        "Each folder is loaded and used in a process of its own, in every way: transform, topics, "
        "predict, evaluate, keywords, similar, search, senses, partial_fit, save, describe and "
        "the commands topics and info; stores are read, fitted and searched for keywords. "
        "'Another valid folder' means that all results are finite but differ, because the edit "
        "made another model or corpus."
    )


def _same_files(one: Path, other: Path) -> bool:
    """Return whether an edit changed nothing."""
    return all(
        path.read_bytes() == (other / path.name).read_bytes()
        or (path.suffix == ".json" and _json(path) == _json(other / path.name))
        for path in one.iterdir()
    )


def _json(path: Path) -> Any:
    return json.loads(path.read_text())


class FolderUser:
    """A process that uses folders, and that is started again if it crashes or hangs."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def use(self, folder: Path, reference: Path) -> tuple[str, str]:
        """Use a folder; return the outcome and a message."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"path": str(folder), "reference": str(reference)}) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        line = process.stdout.readline() if ready else ""
        if line:
            answer = json.loads(line)
            return answer["outcome"], answer["message"]
        self.close(kill=True)
        status = process.returncode
        return ("crash", f"exit status {status}") if ready and status != 1 else ("hang", "")

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.reliability.use_folders"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._process

    def close(self, kill: bool = False) -> None:
        """End the process."""
        if self._process is not None:
            if kill:
                self._process.kill()
            self._process.communicate()
            self._process = None
