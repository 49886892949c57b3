"""Tests of states of chunks that are kept in files."""

from __future__ import annotations

import tempfile

import numpy as np
import pytest

from laconic import PLSA, STC, Corpus
from laconic.corpus import chunks
from laconic.datasets import make_topics
from laconic.engines import make_engine
from laconic.engines.spill import Spilled
from laconic.models import base
from tests.engines.test_engines import Trail, numbered

pytestmark = pytest.mark.filterwarnings("ignore:.*did not converge")


def grow(params, chunk, state):
    """Step: append the parameter to the state of the chunk."""
    state = np.append(np.zeros(0) if state is None else state, params)
    return Trail([state.tolist()]), state


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["serial", "threads"])
def test_one_file_per_state(name, temporary):
    local = [None] * 30
    with make_engine(name, 2) as engine:
        engine.states.on_disk = True
        for params in (1.0, 2.0, 3.0):
            merged = engine.map_reduce(grow, params, numbered(30), local)
        assert merged.chunks == [[1.0, 2.0, 3.0]] * 30
        assert all(isinstance(state, Spilled) for state in local)
        kept = list(local)
        list(engine.map(grow, 4.0, numbered(3), local[:3]))  # states of an interrupted batch
        merged = engine.map_reduce(grow, 4.0, numbered(30), kept)
        assert merged.chunks == [[1.0, 2.0, 3.0, 4.0]] * 30
        (folder,) = temporary.iterdir()
        assert len(list(folder.iterdir())) < 70  # the token, new states and those just replaced


@pytest.mark.parametrize("model", [PLSA, STC])
def test_fits_with_states_on_disk_are_the_same(model, monkeypatch, tmp_path):
    documents = make_topics(60, 40, 3, words_per_topic=10, random_state=0)[0]
    stored = Corpus.open(documents.save(tmp_path / "corpus"))
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 13)
    fits = []
    for limit in (10**9, 0):
        monkeypatch.setattr(base, "MAX_CODES", limit)
        fitted = model(3, max_iter=3, engine="threads", n_jobs=2)
        fits.append((fitted.fit_transform(stored).toarray(), fitted.components_))
    assert np.array_equal(fits[0][0], fits[1][0])
    assert np.array_equal(fits[0][1], fits[1][1])
