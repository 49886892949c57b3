"""Result of `laconic.plan`, which prints as a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import polars as pl

from laconic.tables import Column, text_table
from laconic.wording import plural, size

PARTS = {
    "read": "read chunks from disk",
    "step": "compute statistics",
    "merge": "merge statistics",
    "update": "update topics (words x topics)",
    "network": "send over the network",
}
MARK = "← largest"


class Seconds(NamedTuple):
    """CPU seconds of the parts of a fit."""

    read: float
    step: float
    merge: float
    update: float
    network: float = 0.0

    @property
    def total(self) -> float:
        return sum(self)

    def shared(self, workers: int, network: float = 0.0) -> Seconds:
        """Return the seconds if workers share everything but the update of the topics."""
        shares = (self.read / workers, self.step / workers, self.merge / workers)
        return Seconds(*shares, self.update, network)


@dataclass(frozen=True)
class Plan:
    """Result of `laconic.plan`; ``print(plan)`` shows it as a table.

    Attributes
    ----------
    name : str
        Name of the model.
    n_components, n_documents, n_words, nonzeros, n_chunks : int
    store_bytes, count_bytes : int
        Size of the store, and of the counts in it, which every pass reads.
    passes : float
        Passes over all documents, including those of the weighting and the initialisation.
    converged : bool
        Whether the fit of the sample stopped by itself; if not, there may be more passes.
    alone, here, distributed : Seconds
        Time on one core, on the threads of this machine, and on `workers` workers.
    n_here, workers : int
        Number of threads of this machine, and of workers.
    network : float
        Assumed speed of the network in gigabits per second.
    stats_bytes, params_bytes : int
        Size of the statistics (words x topics) that a worker sends, and of the parameters that it
        receives.
    network_bytes : int
        Bytes that the network carries in a pass of the fit: the statistics of all workers but one,
        and the parameters of each.
    memory_here, memory_worker, memory_client : int
        Peak memory in bytes.
    model_bytes : int
        Size of the saved model without documents.
    document_bytes, index_bytes : int
        Size of documents and search index that are saved with the model, if they are kept.
    sample_documents : int
        Number of documents in the sample on which the estimates are based.
    warnings : list of str

    Examples
    --------
    >>> import tempfile
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 100, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plan = laconic.plan(corpus.save(f"{folder}/small.corpus"), "slsa", 3)
    >>> plan.n_documents, plan.n_components, plan.memory_here > 0
    (200, 3, True)
    """

    name: str
    n_components: int
    n_documents: int
    n_words: int
    nonzeros: int
    store_bytes: int
    count_bytes: int
    n_chunks: int
    passes: float
    converged: bool
    alone: Seconds
    here: Seconds
    n_here: int
    distributed: Seconds
    workers: int
    network: float
    stats_bytes: int
    params_bytes: int
    network_bytes: int
    memory_here: int
    memory_worker: int
    memory_client: int
    model_bytes: int
    document_bytes: int
    index_bytes: int
    sample_documents: int
    warnings: list[str] = field(default_factory=list)

    @property
    def largest(self) -> str:
        """The part of the fit that takes longest on this machine, such as "step"."""
        return max(Seconds._fields, key=lambda name: getattr(self.here, name))

    @property
    def useful_workers(self) -> int:
        """Number of workers with which the shared work takes as long as the update of topics.

        With more workers, most of the time goes into the update, which one process makes.
        """
        shared = self.alone.read + self.alone.step + self.alone.merge
        return max(1, round(shared / max(self.alone.update, 1e-9)))

    @property
    def frame(self) -> pl.DataFrame:
        """One row per part of the fit, with the seconds on one core, here, and on the workers."""
        return pl.DataFrame(
            {
                "part": list(Seconds._fields),
                "one_core": list(self.alone),
                "here": list(self.here),
                "workers": list(self.distributed),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict that can be written as JSON."""
        facts = asdict(self)
        for name in ("alone", "here", "distributed"):
            seconds: Seconds = getattr(self, name)
            facts[name] = {**seconds._asdict(), "total": seconds.total}
        return {**facts, "largest": self.largest, "useful_workers": self.useful_workers}

    def with_warnings(self, memory: int | None, free: int) -> Plan:
        """Return the plan with warnings about this machine."""
        found = []
        if not self.converged:
            found.append(
                "The fit of the sample was stopped before it converged, so the number of passes "
                "and all times are lower bounds."
            )
        if memory is not None and self.memory_here > 0.9 * memory:
            found.append(
                f"The fit needs about {size(self.memory_here)} of memory, but this machine has "
                f"{size(memory)}; use fewer threads (--jobs), fewer topics or fewer words."
            )
        saved = self.model_bytes + self.document_bytes + self.index_bytes
        if saved > free:
            found.append(
                f"The model with documents and search index needs about {size(saved)} on disk, "
                f"but {size(free)} are free in this folder; use --no-documents or --no-index."
            )
        if self.n_chunks < self.workers:
            found.append(
                f"The corpus has only {plural(self.n_chunks, 'chunk')}, so {self.workers} workers "
                "are more than can be used."
            )
        return replace(self, warnings=found)

    def __str__(self) -> str:
        facts = self.facts()
        width = max(map(len, facts)) + 2
        lines = [f"{name:<{width}}{value}" for name, value in facts.items()]
        warned = [f"Warning: {sentence}" for sentence in self.warnings]
        return "\n".join([*lines, "", self.table(), "", self.assumptions(), *warned])

    def facts(self) -> dict[str, str]:
        """Return the estimates as text, apart from the table of times."""
        words = self.nonzeros / max(self.n_documents, 1)
        return {
            "corpus": f"{self.n_documents:,} documents of {words:.0f} different words, "
            f"{self.n_words:,} words in all; {size(self.count_bytes)} of counts in "
            f"{plural(self.n_chunks, 'chunk')}",
            "model": f"{self.name}, {plural(self.n_components, 'topic')}",
            "passes": f"{'' if self.converged else 'at least '}{self.passes:.0f} over all "
            "documents, including weighting and initialisation",
            "time": f"{duration(self.here.total)} on {plural(self.n_here, 'thread')} here, "
            f"{duration(self.distributed.total)} on {plural(self.workers, 'worker')}",
            "memory": f"{size(self.memory_here)} here; with workers, {size(self.memory_client)} "
            f"in the client and {size(self.memory_worker)} in each worker",
            "statistics": f"{size(self.stats_bytes)} for words x topics; "
            f"the network carries {size(self.network_bytes)} per pass between "
            f"{plural(self.workers, 'worker')}",
            "saved": self._saved(),
            "scaling": f"from about {plural(self.useful_workers, 'worker')} on, updating the "
            "topics in the client takes longest",
        }

    def _saved(self) -> str:
        kept = f"{size(self.model_bytes)}; with documents {size(self.document_bytes)} more"
        if self.index_bytes:
            kept += f", with the search index another {size(self.index_bytes)}"
        return kept

    def table(self) -> str:
        """Return the times of the parts as a table."""
        columns = [
            Column("seconds"),
            Column("one core", "right"),
            Column(f"here ({plural(self.n_here, 'thread')})", "right"),
            Column(plural(self.workers, "worker"), "right"),
            Column(""),
        ]
        cases = self.alone, self.here, self.distributed
        rows = [
            [
                PARTS[name],
                *(f"{getattr(case, name):,.1f}" for case in cases),
                MARK if name == self.largest else "",
            ]
            for name in Seconds._fields
        ]
        rows.append(["total", *(f"{case.total:,.1f}" for case in cases), ""])
        lines = text_table(columns, rows).splitlines()
        return "\n".join(line.rstrip() for line in lines)

    def assumptions(self) -> str:
        """Return a sentence about what the estimates rest on."""
        return (
            f"Measured on {self.sample_documents:,} documents of this corpus and extrapolated; "
            "assumes idle cores as fast as those here, a disk that keeps up, and a network of "
            f"{self.network:g} Gbit/s. The whole corpus may need more or fewer passes."
        )


def duration(seconds: float) -> str:
    """Format a number of seconds with a suitable unit.

    Examples
    --------
    >>> duration(0.04), duration(75), duration(5400)
    ('0.04 s', '75 s', '1.5 h')
    """
    if seconds < 10:
        return f"{seconds:.2g} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
