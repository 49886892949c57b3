"""``laconic.plan``: estimate a fit from measurements on a sample of the corpus.

The pipeline is fitted to a few chunks of the store, to its own stop, with an engine that measures
every call. Reading, computing and merging grow with the non-zeros. The update of the topics depends
on words x topics only, so its time stays what it is on the sample.
"""

from __future__ import annotations

import logging
import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import is_store
from laconic.engines.threads import count_workers
from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder
from laconic.models import MODELS
from laconic.models.pipeline import pipeline
from laconic.planning.measuring import Call, MeasuringEngine
from laconic.planning.memory import machine_memory, peak_memory, reset_peak
from laconic.planning.result import Plan, Seconds
from laconic.planning.sample import save_sample, spread_chunks
from laconic.retrieval.search import search
from laconic.saving.describe import describe
from laconic.saving.models import save

BUDGET = 5.0  # seconds; a sample that needs longer is fitted with fewer passes
FEWEST = 3  # passes of the sample, at least
PER_DOCUMENT = 24  # bytes in memory for each document of a corpus on disk: where its words begin
N_KEPT = 2000  # documents that are saved with a model to measure their size
GIGABIT = 1e9 / 8  # bytes per second


class Fitted(NamedTuple):
    """The pipeline fitted to the sample, and what the fit used."""

    model: Pipeline
    calls: list[Call]
    update: float  # CPU seconds of this thread outside the engine
    memory: int  # bytes at the peak, of the whole process


def plan(
    store: str | Path | Corpus,
    model: str | Pipeline = "sc",
    n_components: int | None = None,
    *,
    workers: int = 8,
    network: float = 10.0,
    **params: Any,
) -> Plan:
    """Estimate time, memory and disk space of a fit before it runs.

    The model is fitted to a few chunks of the corpus, which takes about 10 seconds, and the
    measurements are extrapolated: reading, computing and merging grow with the non-zeros, and the
    update of the topics depends only on words x topics.

    Parameters
    ----------
    store : str, Path or Corpus
        A corpus on disk, which `Corpus.save` or ``laconic convert`` wrote.
    model : str or Pipeline, default="sc"
        Name of the model, such as "slsa", or a pipeline that was not fitted yet.
    n_components : int, optional
        Number of topics.
    workers : int, default=8
        Number of workers of a cluster, for which the estimate is shown beside this machine.
    network : float, default=10
        Speed of the network between the workers, in gigabits per second.
    **params
        Other parameters of `laconic.pipeline`, if `model` is a name.

    Returns
    -------
    Plan
        Its attributes are the estimates; ``print(plan)`` shows them as a table.

    Examples
    --------
    >>> import tempfile
    >>> from laconic.datasets import make_topics
    >>> corpus, _ = make_topics(200, 100, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     estimate = plan(corpus.save(Path(folder, "small.corpus")), "slsa", 3)
    >>> estimate.n_documents, estimate.n_chunks
    (200, 1)
    """
    corpus = _open(store)
    pipe = _pipeline(model, n_components, params)
    if workers < 1:
        raise LaconicError(f"workers must be a positive number; got {workers}.")
    if not network > 0:
        raise LaconicError(f"network must be a positive number of gigabits; got {network}.")
    assert corpus.path is not None
    facts = describe(corpus.path)
    if not facts["nonzeros"]:
        raise LaconicError(f"{corpus.path}: has no words, so there is nothing to fit.")
    chunks = clone(pipe[-1])._chunks(corpus, reset=True)
    classes = hasattr(pipe, "predict")
    with ScratchFolder() as scratch, _quietly():
        path = scratch.path / "sample.corpus"
        sample = save_sample(corpus, spread_chunks(chunks), path, classes)
        n_sample, nonzeros = len(sample), sample.counts.nnz
        kept = sample[:N_KEPT]
        del sample
        fitted = _fit_sample(pipe, Corpus.open(path))
        sizes = _saved_sizes(fitted.model, kept, scratch.path / "sample.model")
        sample_chunks = len(clone(pipe[-1])._chunks(Corpus.open(path), reset=True))
    growth = facts["nonzeros"] / max(nonzeros, 1)
    result = _extrapolate(
        pipe, fitted, facts, len(chunks), sample_chunks, growth, n_sample, workers, network, sizes
    )
    return result.with_warnings(machine_memory(), shutil.disk_usage(Path.cwd()).free)


def _open(store: str | Path | Corpus) -> Corpus:
    if isinstance(store, Corpus):
        if store.path is None:
            raise LaconicError(
                "plan needs a corpus on disk, because it estimates reading too; save the corpus "
                "with corpus.save(path) and pass the path."
            )
        return store
    if not is_store(store):
        what = "does not exist" if not Path(store).exists() else "is not a corpus store"
        raise LaconicError(
            f"{store}: {what}; plan needs a corpus store, which 'laconic convert' writes from any "
            "other format."
        )
    return Corpus.open(store)


def _pipeline(model: str | Pipeline, n_components: int | None, params: dict[str, Any]) -> Pipeline:
    if isinstance(model, str):
        pipe = pipeline(model, n_components, **params)
    elif n_components is not None or params:
        raise LaconicError("Set the parameters of the pipeline itself, not of plan.")
    else:
        pipe = clone(model)
    pipe[-1].check_parameters()
    return pipe


@contextmanager
def _quietly() -> Iterator[None]:
    """Hide messages about the sample, which would look like messages about the corpus."""
    logger = logging.getLogger("laconic")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


# --- measuring -----------------------------------------------------------------------------------


def _fit_sample(pipe: Pipeline, sample: Corpus) -> Fitted:
    """Fit the pipeline to the sample: once to compile and to time a pass, then to its own stop."""
    first = _fit(pipe, sample, 1)
    seconds = sum(call.read + call.step + call.merge for call in first.calls) + first.update
    passes = int(BUDGET / max(seconds / max(len(first.calls), 1), 1e-6))
    return _fit(pipe, sample, min(max(passes, FEWEST), pipe[-1].max_iter))


def _fit(pipe: Pipeline, sample: Corpus, max_iter: int) -> Fitted:
    engine = MeasuringEngine()
    model = clone(pipe)
    model[-1].set_params(max_iter=max_iter, verbose=0, checkpoint=None)
    reset_peak()
    start = time.thread_time()
    with engine.registered() as name:
        for step in model:
            if "engine" in step.get_params(deep=False):
                step.set_params(engine=name)
        model.fit(sample)
        for step, original in zip(model, pipe, strict=True):
            if "engine" in step.get_params(deep=False):
                step.set_params(engine=original.engine)
    update = max(time.thread_time() - start - engine.seconds, 0.0)
    return Fitted(model, engine.calls, update, peak_memory())


class Sizes(NamedTuple):
    """Bytes of a saved model, and bytes for each document saved with it."""

    model: int
    documents: float
    postings: float


def _saved_sizes(model: Pipeline, kept: Corpus, path: Path) -> Sizes:
    """Save the model with few and with more documents, and return what a document adds.

    What does not depend on the number of documents, such as the words, is thus left out.
    """
    few = kept[: max(len(kept) // 10, 1)]
    first, last = _save(model, few, path), _save(model, kept, path)
    n_more = len(kept) - len(few)
    if not n_more:
        return last
    added = (max(b - a, 0) / n_more for a, b in zip(first[1:], last[1:], strict=True))
    return Sizes(last.model, *added)


def _save(model: Pipeline, kept: Corpus, path: Path) -> Sizes:
    """Save the model with documents and, if they have texts, an index; return the totals."""
    index = search(model, kept) if kept.has("texts") else None
    save(model, path, corpus=kept, index=index, force=True)
    saved = describe(path)
    documents, postings = saved["document_bytes"], saved["index_bytes"]
    return Sizes(saved["bytes"] - documents - postings, documents, postings)


# --- extrapolating -------------------------------------------------------------------------------


def _extrapolate(
    pipe: Pipeline,
    fitted: Fitted,
    facts: dict[str, Any],
    n_chunks: int,
    sample_chunks: int,
    growth: float,
    n_sample: int,
    workers: int,
    network: float,
    sizes: Sizes,
) -> Plan:
    here = count_workers(pipe[-1].n_jobs)
    estimator = fitted.model[-1]
    on_disk = [call for call in fitted.calls if call.on_disk]
    passes = sum(call.n_chunks for call in on_disk) / sample_chunks
    stats = max((call.stats for call in on_disk), default=0)
    params = max((call.params for call in on_disk), default=0)
    states = max((call.states for call in on_disk), default=0) / max(n_sample, 1)
    in_memory = sum(call.read + call.step + call.merge for call in fitted.calls if not call.on_disk)
    # A merge takes place after every chunk but the first.
    merges = sum(max(call.n_chunks - 1, 0) for call in on_disk)
    merge = sum(call.merge for call in on_disk) / merges if merges else 0.0
    # The statistics are joined in a tree, whose levels follow one another.
    levels = (workers - 1).bit_length()
    sent = sum(levels * (call.stats + call.params) for call in on_disk)
    alone = Seconds(
        read=growth * sum(call.read for call in on_disk),
        step=growth * sum(call.step for call in on_disk),
        merge=merge * passes * max(n_chunks - 1, 0),
        update=fitted.update + in_memory,
    )
    n_documents = facts["documents"]
    local = int(states * n_documents)
    offsets = PER_DOCUMENT * n_documents
    size = 12 * facts["nonzeros"] // max(n_chunks, 1)  # of a chunk: words, counts, weights
    return Plan(
        name=next(key for key, kind in MODELS.items() if type(pipe[-1]) is kind),
        n_components=int(estimator.components_.shape[0]),
        n_documents=n_documents,
        n_words=facts["words"],
        nonzeros=facts["nonzeros"],
        store_bytes=facts["bytes"],
        count_bytes=8 * facts["nonzeros"],
        n_chunks=n_chunks,
        passes=passes,
        converged=bool(estimator.converged_),
        alone=alone,
        here=alone.shared(here),
        n_here=here,
        distributed=alone.shared(min(workers, n_chunks), sent / (network * GIGABIT)),
        workers=workers,
        network=network,
        stats_bytes=stats,
        params_bytes=params,
        network_bytes=(workers - 1) * stats + workers * params,
        memory_here=fitted.memory + (2 * here - 2) * stats + (here - 1) * size + local + offsets,
        memory_worker=fitted.memory + local // workers,
        memory_client=fitted.memory + offsets,
        model_bytes=sizes.model,
        document_bytes=int(sizes.documents * n_documents),
        index_bytes=int(sizes.postings * n_documents),
        sample_documents=n_sample,
    )
