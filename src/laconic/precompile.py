"""Compile all kernels before their first use: ``python -m laconic.precompile``.

Precompiling is useful in container images, and before a test suite whose processes would otherwise
all compile the same kernels. The module fits small models, so that it compiles exactly the kernels
and types that models use. Kernels that are already in the cache are only loaded. The work is
divided between two processes, whose models have few kernels in common.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

TOPICS = ("cat purr meow kitten paw fur", "sail mast anchor deck rope tide", "oven dough bake loaf")


def documents(folder: Path) -> Any:
    """Return a corpus of thirty labelled texts, read from a file like a user's documents."""
    import laconic

    file = folder / "documents.jsonl"
    texts = [f"{TOPICS[i % 3]} {TOPICS[i % 3].split()[i % 4]}. word{i % 7}" for i in range(30)]
    lines = [json.dumps({"text": text, "kind": i % 3}) for i, text in enumerate(texts)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return laconic.read(file, text="text", label="kind")


def stored(corpus: Any, folder: Path) -> Any:
    """Save and reopen a corpus; for its read-only arrays, kernels are compiled separately."""
    import laconic

    corpus.save(folder / "store")
    return laconic.read(folder / "store")


def code(folder: Path) -> None:
    """Fit STC and MedSTC to a corpus in memory and to a corpus on disk."""
    import laconic

    corpus = documents(folder)
    for data in (corpus, stored(corpus, folder)):
        for model in (laconic.STC(3, max_iter=2), laconic.MedSTC(3, max_iter=2)):
            model.fit(data).transform(data)


def use(folder: Path) -> None:
    """Fit all models except STC and MedSTC, search, evaluate, and extract keywords."""
    import laconic
    from laconic.models import MODELS

    corpus = documents(folder)
    model = laconic.SparseLSA(3).fit(corpus)
    index = laconic.search(model, corpus)
    index.query("cat", 3)
    index.unknown("kiten")
    laconic.similar(model, 0, corpus, n=3)
    laconic.keywords(corpus, n=3)
    laconic.evaluate(model, corpus)
    for data in (corpus, stored(corpus, folder)):
        for name, kind in MODELS.items():
            if name not in ("stc", "medstc"):
                kind(3).fit(data).transform(data)
        laconic.SCTM(3, noise="counts").fit(data).transform(data)


JOBS: dict[str, Callable[[Path], None]] = {"code": code, "use": use}


def precompile() -> int:
    """Run all jobs in parallel and return their largest exit code (0 if all succeeded)."""
    command = [sys.executable, "-m", "laconic.precompile"]
    workers = [subprocess.Popen([*command, job]) for job in JOBS]
    return max((abs(worker.wait()) for worker in workers), default=0)


def main(arguments: list[str]) -> int:
    if not arguments:
        return precompile()
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")  # Short fits to few documents cause warnings.
        JOBS[arguments[0]](Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
