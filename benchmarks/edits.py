"""Time of edits of a model of 1,000 topics with its documents, in Python and in a shell."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from sklearn.exceptions import ConvergenceWarning

import laconic
from benchmarks.harness import Run, at_most
from laconic.datasets import load_pydocs, make_topics

N_TOPICS = 1000
MODELS = ("slsa", "plsa")
REPEATS = 3
LONGEST = 1.0  # seconds
EDITS = {
    "merge": ["3", "7"],
    "drop": ["9"],
    "keep": ["1", "2", "4"],
    "drop-words": ["3"],
    "undo": [],
}


def edits(run: Run) -> None:
    """Time of each edit of a model of 1,000 topics, including saving it."""
    run.note(
        "In Python, the model is loaded, and the time is that of the edit. On the command line, "
        "the time is that of the whole command, which loads the model and saves the edited one."
    )
    for name, path in saved_models(run):
        _measure(run, name, path)


def saved_models(run: Run) -> Iterator[tuple[str, Path]]:
    """Yield the name and the folder of each model to edit."""
    n_topics = 20 if run.smoke else N_TOPICS
    corpus = make_topics(100, 500, 20)[0] if run.smoke else load_pydocs()
    run.note(f"{len(corpus):,} documents, {n_topics:,} topics; the best of {REPEATS} repeats.")
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "many.model")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = laconic.pipeline(
                    name, n_components=n_topics, max_iter=2, random_state=run.seed
                ).fit(corpus)
            laconic.save(model, path, index=laconic.search(model, corpus))
            yield name, path


def _measure(run: Run, name: str, path: Path) -> None:
    repeats = 1 if run.smoke else REPEATS
    model = laconic.load(path)
    word = laconic.topics(model, 1)[3].words[0]
    merged = laconic.merge(model, [3, 7])
    laconic.save(merged, path.with_name("merged.model"))
    functions = {
        "merge": lambda: laconic.merge(model, [3, 7]),
        "drop": lambda: laconic.drop(model, 9),
        "keep": lambda: laconic.keep(model, [1, 2, 4]),
        "drop-words": lambda: laconic.drop_words(model, 3, [word]),
        "undo": lambda: laconic.undo(merged),
    }
    for edit, arguments in EDITS.items():
        source = path if edit != "undo" else path.with_name("merged.model")
        words = [word] if edit == "drop-words" else []
        command = [sys.executable, "-m", "laconic", "edit", str(source), edit, *arguments, *words]
        command += ["-o", str(path.with_name("edited.model")), "--force"]
        in_python = min(_seconds(functions[edit]) for _ in range(repeats))
        whole = partial(subprocess.run, command, check=True, capture_output=True)
        in_shell = min(_seconds(whole) for _ in range(repeats))
        run.row(f"{name}: {edit}, Python", in_python, "s", goal=at_most(LONGEST, "value"))
        run.row(f"{name}: {edit}, command", in_shell, "s", goal=at_most(LONGEST, "value"))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
