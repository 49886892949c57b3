"""Tests of additive statistics: merging, copying and scaling each kind of field."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from laconic.engines.scratch import scratch_arrays, take
from laconic.engines.stats import LARGEST, POOLED, Stats


@dataclass
class Sums(Stats):
    products: np.ndarray = field(metadata=POOLED)
    mass: np.ndarray
    extra: np.ndarray | None
    parts: list[int]
    n_documents: float
    longest: int = field(metadata=LARGEST)


def make(number, extra=None, dtype=np.float64):
    return Sums(
        np.full((3, 2), number, dtype), np.full(2, number, dtype), extra, [number], number, number
    )


def test_fields_add_or_keep_the_larger_value():
    total = make(2).merge(make(1)).merge(make(5))
    assert total.products.tolist() == np.full((3, 2), 8.0).tolist()
    assert total.mass.tolist() == [8, 8]
    assert total.extra is None
    assert total.parts == [2, 1, 5]
    assert (total.n_documents, total.longest) == (8, 5)


def test_none_adds_nothing():
    one = np.ones(2)
    assert make(1, one).merge(make(1)).extra.tolist() == [1, 1]
    assert make(1).merge(make(1, one)).extra.tolist() == [1, 1]
    assert make(1, one.copy()).merge(make(1, one)).extra.tolist() == [2, 2]


def test_a_merge_adds_in_place_and_lends_the_other_array():
    first, second = make(1), make(2)
    mine, theirs = first.products, second.products
    with scratch_arrays():
        assert first.merge(second).products is mine
        assert take((3, 2), np.float64) is theirs


def test_only_pooled_arrays_are_lent():
    first, second = make(1), make(2)
    with scratch_arrays():
        mass = second.mass
        first.merge(second)
        assert take((2,), np.float64) is not mass


def test_a_copy_is_merged_without_changing_the_first():
    first = make(1, np.ones(2))
    first.copy().merge(make(2, np.ones(2)))
    assert first.products.max() == first.mass.max() == first.extra.max() == 1
    assert first.parts == [1]
    assert (first.n_documents, first.longest) == (1, 1)


def test_scaling_keeps_types_and_largest_values():
    first = make(4, dtype=np.float32)
    first.parts = None
    half = first.scaled(np.float64(0.5))
    assert half.products.dtype == half.mass.dtype == np.float32
    assert half.products.max() == half.n_documents == 2
    assert half.longest == 4
    assert half.extra is None
    assert first.products.max() == 4
