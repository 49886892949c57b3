"""Tests of fits that lose workers, the scheduler, or the sight of files; all are real processes."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.reliability.clusters import PATIENCE, ProcessCluster
from laconic import PLSA, Corpus, SparseLSA
from laconic.corpus import chunks
from laconic.datasets import make_topics
from laconic.engines import ENGINES, cluster, make_engine
from laconic.engines.dask import Dask
from laconic.engines.spill import Spilled, loaded
from tests.engines.conftest import WORKERS
from tests.engines.fatal import FatalDask
from tests.engines.test_engines import Trail, count_visits, numbered, trail
from tests.messages import refused

LONGEST = 120  # seconds, far more than an error takes even on a busy machine

pytestmark = pytest.mark.filterwarnings("ignore:.*did not converge")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Set the temporary folder of this process, and check that nothing is left in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Start a cluster without nannies; the tests below kill its processes one after the other."""
    folder = tmp_path_factory.mktemp("bare")
    with ProcessCluster(folder, 2, allowed_failures=1) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def documents():
    return make_topics(100, 120, 4, words_per_topic=12, random_state=5)[0]


def assert_survives(model, documents, address, tmp_path, monkeypatch):
    """Fit a model while a worker is killed, and compare it with the same fit in one thread."""
    marker = tmp_path / "killed"
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 13)
    monkeypatch.setitem(ENGINES, "fatal", lambda n_jobs: FatalDask(marker, 6, address))
    serial = model(engine="serial").fit(documents)
    fitted = model(engine="fatal").fit(documents)
    assert marker.exists()
    assert np.array_equal(fitted.objective_, serial.objective_)
    one, other = (sp.csr_matrix(m.components_).toarray() for m in (fitted, serial))
    assert np.array_equal(one, other)


def test_a_worker_killed_under_a_nanny(documents, client, tmp_path, monkeypatch):
    model = partial(SparseLSA, 4, alpha=0.5, tol=0, max_iter=4)
    assert_survives(model, documents, None, tmp_path, monkeypatch)
    client.wait_for_workers(WORKERS, timeout=PATIENCE)


def test_a_worker_killed_without_a_nanny(documents, bare, tmp_path, monkeypatch):
    stored = Corpus.open(documents.save(tmp_path / "corpus"))
    assert_survives(partial(PLSA, 4, max_iter=4), stored, bare.address, tmp_path, monkeypatch)
    assert len(bare.workers()) == 1


def where(params, chunk, state):
    time.sleep(0.1)
    return os.getpid(), None


def test_a_worker_that_joins_is_used(bare):
    bare.add_worker()
    seen = set()
    with make_engine(bare.address) as engine:
        for process in engine.map(where, None, numbered(int(PATIENCE / 0.1))):
            seen.add(process)
            if len(seen) == 2:
                break
    assert len(seen) == 2


# ---- values that outlive a worker: in files, or in tasks if there is no folder for files ----


def big_state(params, chunk, state):
    """Step: add the parameters to a state that is too large to be sent with a task."""
    state = np.zeros(8000) if state is None else state
    state += params[chunk.start]
    return Trail([(chunk.start, float(state.sum()))]), state


@pytest.fixture(params=["files", "tasks"])
def kept(request, temporary, monkeypatch):
    """Run a test with files, and in a system without a temporary folder."""
    if request.param == "tasks":
        monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    return request.param


def test_states_and_sums_outlive_a_worker(kept, client, tmp_path, monkeypatch):
    pieces, local = numbered(11), [None] * 11
    with FatalDask(tmp_path / "killed", 2 if kept == "tasks" else -1) as engine:
        for sign in (1.0, 1.0, -1.0):
            merged = engine.map_reduce(big_state, np.full(8000, sign), pieces, local)
        assert merged.chunks == [(i, 8000.0) for i in range(11)]
        assert all(isinstance(state, Spilled) == (kept == "files") for state in local)
        local = [loaded(state) for state in local]  # A fit can also start from plain states.
        values = list(engine.map(big_state, np.ones(8000), pieces, local))
        assert [value.chunks for value in values] == [[(i, 16000.0)] for i in range(11)]
    client.wait_for_workers(WORKERS, timeout=PATIENCE)


def test_files_of_earlier_passes_are_deleted(client, temporary):
    pieces, local = numbered(5), [None] * 5
    with Dask() as engine:
        for _ in range(4):
            engine.map_reduce(count_visits, np.zeros(8000), pieces, local)
        (folder,) = temporary.iterdir()
        assert folder.stat().st_mode & 0o077 == 0
        assert len(list(folder.iterdir())) == 1 + len(pieces)  # the token and one state per chunk


# ---- messages instead of hangs ----


def test_a_worker_that_cannot_see_the_corpus(documents, client, tmp_path):
    """The store is deleted after it was opened, so only the client still has its data."""
    stored = Corpus.open(documents.save(tmp_path / "corpus"))
    shutil.rmtree(tmp_path / "corpus")
    with refused("worker tcp://", str(tmp_path / "corpus"), "corpus.matrix", golden=False):
        PLSA(4, engine="dask").fit(stored)


def test_a_worker_that_cannot_see_the_files_of_the_fit(client, temporary):
    with Dask() as engine:
        engine.map_reduce(trail, np.zeros(8000), numbered(3))
        (folder,) = temporary.iterdir()
        for file in folder.iterdir():
            file.unlink()
        state = Spilled(str(folder / "1"))
        with refused("worker tcp://", state.path, golden=False):
            engine.map_reduce(trail, "x", numbered(3), [state] * 3)


def die(params, chunk, state):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_chunk_that_kills_its_workers(bare):
    with refused("memory", "workers"), make_engine(bare.address) as engine:
        engine.map_reduce(die, None, numbered(1))


def test_no_workers_are_left(bare, monkeypatch):
    monkeypatch.setattr(cluster, "NO_WORKERS", 1.0)
    assert bare.workers() == []
    start = time.monotonic()
    with refused("no workers", "start workers"), make_engine(bare.address) as engine:
        engine.map_reduce(trail, None, numbered(3))
    assert time.monotonic() - start < LONGEST


def test_the_scheduler_is_lost(bare, capfd):
    threading.Timer(0.5, bare.scheduler.kill).start()
    start = time.monotonic()
    with refused("scheduler", "lost"), make_engine(bare.address) as engine:
        engine.map_reduce(trail, None, numbered(3))
    assert time.monotonic() - start < LONGEST
    assert "Traceback" not in capfd.readouterr().err
