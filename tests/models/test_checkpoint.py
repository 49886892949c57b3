"""Tests of checkpoints: a fit that is killed and repeated ends with the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import laconic
from laconic import PCP, PLSA, SCTM, STC, MedSTC, SparseCoding, SparseLSA
from laconic.engines import ENGINES
from laconic.models.checkpoint import Stage
from tests.engines.interrupted import Interrupted
from tests.messages import refused, warned

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SEEDS = {"a": [0, 1], "b": ["t01w00!"]}
FITS = {
    "slsa": (SparseLSA, {"max_iter": 6, "tol": 0}),
    "slsa, short topics": (SparseLSA, {"words_per_topic": 8, "codes": "projection"}),
    "slsa, paper": (SparseLSA, {"alpha": 0.1, "stop": "paper", "max_iter": 6}),
    "slsa, groups": (SparseLSA, {"groups": [str(i // 8) for i in range(160)], "max_iter": 5}),
    "sc": (SparseCoding, {"max_iter": 8, "tol": 0}),
    "sc, batches": (SparseCoding, {"max_iter": 4, "tol": 0, "batch_size": 80}),
    "sc, target": (SparseCoding, {"max_iter": 8, "topics_per_document": 2, "codes": "lasso"}),
    "plsa": (PLSA, {"max_iter": 5, "tol": 0}),
    "plsa, sparse": (PLSA, {"max_iter": 8, "smoothing": -0.05}),
    "sctm": (SCTM, {"max_iter": 8}),
    "sctm, batches": (SCTM, {"max_iter": 4, "batch_size": 80}),
    "sctm, correlated": (SCTM, {"max_iter": 40, "correlated": True}),
    "sctm, noise": (SCTM, {"max_iter": 5, "noise": "counts"}),
    "stc": (STC, {"max_iter": 4, "tol": 0}),
    "stc, batches": (STC, {"max_iter": 4, "tol": 0, "batch_size": 80}),
    "stc, paper": (STC, {"max_iter": 4, "tol": 0, "dictionary": "paper"}),
    "stc, gaussian": (STC, {"max_iter": 4, "tol": 0, "loss": "gaussian"}),
    "medstc": (MedSTC, {"max_iter": 5, "tol": 0}),
    "slsa, seeds": (SparseLSA, {"max_iter": 6, "tol": 0, "seeds": SEEDS}),
    "sc, seeds": (SparseCoding, {"max_iter": 8, "tol": 0, "seeds": SEEDS}),
    "plsa, seeds": (PLSA, {"max_iter": 5, "tol": 0, "seeds": SEEDS}),
    "sctm, seeds": (SCTM, {"max_iter": 8, "seeds": SEEDS}),
    "stc, seeds": (STC, {"max_iter": 4, "tol": 0, "seeds": SEEDS}),
    "medstc, seeds": (MedSTC, {"max_iter": 5, "tol": 0, "seeds": SEEDS}),
    "pcp": (PCP, {"max_iter": 4, "tol": 0}),
    "pcp, target": (PCP, {"max_iter": 8, "keywords_per_document": 3}),
}


class Killed(BaseException):
    """Ends a fit like a signal that kills the process, because no code catches it."""


@pytest.fixture
def killed(monkeypatch):
    """Return a function that fits a model, and ends the fit after each `n` saved states."""

    def fit(make, *documents, n: int = 1):
        saved, save = [], Stage.save

        def save_and_die(stage, solver, passes):
            save(stage, solver, passes)
            saved.append(passes)
            if len(saved) % n == 0:
                raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(Stage, "save", save_and_die)
            for n_runs in range(1, 100):
                try:
                    return make().fit(*documents), n_runs
                except Killed:
                    continue
        raise AssertionError("the fit never ends")

    return fit


def learned(model):
    """Return the fitted attributes of a model as bytes."""
    return {
        name: as_bytes(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_")
    }


def as_bytes(value):
    if sp.issparse(value):
        return [as_bytes(part) for part in (value.data, value.indices, value.indptr)]
    if isinstance(value, tuple | list):
        return [as_bytes(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    return repr(value)


@pytest.fixture(scope="module")
def documents(planted):
    corpus, _ = planted
    return corpus, np.arange(len(corpus)) % 3


@pytest.mark.parametrize(("model", "params"), FITS.values(), ids=FITS.keys())
def test_a_fit_killed_after_each_pass_has_the_same_bits(
    model, params, documents, killed, tmp_path, small_chunks
):
    n = 1 if model is not SCTM else 3  # SCTM makes many passes
    whole = model(5, **params).fit(*documents)
    resumed, n_runs = killed(lambda: model(5, checkpoint=tmp_path, **params), *documents, n=n)
    assert n_runs > 2
    assert learned(resumed) == learned(whole)
    assert not list(tmp_path.iterdir())


def test_the_exact_solver_of_pcp(documents, killed, tmp_path, monkeypatch):
    monkeypatch.setattr(Stage, "is_due", lambda stage: True)  # save after each step
    X = documents[0].counts[:60, :40]
    whole = PCP(solver="exact", c=3).fit(X)
    make = lambda: PCP(solver="exact", c=3, checkpoint=tmp_path)  # noqa: E731
    resumed, n_runs = killed(make, X, n=7)
    assert n_runs > 2
    assert learned(resumed) == learned(whole)


def test_a_corpus_on_disk_continues_with_another_engine(documents, killed, tmp_path, small_chunks):
    documents[0].save(tmp_path / "store")
    corpus = laconic.read(tmp_path / "store")
    whole = PLSA(5, max_iter=5, tol=0, engine="serial").fit(corpus)
    engines = iter(["threads", "serial"] * 10)

    def make():
        folder = tmp_path / "states"
        return PLSA(5, max_iter=5, tol=0, engine=next(engines), checkpoint=folder)

    resumed, _ = killed(make, corpus)
    assert learned(resumed) == learned(whole)


def test_fit_transform_continues_too(documents, killed, tmp_path):
    make = lambda: PLSA(5, max_iter=5, tol=0, checkpoint=tmp_path)  # noqa: E731
    whole = make().fit_transform(documents[0])
    assert not list(tmp_path.iterdir())
    resumed, _ = killed(make, documents[0], n=2)
    assert as_bytes(resumed.transform(documents[0])) == as_bytes(whole)


SCRIPT = """
import sys, warnings
import laconic
warnings.simplefilter("ignore")
corpus, _ = laconic.datasets.make_topics(300, 160, 5, words_per_topic=12, random_state=3)
laconic.PLSA(5, max_iter=10**6, tol=0, checkpoint=sys.argv[1]).fit(corpus)
"""


def test_a_process_that_is_really_killed(tmp_path):
    folder = tmp_path / "states"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)])
    try:
        deadline = time.monotonic() + 60
        while not list(folder.glob("PLSA-*.npz")) and time.monotonic() < deadline:
            assert process.poll() is None
            time.sleep(0.01)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    (state,) = folder.glob("PLSA-*.npz")
    with np.load(state) as arrays:
        assert arrays["state"].size
    corpus, _ = laconic.datasets.make_topics(300, 160, 5, words_per_topic=12, random_state=3)
    model = PLSA(5, max_iter=10**6, tol=0, checkpoint=folder)
    with pytest.MonkeyPatch.context() as patch:
        engine = Interrupted("mix_chunk", passes=1)
        patch.setitem(ENGINES, "interrupted", lambda n_jobs: engine)
        with warned("interrupted after", "same checkpoint", kind=ConvergenceWarning, golden=False):
            model.set_params(engine="interrupted").fit(corpus)
    assert model.n_iter_ >= 2  # at least one pass before the kill, and one after it
    assert len(model.objective_) == model.n_iter_


def test_ctrl_c_keeps_the_checkpoint(documents, tmp_path, monkeypatch):
    params = {"max_iter": 6, "tol": 0, "checkpoint": tmp_path}
    whole = SCTM(5, max_iter=6, tol=0).fit(documents[0])
    monkeypatch.setitem(ENGINES, "interrupted", lambda n_jobs: Interrupted("code_sums", passes=3))
    with warned("SCTM", "3 passes", "same checkpoint", kind=ConvergenceWarning):
        partial = SCTM(5, engine="interrupted", **params).fit(documents[0])
    assert partial.n_iter_ == 3
    assert len(list(tmp_path.iterdir())) == 1  # the provisional rest of the fit is not stored
    assert learned(SCTM(5, **params).fit(documents[0])) == learned(whole)


def test_fits_share_a_folder(documents, killed, tmp_path):
    corpus, y = documents
    make = lambda **more: PLSA(5, max_iter=3, tol=0, checkpoint=tmp_path, **more)  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stage, "save", _save_and_die(Stage.save))
        for model, X in ((make(), corpus), (make(), corpus[:200]), (make(smoothing=0.2), corpus)):
            with pytest.raises(Killed):
                model.fit(X)
    assert len(list(tmp_path.iterdir())) == 3
    assert learned(make().fit(corpus)) == learned(PLSA(5, max_iter=3, tol=0).fit(corpus))
    assert len(list(tmp_path.iterdir())) == 2
    grid = GridSearchCV(make(), {"n_components": [2, 3]}, cv=2).fit(corpus)
    assert grid.best_params_["n_components"] in (2, 3)
    labels = MedSTC(5, max_iter=2, checkpoint=tmp_path)
    assert learned(labels.fit(corpus, y)) == learned(MedSTC(5, max_iter=2).fit(corpus, y))


def _save_and_die(save):
    def save_and_die(stage, solver, passes):
        save(stage, solver, passes)
        raise Killed

    return save_and_die


@pytest.fixture
def state(documents, tmp_path, monkeypatch) -> Path:
    """Return the file of a fit that was killed after its first pass."""
    with monkeypatch.context() as patch:
        patch.setattr(Stage, "save", _save_and_die(Stage.save))
        with pytest.raises(Killed):
            PLSA(5, max_iter=3, tol=0, checkpoint=tmp_path).fit(documents[0])
    (path,) = tmp_path.iterdir()
    return path


def test_a_damaged_checkpoint_is_refused(documents, state):
    """Every flipped bit is either detected or has no effect."""
    data = state.read_bytes()
    whole = learned(PLSA(5, max_iter=3, tol=0).fit(documents[0]))
    n_refused = 0
    for bit in np.random.default_rng(0).integers(0, 8 * len(data), 60):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        state.write_bytes(damaged)
        model = PLSA(5, max_iter=3, tol=0, checkpoint=state.parent)
        try:
            assert learned(model.fit(documents[0])) == whole
        except laconic.ModelFileError:
            n_refused += 1
    assert n_refused > 50


@pytest.mark.parametrize("length", [0, 1, 100, -1])
def test_a_truncated_checkpoint_is_refused(documents, state, length):
    state.write_bytes(state.read_bytes()[:length])
    with refused(state.name, "damaged", "delete it", golden=False):
        PLSA(5, max_iter=3, tol=0, checkpoint=state.parent).fit(documents[0])


def test_a_folder_that_others_can_change_is_refused(documents, tmp_path):
    tmp_path.chmod(0o777)
    with refused("checkpoint", "other users"):
        PLSA(2, checkpoint=tmp_path).fit(documents[0])


def test_a_file_is_not_a_folder(documents, tmp_path):
    (tmp_path / "file").touch()
    with refused("checkpoint", "file", "choose another folder"):
        PLSA(2, checkpoint=tmp_path / "file").fit(documents[0])


def test_random_numbers_that_cannot_be_drawn_again(documents, tmp_path):
    with refused("checkpoint", "random_state", "integer"):
        PLSA(2, checkpoint=tmp_path, random_state=None).fit(documents[0])


def test_a_folder_is_not_taken_from_a_saved_model(documents, tmp_path):
    model = PLSA(2, max_iter=2, checkpoint=tmp_path / "states").fit(documents[0])
    laconic.save(model, tmp_path / "model")
    assert "states" not in (tmp_path / "model" / "model.json").read_text()
    assert laconic.load(tmp_path / "model").checkpoint is None
