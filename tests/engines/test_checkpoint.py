"""Tests that a fit on a cluster, if it is killed, continues on threads with the same bits."""

from __future__ import annotations

import pytest

from laconic import PLSA, SCTM
from laconic.corpus import chunks
from laconic.datasets import make_topics
from laconic.models.checkpoint import Stage

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Killed(BaseException):
    """Ends a fit like a signal that kills the process, because no code catches it."""


@pytest.mark.parametrize("model", [PLSA, SCTM])
def test_a_fit_moves_from_a_cluster_to_threads(client, model, tmp_path, monkeypatch):
    corpus, _ = make_topics(200, 120, 4, words_per_topic=12, random_state=5)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    params = {"max_iter": 6, "tol": 0}
    whole = model(4, engine="serial", **params).fit(corpus)
    with monkeypatch.context() as patch:
        patch.setattr(Stage, "save", _dying_in_pass(3, Stage.save))
        with pytest.raises(Killed):
            model(4, engine="dask", checkpoint=tmp_path, **params).fit(corpus)
    continued = model(4, engine="threads", checkpoint=tmp_path, **params).fit(corpus)
    assert continued.components_.tobytes() == whole.components_.tobytes()
    assert continued.objective_.tolist() == whole.objective_.tolist()


def _dying_in_pass(number, save):
    def save_and_die(stage, solver, passes):
        save(stage, solver, passes)
        if passes.n_iter == number:
            raise Killed

    return save_and_die
