"""Fits with a checkpoint that are killed at random moments, again and again, until they finish.

Every fit runs in a process of its own, which SIGKILL ends at a moment drawn uniformly from the time
that an undisturbed fit takes. The next process continues. The topics of the finished fit are
compared, byte by byte, with those of the undisturbed fit.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Run

FITS: dict[str, tuple[str, dict[str, Any]]] = {
    "slsa": ("SparseLSA", {"words_per_topic": 20, "codes": "projection"}),
    "sc": ("SparseCoding", {"max_iter": 15, "tol": 0}),
    "plsa": ("PLSA", {"max_iter": 20, "tol": 0}),
    "sctm": ("SCTM", {"max_iter": 15}),
    "sctm, correlated": ("SCTM", {"max_iter": 40, "correlated": True}),
    "sctm, batches": ("SCTM", {"max_iter": 8, "batch_size": 500}),
    "stc": ("STC", {"max_iter": 8, "tol": 0}),
    "medstc": ("MedSTC", {"max_iter": 8, "tol": 0}),
    "pcp": ("PCP", {"max_iter": 10, "tol": 0}),
}
KILLS = 25  # kills of each model
PATIENCE = 120  # seconds after which a process counts as hanging
PRELOADED = ["laconic.models", "laconic.datasets", "sklearn.svm"]


def killed_fits(run: Run) -> None:
    """Fits with a checkpoint, killed at random moments: same bits, unreadable files."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    chance = random.Random(run.seed)
    totals = {"kills": 0, "fits": 0, "same": 0, "failed": 0}
    chosen = ["plsa"] if run.smoke else [*FITS]
    for name in chosen:
        kills = 0
        undisturbed, seconds = _until_finished(context, name, None, None)
        while kills < (1 if run.smoke else KILLS):
            with tempfile.TemporaryDirectory() as folder:
                states = Path(folder, "states")
                drawn = [chance.uniform(0, seconds) for _ in range(1 if run.smoke else KILLS)]
                result, n_kills = _until_finished(context, name, states, drawn)
                left = [path.name for path in states.glob("*")] if states.exists() else []
            kills += int(n_kills)
            totals["fits"] += 1
            totals["same"] += result == undisturbed and not left
            totals["failed"] += result is None
        totals["kills"] += kills
        run.row(f"kills, {name}", kills, "", tolerance=None)
    run.row("kills", totals["kills"], "", tolerance=None)
    run.row("fits", totals["fits"], "", tolerance=None)
    run.row("fits with the bits of an undisturbed fit", totals["same"], "", tolerance=None)
    run.row("fits that ended with an error or did not end", totals["failed"], "", tolerance=None)
    run.note(
        "Planted corpora of 2,000 documents, 20 topics, serial engine. A fit also counts as "
        "different if it leaves a file in the folder of its checkpoints."
    )


def _until_finished(
    context: Any, name: str, states: Path | None, moments: list[float] | None
) -> tuple[str | None, float]:
    """Fit until a process finishes; return its result, and its seconds or the number of kills."""
    kills = 0
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result")
        while True:
            process = context.Process(target=_fit, args=(name, states, result))
            process.start()
            if moments:
                process.join(moments.pop())
                if process.is_alive():
                    process.kill()
                    kills += 1
            started = time.perf_counter()
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()
                return None, kills
            seconds = time.perf_counter() - started
            if result.exists():
                return result.read_text(), kills if states else seconds
            if process.exitcode != -9:
                return None, kills


def _fit(name: str, states: Path | None, result: Path) -> None:
    """Fit a model in this process, and write a hash of what it learned."""
    import laconic

    class_name, params = FITS[name]
    corpus, _ = laconic.datasets.make_topics(2_000, 2_000, 20, words_per_topic=40, random_state=1)
    model = getattr(laconic, class_name)(20, engine="serial", checkpoint=states, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(corpus, np.arange(len(corpus)) % 4)
        codes = model.transform(corpus)
    digest = hashlib.blake2b()
    for array in (codes.data, codes.indices, codes.indptr, np.asarray(model.objective_)):
        digest.update(np.ascontiguousarray(array).data)
    temporary = result.with_suffix(".tmp")
    temporary.write_text(digest.hexdigest())
    temporary.rename(result)
