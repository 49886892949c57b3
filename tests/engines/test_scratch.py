"""Tests that reused arrays never carry values from one fit into another."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from laconic import SparseLSA
from laconic.corpus import chunks
from laconic.engines.scratch import release, scratch_arrays, take


def test_an_array_given_back_is_lent_again():
    with scratch_arrays():
        array = take((3, 2), np.float32)
        release(array)
        assert take((3, 2), np.float64) is not array
        release(array)
        assert take((3, 2), np.float32) is array


def test_nothing_is_kept_outside_a_fit():
    array = np.zeros((3, 2))
    release(array)
    with scratch_arrays():
        assert take((3, 2), np.float64) is not array
        release(array)
    with scratch_arrays():
        assert take((3, 2), np.float64) is not array


def test_arrays_of_others_are_not_lent():
    frozen, part = np.zeros((3, 2)), np.zeros((6, 2))[:3]
    frozen.flags.writeable = False
    with scratch_arrays():
        for array in (frozen, part):
            release(array)
            assert take((3, 2), np.float64) is not array


def test_fits_at_the_same_time_do_not_disturb_each_other(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_NONZEROS", 200)
    random = np.random.default_rng(0)
    matrices = [random.poisson(0.3, (120, 60)).astype(float) for _ in range(4)]

    def fit(X):
        return SparseLSA(5, alpha=0.2).fit(X).components_.toarray()

    alone = [fit(X) for X in matrices]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(fit, matrices * 3))
    for one, other in zip(alone * 3, together, strict=True):
        np.testing.assert_array_equal(one, other)
