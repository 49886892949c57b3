"""Tests of every engine: equal results, bounded memory, errors; Dask with two processes."""

from __future__ import annotations

import os
import threading
import time
import weakref
from pathlib import Path

import dask
import numpy as np
import pytest
import scipy.sparse as sp
from distributed import get_client
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits

from laconic import Corpus, SparseLSA, Weighting
from laconic.corpus import chunks
from laconic.corpus.chunks import memory_chunks
from laconic.datasets import make_topics
from laconic.engines import ENGINES, make_engine
from laconic.engines.threads import count_workers
from tests.engines.conftest import WORKERS
from tests.engines.interrupted import Interrupted
from tests.messages import refused, warned

PATIENCE = 60  # maximum time to wait, in seconds


@pytest.fixture(params=list(ENGINES))
def engine(request):
    if request.param == "dask":
        request.getfixturevalue("client")
    with make_engine(request.param, WORKERS) as engine:
        yield engine


# ---- the interface of engines ----


class Trail:
    """Statistics that record which chunks were merged and in which order."""

    def __init__(self, chunks):
        self.chunks = chunks

    def merge(self, other):
        return Trail([*self.chunks, *other.chunks])

    def copy(self):
        return Trail(list(self.chunks))


def trail(params, chunk, state):
    time.sleep(0.003 * ((7 * chunk.start) % 5))  # make some later chunks finish first
    return Trail([(params, chunk.start, int(chunk.load().sum()))]), None


def numbered(n_chunks):
    return memory_chunks(sp.csr_matrix(np.arange(n_chunks)[:, None]), list(range(n_chunks + 1)))


@pytest.mark.parametrize("n_chunks", [1, 2, 11])
def test_merges_in_the_order_of_the_chunks(engine, n_chunks):
    merged = engine.map_reduce(trail, "x", numbered(n_chunks))
    assert merged.chunks == [("x", i, i) for i in range(n_chunks)]


def test_maps_in_the_order_of_the_chunks(engine):
    values = [value.chunks for value in engine.map(trail, "x", numbered(11))]
    assert values == [[("x", i, i)] for i in range(11)]


def test_map_can_be_left_early(engine):
    assert next(iter(engine.map(trail, "x", numbered(9)))).chunks == [("x", 0, 0)]
    assert len(engine.map_reduce(trail, "y", numbered(3)).chunks) == 3


def count_visits(params, chunk, state):
    """Count the visits of a chunk in its state, which also holds the start of the chunk."""
    visits = (state or (0, chunk.start))[0] + 1
    known = (state or (0, chunk.start))[1]
    return Trail([(chunk.start, known, visits)]), (visits, known)


def test_state_stays_with_its_chunk(engine):
    chunks = numbered(5)
    local = [None] * 5
    for visits in (1, 2, 3):
        merged = engine.map_reduce(count_visits, None, chunks, local)
        assert merged.chunks == [(i, i, visits) for i in range(5)]
    values = [value.chunks[0] for value in engine.map(count_visits, None, chunks, local)]
    assert values == [(i, i, 4) for i in range(5)]


class RefusedError(Exception):
    pass


def refuse_third(params, chunk, state):
    if chunk.start == 3:
        raise RefusedError("document 3")
    return Trail([chunk.start]), None


def test_errors_of_a_step_arrive_and_the_engine_lives_on(engine):
    with refused("document 3", kind=RefusedError, golden=False):
        engine.map_reduce(refuse_third, None, numbered(8))
    with refused("document 3", kind=RefusedError, golden=False):
        list(engine.map(refuse_third, None, numbered(8)))
    assert engine.map_reduce(refuse_third, None, numbered(3)).chunks == [0, 1, 2]


def write(path, sign):
    with open(path, "ab", buffering=0) as file:
        file.write(sign)


class Counted:
    """Statistics that record their creation and deletion in a file, from any process."""

    def __init__(self, path, total):
        self.path, self.total = path, total
        self.ballast = np.ones(1000)
        write(path, b"+")
        weakref.finalize(self, write, path, b"-")

    def __reduce__(self):
        return Counted, (self.path, self.total)

    def merge(self, other):
        time.sleep(0.01)  # slower than the steps, whose results would pile up without a limit
        self.total += other.total
        return self

    def copy(self):
        return Counted(self.path, self.total)


def counted(path, chunk, state):
    return Counted(path, chunk.start), None


def most_alive(path):
    births = np.frombuffer(Path(path).read_bytes(), "S1") == b"+"
    return int(np.max(np.cumsum(np.where(births, 1, -1))))


@pytest.mark.parametrize(("name", "workers"), [("serial", 1), ("threads", 1), ("threads", 3)])
def test_few_statistics_are_alive_at_once(name, workers, tmp_path):
    path = str(tmp_path / "lives")
    with make_engine(name, workers, group=2) as engine:
        merged = engine.map_reduce(counted, path, numbered(25))
    assert merged.total == sum(range(25))
    waiting = 3  # sums of 8, 4 and 2 of the 13 groups, which wait for the rest of their tree
    assert most_alive(path) <= 3 * workers + waiting


def test_few_statistics_are_alive_at_once_on_a_cluster(client, tmp_path):
    """The number does not grow with the chunks.

    Each worker has at most two statistics and two sums; others are copies in transit or in a merge.
    """
    path = str(tmp_path / "lives")
    with make_engine("dask") as engine:
        merged = engine.map_reduce(counted, path, numbered(60))
        assert merged.total == sum(range(60))
        assert most_alive(path) <= 3 * 2 * WORKERS + 3


def our_blas_threads():
    """Return the thread counts of the BLAS libraries of numpy and scipy only.

    Packages that the benchmarks compare with may load other BLAS libraries.
    """
    ours = ("numpy", "scipy")
    return [
        i["num_threads"]
        for i in threadpool_info()
        if i["user_api"] == "blas" and any(name in i["filepath"] for name in ours)
    ]


def blas_threads(params, chunk, state):
    return Trail([max(our_blas_threads())]), None


@pytest.fixture
def two_blas_threads():
    """Use two threads outside of steps, even if a variable of the environment asks for one."""
    with threadpool_limits(2, "blas"):
        assert set(our_blas_threads()) == {2}
        yield


@pytest.mark.usefixtures("two_blas_threads")
def test_one_blas_thread_inside_a_step(engine):
    assert set(engine.map_reduce(blas_threads, None, numbered(4)).chunks) == {1}


@pytest.mark.usefixtures("two_blas_threads")
def test_blas_threads_are_given_back():
    before = our_blas_threads()
    for name in ("serial", "threads"):
        with make_engine(name, 2) as engine:
            engine.map_reduce(blas_threads, None, numbered(4))
            with pytest.raises(RefusedError):
                engine.map_reduce(refuse_third, None, numbered(8))
        assert our_blas_threads() == before


def meet(params, chunk, state):
    """Return where this step runs, after all expected workers have started or time is up."""
    folder, n_workers = params
    here = os.getpid(), threading.current_thread().name
    (folder / f"{here[0]}-{here[1]}").touch()
    end = time.monotonic() + PATIENCE
    while len(list(folder.iterdir())) < n_workers and time.monotonic() < end:
        time.sleep(0.01)
    return Trail([here]), None


def test_steps_run_where_the_engine_says(client, tmp_path):
    where = {}
    for name, n_workers in (("serial", 1), ("threads", WORKERS), ("dask", WORKERS)):
        folder = tmp_path / name
        folder.mkdir()
        with make_engine(name, WORKERS) as engine:
            where[name] = set(engine.map_reduce(meet, (folder, n_workers), numbered(12)).chunks)
    here = (os.getpid(), threading.current_thread().name)
    assert where["serial"] == {here}
    assert len(where["threads"]) == WORKERS
    assert here in where["threads"]  # The calling thread is one of the workers.
    assert len({process for process, _ in where["dask"]}) == WORKERS
    assert os.getpid() not in {process for process, _ in where["dask"]}


def test_unknown_engine_lists_the_known_ones():
    with refused("'engine'", "'serial'", "'threads'", "'dask'", "address", "tcp://", "'spark'"):
        make_engine("spark")


def test_no_scheduler_at_the_address_gets_a_sentence():
    with refused("Dask", "'nowhere://x'", "engine='threads'"):
        make_engine("nowhere://x").__enter__()


def test_number_of_workers():
    cores = len(os.sched_getaffinity(0))
    assert count_workers(None) == count_workers(-1) == cores
    assert count_workers(5) == 5
    assert count_workers(-1000) == 1


# ---- fits ----


@pytest.fixture(scope="module")
def documents():
    """Return a corpus and its counts in float64."""
    corpus, _ = make_topics(240, 120, 4, words_per_topic=12, random_state=5)
    return corpus, corpus.counts.astype(np.float64)


MODELS = {
    "l1": {"alpha": 0.5},
    "default": {},
    "positive": {"alpha": 0.5, "positive": True},
    "groups": {"alpha": 0.3, "groups": np.arange(120) // 4},
    "words": {"words_per_topic": 8},
    "random": {"alpha": 0.5, "init": "random"},
    "identity": {"alpha": 0.5, "init": "identity"},
}


def fit(X, engine, **params):
    return SparseLSA(4, engine=engine, n_jobs=WORKERS, **params).fit(X)


def assert_same_bits(one, other):
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(one.components_, part), getattr(other.components_, part))
    assert np.array_equal(one.objective_, other.objective_)
    assert np.array_equal(one.topic_shares_, other.topic_shares_)
    assert one.n_iter_ == other.n_iter_


def assert_nearly_same(one, other):
    assert one.n_iter_ == other.n_iter_
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-6)
    np.testing.assert_allclose(
        one.components_.toarray(), other.components_.toarray(), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("params", MODELS.values(), ids=MODELS.keys())
def test_threads_are_serial_to_the_bit(documents, params, small_chunks):
    _, X = documents
    assert len(memory_chunks(X)) > 4
    serial, threads = (fit(X, engine, **params) for engine in ("serial", "threads"))
    assert_same_bits(serial, threads)
    again = fit(X, "threads", **params)
    assert_same_bits(again, threads)
    assert np.array_equal(serial.transform(X).toarray(), threads.transform(X).toarray())


@pytest.mark.parametrize("params", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_from_disk_is_in_memory_to_the_bit(documents, params, engine, small_chunks, tmp_path):
    corpus, _ = documents
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    assert_same_bits(fit(corpus, engine, **params), fit(stored, engine, **params))
    weighted = [Weighting(engine=engine).fit_transform(data) for data in (corpus, stored)]
    params = {**params, "alpha": 0.1} if "alpha" in params else params
    assert_same_bits(*(fit(data, engine, **params) for data in weighted))


def test_from_disk_is_in_memory_to_the_bit_over_another_vocabulary(
    documents, small_chunks, tmp_path
):
    corpus, _ = documents
    words = corpus.vocabulary[::-2]
    stored = Corpus.open(corpus.save(tmp_path / "corpus")).align(words)
    assert_same_bits(fit(corpus.align(words), "serial"), fit(stored, "serial"))


@pytest.mark.parametrize("params", MODELS.values(), ids=MODELS.keys())
def test_many_chunks_are_one(documents, params, monkeypatch):
    _, X = documents
    whole = fit(X, "serial", **params)
    for rows, nonzeros in ((100, 10**6), (10, 10**6), (64, 300)):
        monkeypatch.setattr(chunks, "CHUNK_ROWS", rows)
        monkeypatch.setattr(chunks, "CHUNK_NONZEROS", nonzeros)
        assert len(memory_chunks(X)) >= 3
        assert_nearly_same(fit(X, "serial", **params), whole)


@pytest.mark.parametrize("copied", [1, 2])
def test_refilled_topics_do_not_depend_on_chunks(copied, monkeypatch):
    """Some initial topics are equal, so that poorly explained documents must replace them."""
    X = np.random.default_rng(1).gamma(0.3, size=(60, 25))
    X[1 : 2 * copied : 2] = X[0 : 2 * copied : 2]
    whole = fit(X, "serial", alpha=0.5, init="identity", tol=1e-9)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 17)
    assert_nearly_same(fit(X, "serial", alpha=0.5, init="identity", tol=1e-9), whole)


def test_partial_fit_is_the_same_everywhere(documents, client, small_chunks):
    _, X = documents
    models = {}
    for engine in ENGINES:
        model = SparseLSA(4, engine=engine, n_jobs=WORKERS, init="random")
        models[engine] = model.partial_fit(X[:120]).partial_fit(X[120:])
    assert_same_bits(models["serial"], models["threads"])
    assert_same_bits(models["serial"], models["dask"])


@pytest.mark.parametrize("name", ["l1", "groups", "words", "random"])
def test_cluster_is_serial(documents, client, name, monkeypatch):
    _, X = documents
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 70)
    params = {**MODELS[name], "tol": 1e-3}
    assert_same_bits(fit(X, "serial", **params), fit(X, "dask", **params))


def test_cluster_by_its_address_and_from_disk(documents, cluster, small_chunks, tmp_path):
    corpus, _ = documents
    address = cluster.scheduler_address
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    weights = {name: Weighting("tfidf", engine=name).fit(stored) for name in ("serial", address)}
    np.testing.assert_array_equal(weights["serial"].scale_, weights[address].scale_)
    weighted = weights[address].transform(stored)
    serial, dask = (fit(weighted, engine, alpha=0.2, tol=1e-3) for engine in ("serial", address))
    assert_same_bits(serial, dask)
    codes, other = (model.transform(weighted).toarray() for model in (serial, dask))
    np.testing.assert_array_equal(codes, other)


def test_the_engine_leaves_a_users_client_open(client):
    with make_engine("dask") as engine:
        engine.map_reduce(trail, "x", numbered(2))
    assert client.status == "running"
    assert client.submit(sum, [1, 2]).result() == 3


def test_dask_without_a_client_starts_and_stops_a_cluster_of_its_own():
    X = np.random.default_rng(0).random((30, 10))
    # Dask's own default, which the cluster that tests share may have changed
    with dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}):
        one, other = (
            SparseLSA(2, alpha=0.1, engine=engine, n_jobs=1).fit(X) for engine in ("serial", "dask")
        )
    np.testing.assert_allclose(other.objective_, one.objective_, rtol=1e-9)
    with refused("client", kind=ValueError, golden=False):  # the message is written by Dask
        get_client()


def test_interrupted_threads_stop_at_once_and_leave_a_model(documents, small_chunks, monkeypatch):
    """Ctrl-C arrives in the main thread while it waits for a worker."""
    _, X = documents
    monkeypatch.setitem(ENGINES, "interrupted", lambda n_jobs: Interrupted("sum_products", 3))
    with warned("SparseLSA", "3 passes", kind=ConvergenceWarning):
        model = fit(X, "interrupted", alpha=0.5, tol=0, init="identity")
    assert not model.converged_
    assert model.transform(X).shape[0] == X.shape[0]
    assert not [t for t in threading.enumerate() if t.name.startswith("laconic")]


def test_pools_close_with_the_fit(documents):
    _, X = documents
    fit(X, "threads", alpha=0.5)
    assert not [t for t in threading.enumerate() if t.name.startswith("laconic")]
    with refused("alpha=1e+06"):
        fit(X, "threads", alpha=1e6)
    assert not [t for t in threading.enumerate() if t.name.startswith("laconic")]
